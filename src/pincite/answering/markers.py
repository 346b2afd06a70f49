"""Citation marks in a stream of text: what the model wrote as labels becomes the surface's labels, and nothing else changes."""

import codecs
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from enum import Enum

from pincite.answering.marker_content import Form
from pincite.answering.marker_grammar import CLOSERS, PARENTHESES, Literal, Marker, Scan, scan
from pincite.answering.marker_reading import Chain, Reading, read
from pincite.answering.marker_words import JOINER_WORDS
from pincite.answering.prompts import numeric_label
from pincite.answering.protected_blocks import MarkdownState
from pincite.answering.protected_regions import Doubt

_BLANKS = " \t\u00a0\u202f\u3000"
_MAX_BLANKS = 8
_FIRST_QUANTITY = 1000
"""Bare numbers from here on are years and quantities unless they were issued."""

_WORDS = re.compile(r"[^\s\\`$<>\[\](){}\"'~［］【】〔〕〖〗（）]*(?: [^\s\\`$<>\[\](){}\"'~［］【】〔〕〖〗（）]+)*")
"""Words with one space between, and nothing that could open or close anything: the bulk of every reply."""
_STOPS = _BLANKS + re.escape("".join(CLOSERS))
_PLAIN = re.compile(rf"(?:[^{_STOPS}]|[{_BLANKS}]+(?=[^{_STOPS}]))+")
_PROTECTED = re.compile(r"\w+|.", re.DOTALL)
_GAP = rf"[{_BLANKS}]{{0,2}}"
_JOINERS = sorted(JOINER_WORDS, key=len, reverse=True)
_JOINER_STARTS = sorted({word[:length] for word in _JOINERS for length in range(1, len(word) + 1)})
_STOP = rf"[,;、，；،؛&/·]{_GAP}"
_SEPARATOR = re.compile(rf"[-–—]|{_GAP}(?:{_STOP})?(?:(?:{'|'.join(_JOINERS)}){_GAP})?")
_SEPARATOR_START = re.compile(rf"[-–—]|{_GAP}(?:{_STOP})?(?:(?:{'|'.join(_JOINERS)}){_GAP}|{'|'.join(_JOINER_STARTS)})?")
_MAX_SEPARATOR = 16
_KEEPS_BLANK = re.compile(r"[\w(\[{（［【“‘«„#@$`~+]")


@dataclass(frozen=True, slots=True)
class Mark:
    """A label in emitted text: its number, and the code points `[position, end)` that it takes there."""

    n: int
    position: int
    end: int


class _Swallow(Enum):
    """What is dropped behind a dropped marker that opened its line."""

    NOTHING = 0
    BLANKS = 1
    LINE_END = 2


@dataclass(slots=True)
class _Cluster:
    """Markers in a row with nothing but separators between them, while the next characters may bring another one."""

    lead: str
    kept: bool
    swallow: _Swallow


class MarkerTransducer:
    """Turns a stream of text, cut anywhere, into text with the surface's labels, and records where they are.

    A label that was not issued is dropped with the blanks before it (behind it where it opens a line or a bracket). Held back
    is only what could still become a marker, with the blanks before it: at most `MAX_MARKER_CHARS` for the marker and
    `MAX_DOUBT_CHARS` to see whether code, math or a link opened before it ends. Emitted text and marks are the same however
    the input is cut.
    """

    def __init__(self, issued: Collection[int], *, label: Callable[[int], str] = numeric_label) -> None:
        self._issued = tuple(sorted(set(issued)))
        self._label = label
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._state = MarkdownState()
        self._held = ""
        self._lead = ""
        self._cluster: _Cluster | None = None
        self._swallow = _Swallow.NOTHING
        self._out: list[str] = []
        self._emitted = 0
        self._marks: list[Mark] = []

    @property
    def marks(self) -> Sequence[Mark]:
        """The labels written so far, in order."""
        return tuple(self._marks)

    def feed(self, piece: str) -> str:
        """Return the text that the piece makes safe to show."""
        if self._is_between_words and _WORDS.fullmatch(piece):
            return self._pass_words(piece)
        return self._run(self._held + piece, final=False)

    def feed_bytes(self, piece: bytes) -> str:
        """Return the text that the bytes make safe to show; UTF-8 cut anywhere, bad bytes become U+FFFD."""
        return self.feed(self._decoder.decode(piece))

    def finish(self) -> str:
        """Return what was held back; nothing is fed after it."""
        return self._run(self._held + self._decoder.decode(b"", final=True), final=True)

    @property
    def _is_between_words(self) -> bool:
        """Say whether plain words would go through as they are: nothing is held but blanks, and nothing is open."""
        return not self._held and self._cluster is None and self._swallow is _Swallow.NOTHING and self._state.is_plain

    def _pass_words(self, piece: str) -> str:
        if not piece:
            return ""
        self._state.run(piece)
        text, self._lead = self._lead + piece, ""
        self._emitted += len(text)
        return text

    def _run(self, text: str, *, final: bool) -> str:
        pos = 0
        while (following := self._advance(text, pos, final=final)) is not None:
            pos = following
        self._held = text[pos:]
        if final:
            self._flush()
        written, self._out = "".join(self._out), []
        return written

    def _advance(self, text: str, pos: int, *, final: bool) -> int | None:
        """Do one step and return the offset behind it, None if it needs more text."""
        if self._cluster is not None:
            return self._continue_cluster(self._cluster, text, pos, final=final)
        if pos >= len(text):
            return None
        char = text[pos]
        if char in _BLANKS and not self._state.certain:
            return self._take_blank(text, pos)
        if not char.isspace():
            self._state.settle(char)
        if self._state.certain:
            return self._pass(text, pos, _PROTECTED)
        if char in CLOSERS and not self._state.spans.escaped:
            return self._take_bracket(text, pos, final=final)
        return self._pass_line_end(text, pos) if char in "\r\n" else self._pass(text, pos, _PLAIN)

    def _write(self, text: str) -> None:
        self._out.append(text)
        self._emitted += len(text)

    def _flush(self) -> None:
        lead, self._lead, self._swallow = self._lead, "", _Swallow.NOTHING
        self._write(lead)

    def _pass(self, text: str, pos: int, pattern: re.Pattern[str]) -> int:
        match = pattern.match(text, pos)
        return self._pass_to(text, pos, match.end() if match else pos + 1)

    def _pass_to(self, text: str, pos: int, end: int) -> int:
        self._flush()
        self._write(text[pos:end])
        self._state.advance(text[pos:end])
        return end

    def _pass_line_end(self, text: str, pos: int) -> int:
        if self._swallow is not _Swallow.LINE_END:
            return self._pass_to(text, pos, pos + 1)
        self._state.advance(text[pos])
        if text[pos] == "\n":
            self._swallow = _Swallow.NOTHING
        return pos + 1

    def _take_blank(self, text: str, pos: int) -> int:
        self._state.advance(text[pos])
        if self._swallow is _Swallow.NOTHING:
            self._lead += text[pos]
        if len(self._lead) > _MAX_BLANKS:
            self._write(self._lead[0])
            self._lead = self._lead[1:]
        return pos + 1

    def _take_bracket(self, text: str, pos: int, *, final: bool) -> int | None:
        if text[pos] in PARENTHESES:
            following = text[pos + 1 : pos + 2]
            if not following and not final:
                return None
            if following and following in CLOSERS and following not in PARENTHESES:
                return self._take_parenthesis(text, pos)
        found = scan(text, pos, final=final)
        if not isinstance(found, Marker):
            return self._take_other(found, text, pos)
        spans = self._state.spans
        reading = self._judge(text, pos, found, before=spans.tail, chain=spans.chain, final=final)
        if reading is Reading.CITATION:
            reading = _DOUBTS[spans.resolve(text, pos, final=final)]
        match reading:
            case Reading.MORE:
                return None
            case Reading.CITATION:
                return self._open_cluster(text, pos, found)
            case _:
                return self._pass_to(text, pos, found.end)

    def _take_parenthesis(self, text: str, pos: int) -> int:
        """Hold a parenthesis whose first content may be a marker: one around nothing but dropped labels goes with them."""
        self._swallow = _Swallow.NOTHING
        self._lead += text[pos]
        self._state.advance(text[pos])
        return pos + 1

    def _take_other(self, found: Literal | Scan, text: str, pos: int) -> int | None:
        if found is Scan.MORE:
            return None
        return self._pass_to(text, pos, found.end if isinstance(found, Literal) else pos + 1)

    def _judge(self, text: str, pos: int, found: Marker, *, before: str, chain: Chain, final: bool) -> Reading:
        if found.form is Form.BARE and any(high >= _FIRST_QUANTITY for _, high in found.ranges) and not self._all_issued(found):
            return Reading.TEXT
        opens = self._state.line_start and not before.strip()
        reading = read(text, pos, found, before=before, chain=chain, line_start=opens, final=final)
        if reading is Reading.EITHER:
            return Reading.CITATION if self._all_issued(found) else Reading.TEXT
        return reading

    def _numbers(self, found: Marker) -> list[int]:
        """Return the issued numbers of a marker in its order, each once."""
        numbers = [n for low, high in found.ranges for n in self._issued if low <= n <= high]
        return list(dict.fromkeys(numbers))

    def _all_issued(self, found: Marker) -> bool:
        named = sum(high - low + 1 for low, high in found.ranges)
        return named == sum(low <= n <= high for low, high in found.ranges for n in self._issued)

    def _write_labels(self, numbers: Sequence[int]) -> None:
        for n in numbers:
            label = self._label(n)
            self._marks.append(Mark(n, self._emitted, self._emitted + len(label)))
            self._write(label)

    def _open_cluster(self, text: str, pos: int, found: Marker) -> int:
        numbers = self._numbers(found)
        lead, self._lead = self._lead, ""
        self._cluster = _Cluster(lead, bool(numbers), self._swallows(lead))
        self._swallow = _Swallow.NOTHING
        if numbers:
            self._write(lead)
            self._write_labels(numbers)
        self._state.skip(text[pos : found.end])
        return found.end

    def _swallows(self, lead: str) -> _Swallow:
        """Return what goes with a marker dropped here if it opens its line, where no blank before it can go."""
        if self._state.body.removesuffix(lead).strip():
            return _Swallow.NOTHING
        return _Swallow.BLANKS if self._state.in_container else _Swallow.LINE_END

    def _continue_cluster(self, cluster: _Cluster, text: str, pos: int, *, final: bool) -> int | None:
        """Join the next marker to those before it, or end the row."""
        match = _SEPARATOR.match(text, pos)
        end = match.end() if match else pos
        if text[end : end + 1] in CLOSERS and text[end] not in PARENTHESES:
            reading, found = self._judge_next(text, pos, end, final=final)
            if reading is Reading.MORE:
                return None
            if reading is Reading.CITATION and found is not None:
                return self._join(cluster, text, pos, end, found)
        elif not final and _SEPARATOR_START.fullmatch(text[pos : pos + _MAX_SEPARATOR]):
            return None
        self._cluster = None
        return pos if cluster.kept else self._drop(cluster, text, pos, final=final)

    def _judge_next(self, text: str, pos: int, start: int, *, final: bool) -> tuple[Reading, Marker | None]:
        found = scan(text, start, final=final)
        if not isinstance(found, Marker):
            return (Reading.MORE if found is Scan.MORE else Reading.TEXT), None
        before = self._state.spans.tail + text[pos:start]
        chain = Chain.CITATION if pos == start else Chain.NONE
        return self._judge(text, start, found, before=before, chain=chain, final=final), found

    def _join(self, cluster: _Cluster, text: str, pos: int, start: int, found: Marker) -> int:
        separator = text[pos:start]
        numbers = self._numbers(found)
        self._state.advance(separator)
        self._state.settle(text[start])
        self._state.skip(text[start : found.end])
        if numbers:
            own = separator if separator.strip() == "" else ""
            self._write(separator if cluster.kept else cluster.lead or ("" if cluster.swallow is not _Swallow.NOTHING else own))
            self._write_labels(numbers)
            cluster.kept = True
        return found.end

    def _drop(self, cluster: _Cluster, text: str, pos: int, *, final: bool) -> int:
        """Drop a row without issued labels, with the blanks before it unless a word follows, and a parenthesis left empty."""
        following = text[pos : pos + 1]
        opener = cluster.lead[-1:]
        if opener and opener in PARENTHESES and following == CLOSERS[opener]:
            self._state.advance(following)
            self._cluster = _Cluster(cluster.lead[:-1], False, cluster.swallow)
            return pos + 1
        self._swallow = _Swallow.BLANKS if opener and opener in PARENTHESES else cluster.swallow
        if self._swallow is not _Swallow.NOTHING or (following and _KEEPS_BLANK.match(following)):
            self._write(cluster.lead)
        return pos


_DOUBTS = {Doubt.MORE: Reading.MORE, Doubt.PROTECTED: Reading.TEXT, Doubt.FREE: Reading.CITATION}
