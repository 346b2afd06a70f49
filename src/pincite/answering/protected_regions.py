"""The inline stretches of Markdown in which brackets are no citations, and where each of them ends."""

import re
from dataclasses import dataclass
from enum import Enum, IntEnum

MAX_DOUBT_CHARS = 400
"""From a marker in a stretch whose end is not yet seen, at most this many code points are held back to look for it."""

_MAX_MATH_CHARS = 160
_MAX_TICKS = 64


class Kind(Enum):
    """What a stretch is."""

    CODE = "code"
    DOLLAR = "dollar"
    DISPLAY = "display"
    BRACKET_MATH = "bracket_math"
    PAREN_MATH = "paren_math"
    ENVIRONMENT = "environment"
    TAG = "tag"
    ELEMENT = "element"
    COMMENT = "comment"
    AUTOLINK = "autolink"
    DESTINATION = "destination"
    GAP = "gap"
    TITLE = "title"


class Ends(IntEnum):
    """How far a stretch can reach when its end never comes."""

    LINE = 0
    BLOCK = 1
    BLANK_LINE = 2
    NEVER = 3


class Doubt(Enum):
    """What is known about an opened stretch at a marker."""

    MORE = "more"
    PROTECTED = "protected"
    FREE = "free"


@dataclass(slots=True)
class Region:
    """One opened stretch; `certain` when its content is protected whether or not its end comes."""

    kind: Kind
    ends: Ends
    certain: bool = False
    count: int = 0
    name: str = ""
    quote: str = ""
    content: str = ""


_STOPS = {
    Ends.LINE: re.compile(r"\n"),
    Ends.BLOCK: re.compile(r"\n[ \t]*(?:\r?\n|[-*+][ \t]|\d{1,9}[.)][ \t]|#{1,6}[ \t]|```|~~~)"),
    Ends.BLANK_LINE: re.compile(r"\n[ \t\r]*\n"),
}
_DOLLAR_END = re.compile(r"(?<![\s\\$])\$(?![\d$])")
_PROSE = re.compile(r"(?<![\\{A-Za-z])[A-Za-z]{3,} +[A-Za-z]{3,}|`|\n|\$\$")
_AMOUNT = re.compile(r"\d[\d.,]*(?P<blank>\s*)(?P<next>.)", re.DOTALL)
_MATH_SIGNS = frozenset("^_\\=+*{}<>×·≤≥≠≈∈|!$")
_TAG_STOP = re.compile(r"<|\n[ \t\r]*\n")
_ENDS = {
    Kind.DISPLAY: re.compile(r"\$\$"),
    Kind.BRACKET_MATH: re.compile(r"(?<!\\)\\\]"),
    Kind.PAREN_MATH: re.compile(r"(?<!\\)\\\)"),
    Kind.TAG: re.compile(r">"),
}


def resolve_region(region: Region, text: str, pos: int, *, final: bool) -> Doubt:
    """Return whether the marker at `pos` is inside the opened stretch: its end comes before whatever would break it off."""
    limit = _MAX_MATH_CHARS if region.kind is Kind.DOLLAR else MAX_DOUBT_CHARS
    window = text[pos : pos + limit]
    at_end = final and pos + limit >= len(text)
    end = _first_end(region, window, complete=at_end or len(window) == limit)
    stop = _first_stop(region, window)
    if stop is not None and (end is None or stop < end):
        return Doubt.FREE
    if end is not None:
        return Doubt.PROTECTED
    if at_end:
        return Doubt.FREE
    if len(window) < limit:
        return Doubt.MORE
    return Doubt.FREE if region.kind in (Kind.DOLLAR, Kind.TAG, Kind.TITLE) else Doubt.PROTECTED


def _first_end(region: Region, window: str, *, complete: bool) -> int | None:
    match = _end_pattern(region).search(window)
    if match is None:
        return None
    open_ended = match.end() == len(window) and region.kind in (Kind.CODE, Kind.DOLLAR) and not complete
    return None if open_ended else match.start()


def _end_pattern(region: Region) -> re.Pattern[str]:
    if region.kind is Kind.CODE:
        return re.compile(rf"(?<!`)`{{{region.count}}}(?!`)")
    if region.kind is Kind.DOLLAR:
        return _DOLLAR_END
    if region.kind is Kind.TITLE:
        return re.compile(rf"{region.quote}\s*\)")
    if region.kind is Kind.TAG and region.quote:
        return re.compile(rf"{region.quote}[^<>]*>")
    return _ENDS[region.kind]


def _first_stop(region: Region, window: str) -> int | None:
    match = _STOPS[region.ends].search(window) if region.ends is not Ends.NEVER else None
    extra = {Kind.DOLLAR: _PROSE, Kind.TAG: _TAG_STOP}.get(region.kind)
    other = extra.search(window) if extra else None
    return min((found.start() for found in (match, other) if found), default=None)


def code_region(ticks: int, *, ends: Ends) -> Region:
    """Return a code span opened by so many backticks; a very long run is taken for code without looking for its end."""
    return Region(Kind.CODE, ends, certain=ticks > _MAX_TICKS, count=ticks)


def is_prose(content: str) -> bool:
    """Return whether the text behind a single dollar shows that the dollar is money, not the start of a formula."""
    amount = _AMOUNT.match(content)
    if amount:
        return amount["next"] not in _MATH_SIGNS
    return bool(_PROSE.search(content))
