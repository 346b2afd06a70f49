"""Sources of an answer that disagree: what it cites beside what another source says of the same thing."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property

from pincite.answering.citing import citation_at, locate_quotes
from pincite.answering.naming import named_sources
from pincite.answering.rivals import Line, Rivals, are_roughly_alike, line_of, rival_of, sentences_of
from pincite.answering.segments import Segment
from pincite.core.answers import Citation, Conflict
from pincite.core.evidence import Passage, Source
from pincite.core.ports.locator import Locator
from pincite.language.words import words

MOST = 20
"""More conflicts than that nobody reads."""


def conflicts_of(question: str, citations: Sequence[Citation], sources: Sequence[Source]) -> tuple[Conflict, ...]:
    """Return where a cited sentence and a sentence of another source are the same but for an amount or a date.

    Of documents that are called alike only those are compared that the question means. Each pair is told once.
    """
    disputes = Disputes(named_sources(question, sources))
    found: dict[frozenset[tuple[str, int]], Rivals] = {}
    for citation in citations:
        for line in disputes.cited(citation):
            if rivals := disputes.rival(line):
                found.setdefault(frozenset((rivals.said.place, rivals.other.place)), rivals)
    return tuple(_conflict(rivals) for rivals in list(found.values())[:MOST])


async def locate_conflicts(conflicts: Sequence[Conflict], locator: Locator) -> tuple[Conflict, ...]:
    """Return conflicts with the boxes of their quotes."""
    every = iter(await locate_quotes([citation for conflict in conflicts for citation in conflict.citations], locator))
    return tuple(replace(conflict, citations=tuple(next(every) for _ in conflict.citations)) for conflict in conflicts)


class Disputes:
    """The sentences of sources, compared with each other when asked for."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self._sources = sources
        self._lines: dict[tuple[str, int], Line | None] = {}

    def cited(self, citation: Citation) -> Iterator[Line]:
        """Yield the sentences with a figure that the quotes of a citation hold."""
        for n, passage, segment, _ in self.sentences:
            if n == citation.n and passage.version_id == citation.version_id:
                start, end = passage.start + segment.start, passage.start + segment.end
                if any(start < quote.end and end > quote.start for quote in citation.quotes):
                    yield from filter(None, (self._line(n, passage, segment),))

    def rival(self, said: Line) -> Rivals | None:
        """Return the sentence of another source that disagrees with one."""
        own = frozenset(words(said.segment.text))
        others = (
            self._line(n, passage, segment)
            for n, passage, segment, found in self.sentences
            if n != said.n and are_roughly_alike(own, found)
        )
        return rival_of(said, [line for line in others if line])

    def rival_of(self, n: int, passage: Passage, segment: Segment) -> Rivals | None:
        """Return what disagrees with a sentence of a source."""
        line = self._line(n, passage, segment)
        return self.rival(line) if line else None

    @cached_property
    def sentences(self) -> list[tuple[int, Passage, Segment, frozenset[str]]]:
        """The documents' own sentences with the number of their source and the set of their words."""
        return [
            (source.n, passage, segment, frozenset(words(segment.text)))
            for source in self._sources
            for passage, segment in sentences_of(source)
        ]

    def _line(self, n: int, passage: Passage, segment: Segment) -> Line | None:
        key = (f"{n} {passage.chunk_id}", passage.start + segment.start)
        if key not in self._lines:
            self._lines[key] = line_of(n, passage, segment)
        return self._lines[key]


def _conflict(rivals: Rivals) -> Conflict:
    lines = (rivals.said, rivals.other)
    return Conflict(rivals.values, tuple(citation_at(line.n, line.passage, line.start, line.end) for line in lines))
