"""What a citation marker looks like: the bracket forms that models write, read from text that may still be incomplete."""

import re
from dataclasses import dataclass
from enum import Enum

from pincite.answering.marker_content import Form, Ranges, could_be_content, read_content

MAX_MARKER_CHARS = 120
"""A bracket longer than this, in code points, is no marker; so no more than this is ever held back for one."""

MAX_ARRAY_CHARS = 200
"""A nested numeric array (`[[1, 2], [3, 4]]`) is looked at as one thing up to this length."""

CLOSERS = {"[": "]", "［": "］", "【": "】", "〔": "〕", "〖": "〗", "(": ")", "（": "）"}
"""Every bracket that can open a marker, with the one that closes it."""

PARENTHESES = frozenset("(（")


class Scan(Enum):
    """Outcomes of a scan that found no complete marker."""

    MORE = "more"
    NO = "no"


@dataclass(frozen=True, slots=True)
class Marker:
    """A complete marker: the offset behind it and its numbers as closed ranges `(low, high)`; none if no label of ours."""

    end: int
    ranges: Ranges
    form: Form

    @property
    def several(self) -> bool:
        """True if it names more than one number."""
        return len(self.ranges) > 1 or any(low != high for low, high in self.ranges)


@dataclass(frozen=True, slots=True)
class Literal:
    """A stretch that holds no marker although parts of it look like one; `end` is the offset behind it."""

    end: int


_CONTENT = re.compile(r"[^\[\]［］【】〔〕〖〗\n]*")
_IN_PARENTHESES = re.compile(r"[^\[\]［］【】〔〕〖〗()（）\n]*")
_MAX_DEPTH = 8
_DOUBLE = re.compile(r"\[ ?\[")
_ARRAY_OPENING = re.compile(rf"(?:\[ ?){{1,{_MAX_DEPTH}}}[-+.]?")
_ARRAY_START = re.compile(rf"(?:\[ ?){{2,{_MAX_DEPTH}}}[-+.]?\d")
_ARRAY = re.compile(r"[\[\]\d\s,;.+\-eE]*")


def scan(text: str, start: int, *, final: bool) -> Marker | Literal | Scan:
    """Return the marker whose bracket opens at `start`, `Scan.NO`, or `Scan.MORE` while the text could still become one.

    `final` says that nothing follows `text`. More text never changes an outcome other than `Scan.MORE`.
    """
    if _DOUBLE.match(text, start):
        return _scan_double(text, start, final=final)
    return _scan_single(text, start, final=final)


def _scan_single(text: str, start: int, *, final: bool) -> Marker | Scan:
    opener = text[start]
    pattern = _IN_PARENTHESES if opener in PARENTHESES else _CONTENT
    stop = min(len(text), start + MAX_MARKER_CHARS)
    match = pattern.match(text, start + 1, stop)
    end = match.end() if match else start + 1
    content = text[start + 1 : end]
    if end == stop:
        closed = final or end - start >= MAX_MARKER_CHARS
        return Scan.NO if closed or not could_be_content(content, parenthesis=opener in PARENTHESES) else Scan.MORE
    found = read_content(content, parenthesis=opener in PARENTHESES) if text[end] == CLOSERS[opener] else None
    return Marker(end + 1, found[1], found[0]) if found else Scan.NO


def _scan_double(text: str, start: int, *, final: bool) -> Marker | Literal | Scan:
    """Read `[[1]]`, and tell it from a nested array and from `[[1] says …]`."""
    opener = text.index("[", start + 1)
    inner = _scan_single(text, opener, final=final)
    if not isinstance(inner, Marker):
        return inner if inner is Scan.MORE else _scan_array(text, start, final=final)
    if inner.end == len(text) and not final:
        return Scan.MORE
    if text[inner.end : inner.end + 1] == "]":
        return Marker(inner.end + 1, inner.ranges, inner.form)
    return _scan_array(text, start, final=final)


def _scan_array(text: str, start: int, *, final: bool) -> Literal | Scan:
    """Read a nested array of numbers as one thing, `Scan.NO` if it is none."""
    if not _ARRAY_START.match(text, start):
        return Scan.MORE if _ARRAY_OPENING.fullmatch(text, start) and not final else Scan.NO
    stop = min(len(text), start + MAX_ARRAY_CHARS)
    match = _ARRAY.match(text, start, stop)
    run = text[start : match.end()] if match else ""
    end = _balanced(run)
    if end:
        return Literal(start + end)
    waiting = len(run) == len(text) - start and len(run) < MAX_ARRAY_CHARS and not final
    return Scan.MORE if waiting else Scan.NO


def _balanced(run: str) -> int:
    """Return the offset behind the bracket that closes the first one, 0 if there is none."""
    depth = 0
    for match in re.finditer(r"[\[\]]", run):
        depth += 1 if match.group() == "[" else -1
        if depth == 0:
            return match.end()
    return 0
