"""Where a line of Markdown is inside code, math, HTML or a link, followed character by character."""

import re

from pincite.answering.marker_follow import Follow, read_destination
from pincite.answering.marker_reading import Chain
from pincite.answering.protected_regions import Doubt, Ends, Kind, Region, code_region, is_prose, resolve_region

TAIL_CHARS = 128
"""So much of the line before a marker is kept to judge it by."""

_MAX_LINK_TEXT_CHARS = 160
_MAX_TAG_CHARS = 40
_MAX_BRACKETS = 32
_TAG_NAME = re.compile(r"/?[A-Za-z][A-Za-z0-9-]*")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{1,31}:")
_TAG_START = re.compile(r"(?:/?(?:[A-Za-z][A-Za-z0-9+.-]*)?/?|!-?)")
_BLOCK_ELEMENTS = frozenset(("pre", "script", "style", "textarea", "math", "svg"))
_INLINE_ELEMENTS = frozenset(("code", "kbd", "samp", "tt", "var", "a"))
_EDITORIAL = re.compile(r"(?:sic!?|[\W_]*|[12]\d{3}|\^.*)", re.IGNORECASE)
_BEGIN = re.compile(r"\\begin\{([A-Za-z]+\*?)\}$")
_BRACKETS = re.compile(r"\\.|[\[\]]|\n[ \t\r]*\n", re.DOTALL)


class Spans:
    """The inline state of one document; `step` moves it by one character."""

    def __init__(self) -> None:
        self.tail = ""
        self.region: Region | None = None
        self.chain = Chain.NONE
        self.escaped = False
        self.line_bound = False
        self._line_blank = True
        self._ticks = 0
        self._dollars = 0
        self._tag: str | None = None
        self._brackets: list[bool] = []

    @property
    def is_plain(self) -> bool:
        """True where nothing is open, and no run of marks is waiting for its end."""
        return self.region is None and self._tag is None and not (self.escaped or self._ticks or self._dollars)

    def step(self, char: str) -> None:
        """Move over one character that is no line feed."""
        self.settle(char)
        escaped, self.escaped = self.escaped, False
        if char != "]":
            chain, self.chain = self.chain, Chain.NONE
        else:
            chain = self.chain
        if self.region is None:
            self._outside(char, escaped, chain)
        else:
            self._inside(self.region, char, escaped)
        if not char.isspace():
            self._line_blank = False
        self._push(char)

    def run(self, text: str) -> None:
        """Move over characters that mean nothing outside of a stretch: no bracket, mark, backslash or line feed."""
        self.settle(text[0])
        if self.region is not None or self._tag is not None or self.escaped:
            for char in text:
                self.step(char)
            return
        self.chain = Chain.NONE
        self._line_blank = False
        self._push(text)

    def skip(self, marker: str) -> None:
        """Move over a marker that was read as a citation."""
        self._push(marker)
        self.escaped = self._line_blank = False
        self.chain = Chain.CITATION

    def settle(self, char: str) -> None:
        """Decide what the next character decides: runs of backticks and dollars that it ends, a tag that it breaks off."""
        if self._ticks and char != "`":
            self._end_ticks()
        if self._dollars and char != "$":
            self._end_dollars(char)
        if self._tag is not None and char in "[【［〔〖(（":
            self._tag = None

    def newline(self) -> bool:
        """Move over a line feed; return True if a stretch goes on into the next line, whatever that begins with."""
        self.settle("\n")
        region = self.region
        if region and (region.ends is Ends.LINE or (region.ends is Ends.BLANK_LINE and self._line_blank)):
            self.region = None
        self._tag, self.escaped, self.chain, self.tail, self._line_blank = None, False, Chain.NONE, "", True
        return self.region is not None and self.region.ends >= Ends.BLANK_LINE

    def break_block(self) -> None:
        """End whatever cannot leave a paragraph."""
        self._brackets.clear()
        if self.region and self.region.ends <= Ends.BLOCK:
            self.region = None

    def resolve(self, text: str, pos: int, *, final: bool) -> Doubt:
        """Return whether the marker at `pos` is inside a stretch or a link text; `FREE` also forgets what was open."""
        region = self.region
        if region and region.kind is Kind.TAG and not region.quote and not self.tail[-1:].strip():
            region = self.region = None
        if region:
            doubt = resolve_region(region, text, pos, final=final)
            if doubt is not Doubt.FREE:
                region.certain = doubt is Doubt.PROTECTED
                return doubt
            self.region = None
        return self._resolve_link(text, pos, final=final) if self._brackets else Doubt.FREE

    def _resolve_link(self, text: str, pos: int, *, final: bool) -> Doubt:
        """Look for the end of the bracket around a marker: `[see [1]](address)` is a link."""
        window = text[pos : pos + _MAX_LINK_TEXT_CHARS]
        closing = _closing(window)
        doubt = Doubt.FREE
        if closing is None:
            doubt = Doubt.FREE if final or len(window) == _MAX_LINK_TEXT_CHARS else Doubt.MORE
        elif closing >= 0 and pos + closing + 1 >= len(text):
            doubt = Doubt.FREE if final else Doubt.MORE
        elif closing >= 0 and text[pos + closing + 1] == "(":
            follow = read_destination(text, pos + closing + 1, final=final)
            doubt = {Follow.LINK: Doubt.PROTECTED, Follow.MORE: Doubt.MORE}.get(follow, Doubt.FREE)
        if doubt is Doubt.FREE:
            self._brackets.clear()
        return doubt

    def _push(self, text: str) -> None:
        self.tail = (self.tail + text)[-TAIL_CHARS:]

    def _open(self, kind: Kind, ends: Ends, *, certain: bool = False) -> Region:
        self.region = Region(kind, min(ends, Ends.LINE) if self.line_bound and ends is Ends.BLOCK else ends, certain)
        return self.region

    def open_code(self, ticks: int) -> None:
        """Open a code span whose run of backticks has just ended."""
        self.region = code_region(ticks, ends=Ends.LINE if self.line_bound else Ends.BLOCK)

    def _end_ticks(self) -> None:
        ticks, self._ticks = self._ticks, 0
        if self.region is None:
            self.open_code(ticks)
        elif self.region.kind is Kind.CODE and self.region.count == ticks:
            self.region = None

    def _end_dollars(self, following: str) -> None:
        dollars, self._dollars = self._dollars, 0
        before = self.tail[-1 - dollars : -dollars]
        kind = self.region.kind if self.region else None
        if kind is None and dollars == 1 and not following.isspace() and not before.isalnum():
            self._open(Kind.DOLLAR, Ends.LINE)
        elif kind is None and dollars == 2:
            self._open(Kind.DISPLAY, Ends.BLANK_LINE)
        elif dollars > 1 or (kind is Kind.DOLLAR and not (before.isspace() or following.isdecimal())):
            self.region = None

    def _outside(self, char: str, escaped: bool, chain: Chain) -> None:
        if escaped:
            self._escape(char)
        elif self._tag is not None:
            self._in_tag_start(char)
        elif char == "(" and chain in (Chain.TEXT, Chain.EDITORIAL):
            self._open(Kind.DESTINATION, Ends.LINE, certain=True).count = 1
        elif char == "[":
            self._brackets = [*self._brackets[1 - _MAX_BRACKETS :], self._is_glued(chain)]
        elif char == "]":
            self.chain = self._close_bracket()
        else:
            self._sign(char)

    def _sign(self, char: str) -> None:
        self.escaped = char == "\\"
        self._ticks += char == "`"
        self._dollars += char == "$"
        if char == "<":
            self._tag = ""
        elif char == "}" and (begin := _BEGIN.search(self.tail + char)):
            self._open(Kind.ENVIRONMENT, Ends.NEVER, certain=True).name = begin.group(1)

    def _escape(self, char: str) -> None:
        if char == "[":
            self._open(Kind.BRACKET_MATH, Ends.BLANK_LINE)
        elif char == "(":
            self._open(Kind.PAREN_MATH, Ends.BLOCK)

    def _is_glued(self, chain: Chain) -> bool:
        last = self.tail[-1:]
        return last.isalnum() or last in ("_", ")") or (last == "]" and chain is not Chain.CITATION)

    def _close_bracket(self) -> Chain:
        if not self._brackets:
            return Chain.NONE
        glued = self._brackets.pop()
        content = self.tail[self.tail.rfind("[") + 1 :]
        if glued:
            return Chain.INDEX
        return Chain.EDITORIAL if _EDITORIAL.fullmatch(content) else Chain.TEXT

    def _in_tag_start(self, char: str) -> None:
        """Follow the characters behind `<` until they are a tag, an autolink or a comment, or none of them."""
        tag = (self._tag or "") + char
        self._tag = None
        if tag == "!--":
            self._open(Kind.COMMENT, Ends.NEVER, certain=True)
        elif char == ">" and _TAG_NAME.fullmatch(tag.rstrip(">/")):
            self._end_tag(tag[:-1])
        elif char.isspace() and _TAG_NAME.fullmatch(tag[:-1]):
            self._open(Kind.TAG, Ends.BLOCK).name = tag[:-1]
        elif _SCHEME.fullmatch(tag):
            self._open(Kind.AUTOLINK, Ends.LINE, certain=True)
        elif len(tag) <= _MAX_TAG_CHARS and _TAG_START.fullmatch(tag):
            self._tag = tag
        else:
            self._outside(char, False, Chain.NONE)

    def _end_tag(self, name: str) -> None:
        self.region = None
        name = name.lower()
        if name in _BLOCK_ELEMENTS:
            self._open(Kind.ELEMENT, Ends.NEVER, certain=True).name = name
        elif name in _INLINE_ELEMENTS:
            self._open(Kind.ELEMENT, Ends.BLOCK, certain=True).name = name

    def _inside(self, region: Region, char: str, escaped: bool) -> None:
        match region.kind:
            case Kind.CODE:
                self._ticks += char == "`"
            case Kind.DOLLAR | Kind.DISPLAY:
                self._inside_dollars(region, char, escaped)
            case Kind.BRACKET_MATH | Kind.PAREN_MATH:
                self._inside_escapes(region, char, escaped)
            case Kind.TAG:
                self._inside_tag(region, char)
            case Kind.DESTINATION | Kind.GAP | Kind.TITLE:
                self._inside_link(region, char, escaped)
            case Kind.ENVIRONMENT | Kind.ELEMENT | Kind.COMMENT | Kind.AUTOLINK:
                self._inside_named(region, char)

    def _inside_dollars(self, region: Region, char: str, escaped: bool) -> None:
        if char == "\\":
            self.escaped = not escaped
        if char == "$" and not escaped:
            self._dollars += 1
        elif region.kind is Kind.DOLLAR and not region.certain and len(region.content) < _MAX_LINK_TEXT_CHARS:
            region.content += char
            if is_prose(region.content):
                self.region = None
                self._ticks += char == "`"

    def _inside_escapes(self, region: Region, char: str, escaped: bool) -> None:
        self.escaped = char == "\\" and not escaped
        if escaped and char == ("]" if region.kind is Kind.BRACKET_MATH else ")"):
            self.region = None

    def _inside_tag(self, region: Region, char: str) -> None:
        if region.quote:
            region.quote = "" if char == region.quote else region.quote
        elif char in "\"'" and self.tail.rstrip().endswith("="):
            region.quote = char
        elif char == ">":
            self._end_tag(region.name + ("/" if self.tail.endswith("/") else ""))
        elif char == "<":
            self.region, self._tag = None, ""

    def _inside_link(self, region: Region, char: str, escaped: bool) -> None:
        self.escaped = char == "\\" and not escaped
        if region.kind is Kind.TITLE:
            self.region = None if char == region.quote and not escaped else region
        elif region.kind is Kind.GAP and not char.isspace():
            self._end_gap(char)
        elif char.isspace():
            region.kind = Kind.GAP
        elif char in "()" and not escaped:
            region.count += 1 if char == "(" else -1
            self.region = region if region.count else None

    def _end_gap(self, char: str) -> None:
        self.region = None
        if char in "\"'":
            self._open(Kind.TITLE, Ends.BLOCK).quote = char
        else:
            self._outside(char, False, Chain.NONE)

    def _inside_named(self, region: Region, char: str) -> None:
        text = self.tail + char
        ended = {
            Kind.ENVIRONMENT: char == "}" and text.endswith(f"\\end{{{region.name}}}"),
            Kind.ELEMENT: char == ">" and bool(re.search(rf"</{region.name}\s*>$", text, re.IGNORECASE)),
            Kind.COMMENT: char == ">" and text.endswith("-->"),
            Kind.AUTOLINK: char == ">" or char.isspace(),
        }
        if ended[region.kind]:
            self.region = None


def _closing(window: str) -> int | None:
    """Return the offset of the bracket that closes around a window, -1 if a blank line comes first, None if neither is seen."""
    depth = 1
    for match in _BRACKETS.finditer(window):
        sign = match.group()
        if sign[0] == "\n":
            return -1
        depth += (sign == "[") - (sign == "]")
        if depth == 0:
            return match.start()
    return None
