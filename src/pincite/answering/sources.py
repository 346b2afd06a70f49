"""Numbering what was retrieved: one source per page, or per document without pages."""

from collections.abc import Hashable, Sequence

from pincite.core.evidence import Passage, Source


def group_sources(passages: Sequence[Passage]) -> list[Source]:
    """Return the sources that an answer may cite, `[n]` being `group_sources(passages)[n - 1]`.

    `passages` come best first. A page is one source, and so is a document without pages; sources stand in the order in which
    their first passage was retrieved, the passages of a source in page order. A passage over a page break counts for the page
    it starts on. A text that occurs several times (white space apart) is kept where it was found first; what a model wrote never
    takes the place of the same words in a document.

    Passages without `document_id` belong together when they share an address (`source_uri` or path), or a title and a page;
    otherwise each is a source of its own.
    """
    return Numbering().add(passages)


class Numbering:
    """Numbers sources over several searches: what has a number keeps it, whatever is found later.

    A version of a document that came meanwhile is another source.
    """

    def __init__(self) -> None:
        self._groups: dict[Hashable, list[Passage]] = {}
        self._numbers: dict[Hashable, int] = {}
        self._seen: dict[tuple[str, bool], Hashable] = {}

    @property
    def sources(self) -> list[Source]:
        """Return all sources so far, `[n]` being `sources[n - 1]`."""
        return [self._source(key) for key in self._groups]

    def add(self, passages: Sequence[Passage]) -> list[Source]:
        """Return the sources of a search in the order in which it found them, each with all of its passages so far."""
        found: dict[Hashable, None] = {}
        for passage in passages:
            folded = (" ".join(passage.text.split()), passage.generated)
            key = self._seen.get(folded)
            if key is None:
                key = self._seen[folded] = _source_key(passage)
                self._groups.setdefault(key, []).append(passage)
                self._numbers.setdefault(key, len(self._groups))
            found.setdefault(key)
        return [self._source(key) for key in found]

    def _source(self, key: Hashable) -> Source:
        return Source(self._numbers[key], tuple(sorted(self._groups[key], key=_place)))


def _source_key(passage: Passage) -> Hashable:
    """Return what two passages must share to be one source; strangers share nothing."""
    if passage.document_id:
        return (passage.document_id, passage.version_id, passage.page)
    address = passage.metadata.get("source_uri", "") or passage.path
    if address:
        return ("address", address, passage.page)
    if passage.title and passage.page is not None:
        return ("title", passage.title, passage.page)
    return ("text", passage.title, passage.text)


def _place(passage: Passage) -> tuple[int, int]:
    return (passage.chunk_index, passage.start)
