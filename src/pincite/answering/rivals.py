"""Sentences that say the same but for one figure: one of two is wrong, or out of date, and no comparison tells which. Pure."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from typing import TypeAlias

from pincite.answering.segments import Segment, SegmentKind, language_of, segments
from pincite.core.evidence import Passage, Source
from pincite.language.dates import FoundDate
from pincite.language.pointers import pointers, speakers
from pincite.language.quantities import Amount, figures_of
from pincite.language.stems import stem_all, stop_stems
from pincite.language.stopwords import stop_words
from pincite.language.words import word_spans, words

ALIKE = 0.65
"""Share of the words of two sentences, figures apart, that they must have in common."""
_ROUGHLY_ALIKE = 0.45
"""The same of all of their words as they are written: below it they aren't looked at."""
_FEWEST, _FEWEST_PLAIN = 2, 3
"""So many words they must share at least; more where the figure is a bare number, which counts anything."""
_LONG = 8
"""Two sentences with so many different words besides a figure aren't the same by chance; each further figure counts three."""
_VERSION_WORDS, _VERSION_SHARE = 25, 0.75
"""Two texts of so many words or more that share so many of them are versions of one."""
_MOST_WORDS = 120
_SCENE = 3
"""A date among so many first words sets the scene: what is said of another time is another thing."""
_FIGURE = "#"
_ITEM = re.compile(r"\s*\(?\d{1,3}[.)]\s")
_NUMBERED = re.compile(
    r"(?:\b(?:sections?|clauses?|articles?|chapters?|figures?|tables?|pages?|pp?|nos?|numbers?|parts?|annex|appendix|schedule|items?"
    r"|rules?|version|art|abs|kapitel|abschnitt|artikel|artículo|capítulo|статья|раздел|глава)|[§№]|n[°º])\.?\s*$",
    re.IGNORECASE,
)

Figure: TypeAlias = Amount | FoundDate


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence of a source as it is compared: its words with `#` for each figure, those that count, names, figures in order."""

    n: int
    passage: Passage
    segment: Segment
    tokens: tuple[str, ...]
    content: Counter[str]
    names: frozenset[str]
    figures: tuple[Figure, ...]
    first: str

    @property
    def place(self) -> tuple[str, int]:
        """Return where it stands: its version, and the offset there."""
        return (self.passage.version_id or self.passage.text, self.start)

    @property
    def start(self) -> int:
        """Return its offset in the canonical text."""
        return self.passage.start + self.segment.start

    @property
    def end(self) -> int:
        """Return where it ends in the canonical text."""
        return self.passage.start + self.segment.end

    def told(self, figure: Figure) -> str:
        """Return a figure as the sentence writes it."""
        return self.segment.text[figure.start : figure.end].strip()


@dataclass(frozen=True, slots=True)
class Rivals:
    """Two sentences of two sources, and the figure of each that the other doesn't give."""

    said: Line
    other: Line
    values: tuple[str, str]


def sentences_of(source: Source) -> Iterator[tuple[Passage, Segment]]:
    """Yield the sentences of a source that are its document's own."""
    for passage in source.quotable:
        yield from ((passage, segment) for segment in segments(passage) if segment.kind is SegmentKind.SENTENCE)


def line_of(n: int, passage: Passage, segment: Segment) -> Line | None:
    """Return a sentence as it is compared; None for one without a figure, and for monsters."""
    text, lang = segment.text, language_of(passage)
    figures = _figures(text, lang)
    found = words(text)
    if not figures or not 0 < len(found) <= _MOST_WORDS:
        return None
    spans = word_spans(text)
    tokens = _masked(stem_all(found, lang), spans, figures)
    stops = _stops(lang)
    content = Counter(token for token in tokens if token != _FIGURE and token not in stops)
    stems = zip(stem_all(found, lang), spans, strict=True)
    names = frozenset(stem for stem, (start, _) in stems if start > 0 and text[start].isupper() and stem in content)
    return Line(n, passage, segment, tuple(tokens), content, names, tuple(figures), found[0])


def rival_of(said: Line, others: Sequence[Line]) -> Rivals | None:
    """Return the sentence among others that is most like one, and differs from it in one amount or date of the same kind."""
    found = [(alike, rivals) for other in others if (alike := _alike(said, other)) and (rivals := _compared(said, other))]
    return max(found, key=lambda item: item[0])[1] if found else None


def are_roughly_alike(one: frozenset[str], other: frozenset[str]) -> bool:
    """Say whether two sentences, as the sets of their words, are worth a closer look."""
    return 2 * len(one & other) >= _ROUGHLY_ALIKE * (len(one) + len(other))


def _figures(text: str, lang: str) -> list[Figure]:
    """Return the amounts and dates of a sentence in order, without the number of a list item."""
    item = _ITEM.match(text)
    found = figures_of(text, lang)
    every: list[Figure] = sorted([*found.amounts, *found.dates], key=lambda figure: figure.start)
    return [figure for figure in every if not item or figure.start >= item.end()]


def _masked(stems: Sequence[str], spans: Sequence[tuple[int, int]], figures: Sequence[Figure]) -> list[str]:
    """Return the stems of a sentence with one `#` for each figure."""
    tokens: list[str] = []
    at, last = 0, -1
    for stem, (start, end) in zip(stems, spans, strict=True):
        while at < len(figures) and figures[at].end <= start:
            at += 1
        if at == len(figures) or figures[at].start >= end:
            tokens.append(stem)
        elif at != last:
            tokens.append(_FIGURE)
            last = at
    return tokens


@lru_cache(maxsize=32)
def _stops(lang: str) -> frozenset[str]:
    return stop_words(lang) | stop_stems(lang)


def _alike(one: Line, other: Line) -> float:
    """Return the share of their words that two sentences have in common; 0 where that is little, or where names differ."""
    shared = (one.content & other.content).total()
    whole = one.content.total() + other.content.total()
    share = 2 * shared / whole if whole else 0.0
    if shared < _FEWEST or share < ALIKE:
        return 0.0
    foreign = (one.names - other.content.keys()) | (other.names - one.content.keys())
    return 0.0 if foreign else share


def _compared(one: Line, other: Line) -> Rivals | None:
    """Return two sentences as rivals if their figures stand in the same places, and one of them differs."""
    if not len(one.figures) == len(other.figures) == one.tokens.count(_FIGURE) == other.tokens.count(_FIGURE):
        return None
    matched = SequenceMatcher(None, one.tokens, other.tokens, autojunk=False).get_matching_blocks()
    if sum(one.tokens[match.a : match.a + match.size].count(_FIGURE) for match in matched) != len(one.figures):
        return None
    differing = [(mine, theirs) for mine, theirs in zip(one.figures, other.figures, strict=True) if not _same(mine, theirs)]
    if len(differing) != 1 or not _exclude(*differing[0], one=one, other=other):
        return None
    mine, theirs = differing[0]
    return Rivals(one, other, (one.told(mine), other.told(theirs)))


def _same(mine: Figure, theirs: Figure) -> bool:
    if isinstance(mine, Amount) and isinstance(theirs, Amount):
        return mine.may_equal(theirs)
    if isinstance(mine, Amount) or isinstance(theirs, Amount):
        return False
    return any(a.holds(b) or b.holds(a) for a in mine.readings for b in theirs.readings)


def _exclude(mine: Figure, theirs: Figure, *, one: Line, other: Line) -> bool:
    """Say whether two different figures can't both be true of one thing, and are told of one thing."""
    versions = _are_versions(one.passage, other.passage)
    same = versions or _is_one_sentence(one, other)
    lang = language_of(one.passage)
    if (one.first in speakers(lang) and not versions) or (one.first in pointers(lang) and not same):
        return False
    if isinstance(mine, Amount) and isinstance(theirs, Amount):
        numbered = _is_number_of(mine, one) or _is_number_of(theirs, other)
        counts = bool(mine.unit) or same or (one.content & other.content).total() >= _FEWEST_PLAIN
        return mine.is_comparable(theirs) and counts and not numbered
    if isinstance(mine, Amount) or isinstance(theirs, Amount):
        return False
    differ = mine.differs(theirs)
    scene = _sets_scene(mine, one) or _sets_scene(theirs, other)
    return differ and not (scene and not same) and not (_is_labelled(mine, one) or _is_labelled(theirs, other))


def _is_number_of(amount: Amount, line: Line) -> bool:
    """Say whether a number names something: "Section 5"."""
    return not amount.unit and _NUMBERED.search(line.segment.text[: amount.start]) is not None


def _sets_scene(date: FoundDate, line: Line) -> bool:
    return len(words(line.segment.text[: date.start])) < _SCENE


def _is_labelled(date: FoundDate, line: Line) -> bool:
    """Say whether a date is the value of a field ("Last updated: 3 May"), whose thing is named elsewhere."""
    return line.segment.text[: date.start].rstrip().endswith((":", "："))


def _is_one_sentence(one: Line, other: Line) -> bool:
    """Say whether two sentences are one but for a figure, and say enough for that to be no chance."""
    return one.tokens == other.tokens and len(one.content) + 3 * (len(one.figures) - 1) >= _LONG


def _are_versions(one: Passage, other: Passage) -> bool:
    """Say whether two passages are one text but for a few words."""
    mine, theirs = (_words_of(each.text, language_of(each)) for each in (one, other))
    most = max(mine.total(), theirs.total())
    return most >= _VERSION_WORDS and (mine & theirs).total() >= _VERSION_SHARE * most


@lru_cache(maxsize=64)
def _words_of(text: str, lang: str) -> Counter[str]:
    stops = stop_words(lang)
    return Counter(word for word in words(text) if word not in stops and not word.isdigit())
