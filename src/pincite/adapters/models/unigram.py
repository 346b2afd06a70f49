"""A Unigram tokenizer (Kudo 2018, arXiv:1804.10959): the split of each word whose pieces have the highest sum of log probabilities.

The 250,000 pieces stay on disk, sorted, and move into a dictionary when a text first has their first two characters. So opening
costs nothing, and memory grows with the scripts that are met (up to about 55 MB) instead of starting at that.
"""

import unicodedata
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise

WORD_MARK = "\u2581"
"""Stands for the blank before a word (SentencePiece)."""

UNKNOWN_PENALTY = 10.0
CACHED_WORDS = 50_000
CACHED_WORD_CHARACTERS = 48
CACHED_HEADS = 50_000
FIRST_IDEOGRAPH = "\u2e80"
COMPOSED_CHARACTERS = 1000
MARKED_PIECES = 64
NOWHERE = -1e30


@dataclass(frozen=True)
class PieceTable:
    """The pieces that text can have, control pieces left out, sorted by their UTF-8 bytes, each followed by a line feed.

    Piece number `n` of the order starts at byte `offsets[n]` of `text` and has the id `ids[n]`; `scores` goes by id. No piece is
    longer than `longest` characters, none holds a line feed. `lowest_score` is the least likely piece's.
    """

    text: memoryview
    offsets: Sequence[int]
    ids: Sequence[int]
    scores: Sequence[float]
    longest: int
    lowest_score: float

    def starting_with(self, head: str) -> dict[str, int]:
        """Return the pieces that start with `head`, and their ids."""
        key = head.encode(errors="surrogatepass")
        return self._between(self._number(key), self._number(key + b"\xff"))

    def equal_to(self, piece: str) -> dict[str, int]:
        """Return a piece and its id, or nothing when it is none."""
        first = self._number(piece.encode(errors="surrogatepass"))
        found = self._between(first, min(first + 1, len(self.ids)))
        return found if piece in found else {}

    def _number(self, key: bytes) -> int:
        """Return how many pieces come before a key."""
        place = bisect_left(self._marks, key) * MARKED_PIECES
        low, high = max(0, place - MARKED_PIECES), min(place, len(self.ids))
        return bisect_left(range(len(self.ids)), key, lo=low, hi=high, key=self._piece)

    @cached_property
    def _marks(self) -> list[bytes]:
        """Every so many pieces one, to look among these first: comparing the pieces on disk is slow."""
        return [self._piece(number) for number in range(0, len(self.ids), MARKED_PIECES)]

    def _piece(self, number: int) -> bytes:
        return bytes(self.text[self.offsets[number] : self.offsets[number + 1] - 1])

    def _between(self, first: int, end: int) -> dict[str, int]:
        text = str(self.text[self.offsets[first] : self.offsets[end]], "utf-8")
        return dict(zip(text.split("\n"), self.ids[first:end], strict=False))


def sort_pieces(pieces: Sequence[bytes], scores: Sequence[float], *, control: frozenset[int]) -> PieceTable:
    """Build the table of pieces given by id. Those of `control` never come from text: a `<s>` that a user writes is plain text."""
    order = sorted(set(range(len(pieces))) - control, key=pieces.__getitem__)
    ordered = [pieces[number] for number in order]
    offsets = array("I", accumulate([len(piece) + 1 for piece in ordered], initial=0))
    return PieceTable(
        text=memoryview(b"\n".join([*ordered, b""])),
        offsets=offsets,
        ids=array("I", order),
        scores=array("f", scores),
        longest=max(map(len, ordered)),
        lowest_score=min(scores),
    )


class _Splits(dict[str, tuple[int, ...]]):
    """The splits of short words; what is missing is made. Threads may share one: it is emptied when full, never trimmed."""

    def __init__(self, split: Callable[[str], tuple[int, ...]]) -> None:
        super().__init__()
        self._split = split

    def __missing__(self, word: str) -> tuple[int, ...]:
        found = self._split(WORD_MARK + word) if word else ()
        if len(word) < CACHED_WORD_CHARACTERS:
            if len(self) > CACHED_WORDS:
                self.clear()
            self[word] = found
        return found


class UnigramTokenizer:
    """Turns text into ids, without special tokens. Threads may share one.

    `characters` maps code points to what stands for them (an empty string drops one); it is applied after NFC.
    """

    def __init__(self, table: PieceTable, *, characters: Mapping[int, str], unknown_id: int) -> None:
        self._table = table
        self._characters = {0: "", **characters}
        self._unknown_id = unknown_id
        self._unknown_score = table.lowest_score - UNKNOWN_PENALTY
        self._scores = array("f", table.scores)
        self._ids: dict[str, int] = {}
        self._lengths: dict[str, tuple[int, ...]] = {}
        self._splits = _Splits(self._best_split)

    def encode(self, text: str, *, limit: int) -> list[int]:
        """Return the first `limit` ids of a text, in time linear in the text."""
        found: list[int] = []
        for word in self._words(text):
            # What lies behind that many characters can't be among the first ids: don't look at the rest of an endless word.
            found += self._splits[word[: (limit - len(found) + 1) * self._table.longest - len(WORD_MARK)]]
            if len(found) >= limit:
                break
        return found[:limit]

    def count(self, text: str) -> int:
        """Return how many ids a text has, in time linear in the text."""
        return sum(map(len, map(self._splits.__getitem__, self._words(text))))

    def _words(self, text: str) -> list[str]:
        return composed(text).translate(self._characters).split(" ")

    def _best_split(self, word: str) -> tuple[int, ...]:
        size, ids, scores, lengths_of = len(word), self._ids, self._scores, self._lengths.get
        best, last, start = [NOWHERE] * (size + 1), [self._unknown_id] * (size + 1), [0] * (size + 1)
        best[0] = 0.0
        for begin in range(size):
            here, head = best[begin], word[begin : begin + 2]
            for length in lengths_of(head) or self._lengths_of(head):
                end = begin + length
                if end > size:
                    break
                piece = ids.get(word[begin:end])
                if piece is not None and (score := here + scores[piece]) > best[end]:
                    best[end], last[end], start[end] = score, piece, begin
            if here + self._unknown_score > best[begin + 1]:
                best[begin + 1], last[begin + 1], start[begin + 1] = here + self._unknown_score, self._unknown_id, begin
        return _trace_back(last, start)

    def _lengths_of(self, head: str) -> tuple[int, ...]:
        """Return the lengths, rising, of the pieces that start with these two characters or are the first of them."""
        if head >= FIRST_IDEOGRAPH:
            # There are few pieces for each of these, but no end of pairs.
            head = head[0]
        lengths = self._lengths.get(head)
        return self._load(head) if lengths is None else lengths

    def _load(self, head: str) -> tuple[int, ...]:
        found = self._table.equal_to(head[0])
        if len(head) > 1 or head >= FIRST_IDEOGRAPH:
            found |= self._table.starting_with(head)
        self._ids.update(found)
        lengths = tuple(sorted(set(map(len, found))))
        if len(self._lengths) >= CACHED_HEADS:
            self._lengths.clear()
        self._lengths[head] = lengths
        return lengths


def composed(text: str) -> str:
    """Return a text in NFC, in linear time: sorting a run of accents takes the square of its length, so runs are divided."""
    if text.isascii():
        return text
    if len(text) <= COMPOSED_CHARACTERS:
        return unicodedata.normalize("NFC", text)
    return "".join(unicodedata.normalize("NFC", text[start:end]) for start, end in pairwise(_cuts(text)))


def _cuts(text: str) -> Iterator[int]:
    """Yield offsets from 0 to the end, at most `COMPOSED_CHARACTERS` apart: at blanks or before a character that is no accent."""
    start = 0
    while start + COMPOSED_CHARACTERS < len(text):
        yield start
        end = start + COMPOSED_CHARACTERS
        blank = text.rfind(" ", start + 1, end)
        while blank < 0 and end > start + COMPOSED_CHARACTERS // 2 and unicodedata.combining(text[end]):
            end -= 1
        start = blank if blank > 0 else end
    yield start
    yield len(text)


def _trace_back(last: Sequence[int], start: Sequence[int]) -> tuple[int, ...]:
    found: list[int] = []
    end = len(last) - 1
    while end > 0:
        found.append(last[end])
        end = start[end]
    return tuple(reversed(found))
