"""Office files as archives of parts in XML: parts are read within bounds, and missing ones are empty."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from pincite.adapters.parsers.archive import Archive
from pincite.adapters.parsers.xml_parts import Selection, children, tree
from pincite.core.errors import RefusedInput

_MAX_SMALL_PART_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class OfficeBounds:
    """What one office file may cost: bytes unpacked in all, depth of XML elements."""

    unpacked_bytes: int = 512 * 1024 * 1024
    depth: int = 400


class OfficeParts:
    """The parts of an open office file. Damaged ones raise `RefusedInput` (`corrupt`).

    Where parts `may_name_type`, they may name a document type, but declare nothing of their own.
    """

    may_name_type = False

    def __init__(self, archive: Archive, bounds: OfficeBounds, beat: Callable[[], None] = lambda: None) -> None:
        self.beat = beat
        """Call it now and then while at work: whoever waits hears that reading goes on."""
        self._archive = archive
        self._bounds = bounds

    def has(self, part: str | None) -> bool:
        """Whether there is such a part."""
        return bool(part) and part in self._archive

    def children(self, part: str | None, *, level: int = 1, selection: Selection | None = None) -> Iterator[Element]:
        """Yield the elements `level` deep under a part's root, one at a time; nothing when there is no such part."""
        if part and part in self._archive:
            yield from children(
                self._chunks(part),
                level=level,
                max_depth=self._bounds.depth,
                may_name_type=self.may_name_type,
                selection=selection or Selection(),
            )

    def tree(self, part: str | None) -> Element:
        """Return the root of a part, an element without name when there is no such part."""
        if not part or part not in self._archive:
            return Element("")
        return tree(self._chunks(part), max_depth=self._bounds.depth, may_name_type=self.may_name_type)

    def read(self, part: str) -> bytes:
        """Return the bytes of a part that is in the file."""
        return self._archive.read(part, max_bytes=_MAX_SMALL_PART_BYTES)

    def _chunks(self, part: str) -> Iterator[bytes]:
        for piece in self._archive.chunks(part):
            self.beat()
            yield piece


def unsupported(what: str, advice: str) -> RefusedInput:
    """Return the error for a format that isn't read, with what to do instead."""
    return RefusedInput(f"The file is {what}, which can't be read yet. {advice}", code="unsupported")
