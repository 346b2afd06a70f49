"""Rich Text Format (RTF 1.9.1) as a stream of text, ends of paragraphs, cells and rows. Nesting is counted, never recursed."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum

from pincite.adapters.parsers.charsets import decode_declared
from pincite.core.errors import RefusedInput

_TOKEN = re.compile(
    rb"\\(?P<word>[a-zA-Z]{1,32})(?P<number>-?\d{1,10})? ?|\\'(?P<hex>[0-9a-fA-F]{2})|\\(?P<sign>[^a-zA-Z])|(?P<brace>[{}])"
    rb"|(?P<text>[^\\{}\r\n]+)",
    re.DOTALL,
)
_SKIPPED = frozenset(
    (
        *(b"fonttbl", b"colortbl", b"stylesheet", b"info", b"pict", b"object", b"header", b"headerl", b"headerr", b"headerf"),
        *(
            b"footer",
            b"footerl",
            b"footerr",
            b"footerf",
            b"listtable",
            b"listoverridetable",
            b"fldinst",
            b"nonshppict",
            b"xe",
            b"tc",
        ),
        *(b"themedata", b"colorschememapping", b"datastore", b"latentstyles", b"generator", b"rsidtbl", b"pgdsctbl", b"template"),
    )
)
_READ_ANYWAY = frozenset((b"shpinst", b"shptxt", b"footnote", b"fldrslt", b"htmltag"))
_LETTERS = {
    b"emdash": "—",
    b"endash": "–",
    b"lquote": "‘",
    b"rquote": "’",
    b"ldblquote": "“",
    b"rdblquote": "”",
    b"bullet": "•",
    b"emspace": " ",
    b"enspace": " ",
    b"tab": "\t",
}
_SIGNS = {b"~": " ", b"_": "-", b"{": "{", b"}": "}", b"\\": "\\"}
# Charsets of fonts (section "Font Table") as code pages.
_FONT_CODEPAGES = {
    0: 1252,
    128: 932,
    129: 949,
    134: 936,
    136: 950,
    161: 1253,
    162: 1254,
    163: 1258,
    177: 1255,
    178: 1256,
    186: 1257,
    204: 1251,
    222: 874,
    238: 1250,
}
# Signs of the fonts Symbol and Wingdings that Word puts before items.
_BULLETS = frozenset((0xF0B7, 0xF0A7, 0xF0A8, 0xF0D8, 0xF076, 0xF0FC, 0xF06E))
_MAX_GROUPS = 10_000


class Kind(Enum):
    """What happens in a text."""

    TEXT = "text"
    LINE = "line"
    PARAGRAPH = "paragraph"
    CELL = "cell"
    ROW = "row"
    TAG = "tag"


@dataclass(frozen=True, slots=True)
class Event:
    """A piece of text, a tag of the web page that the text was made from, or the end of something.

    `level` is the outline level of the paragraph from 1, 0 for body; `in_table` says that it stands in one.
    """

    kind: Kind
    text: str = ""
    level: int = 0
    in_table: bool = False


@dataclass(frozen=True, slots=True)
class _State:
    skips: bool = False
    is_tag: bool = False
    is_hidden: bool = False
    font: int = -1
    after_unicode: int = 1
    is_list_of_fonts: bool = False
    is_list_of_styles: bool = False


class RtfReader:
    """Reads one text. `is_page` says that it was made from a web page ([MS-OXRTFEX])."""

    def __init__(self, raw: bytes) -> None:
        self._raw = raw
        self.is_page = b"\\fromhtml1" in raw[:4096]
        self._codepage = 1252
        self._fonts: dict[int, int] = {}
        self._style_levels: dict[int, int] = {}
        self._stack: list[_State] = []
        self._state = _State()
        self._bytes = bytearray()
        self._to_skip = 0
        self._level = 0
        self._in_table = False
        self._is_rtf_only = False
        self._style_name = b""
        self._style = 0
        self._opens_group = False

    def events(self) -> Iterator[Event]:
        """Yield what happens, in order. Raises `RefusedInput` (`too_deep`)."""
        for found in _TOKEN.finditer(self._raw):
            kind = found.lastgroup if found.lastgroup != "number" else "word"
            if kind not in ("hex", "text") or (kind == "text" and self._bytes):
                yield from self._flush()
            yield from self._take(kind or "", found)
        yield from self._flush()

    def _take(self, kind: str, found: "re.Match[bytes]") -> Iterator[Event]:
        if kind == "brace":
            self._brace(found.group())
        elif kind == "hex":
            if self._to_skip:
                self._to_skip -= 1
            else:
                self._bytes += bytes([int(found.group("hex"), 16)])
        elif kind == "text":
            yield from self._text(found.group())
        elif kind == "sign":
            yield from self._sign(found.group("sign"))
        else:
            number = found.group("number")
            yield from self._word(found.group("word"), int(number) if number else None)
        self._opens_group = kind == "brace" and found.group() == b"{"

    def _brace(self, brace: bytes) -> None:
        if brace == b"{":
            if len(self._stack) >= _MAX_GROUPS:
                raise RefusedInput("The groups of the RTF are nested too deeply to be read.", code="too_deep")
            self._stack.append(self._state)
        elif self._stack:
            self._state = self._stack.pop()

    def _flush(self) -> Iterator[Event]:
        if self._bytes:
            raw, self._bytes = bytes(self._bytes), bytearray()
            codepage = self._fonts.get(self._state.font, self._codepage)
            yield from self._say(decode_declared(raw, "gb18030" if codepage == 936 else f"cp{codepage}"))

    def _text(self, raw: bytes) -> Iterator[Event]:
        if self._to_skip:
            skipped, self._to_skip = min(self._to_skip, len(raw)), max(0, self._to_skip - len(raw))
            raw = raw[skipped:]
        if self._state.is_list_of_styles:
            self._name_style(raw)
        if raw and not raw.isascii():
            self._bytes += raw
            yield from self._flush()
        elif raw:
            yield from self._say(raw.decode("ascii"))

    def _name_style(self, raw: bytes) -> None:
        found = re.match(rb"\s*heading (\d)", raw, re.IGNORECASE)
        if found:
            self._style_levels.setdefault(self._style, int(found.group(1)))

    def _say(self, text: str) -> Iterator[Event]:
        if self._state.skips or self._state.is_hidden or (self.is_page and self._is_rtf_only and not self._state.is_tag):
            return
        kind = Kind.TAG if self._state.is_tag else Kind.TEXT
        yield Event(kind, text, self._level, self._in_table)

    def _end(self, kind: Kind) -> Iterator[Event]:
        if not self._state.skips and not (self.is_page and self._is_rtf_only):
            yield Event(kind, "", self._level, self._in_table)

    def _sign(self, sign: bytes) -> Iterator[Event]:
        if sign == b"*" and self._opens_group:
            self._state = replace(self._state, skips=True)
        elif sign in b"\r\n":
            yield from self._end(Kind.PARAGRAPH)
        elif sign in _SIGNS:
            yield from self._say(_SIGNS[sign])

    def _word(self, word: bytes, number: int | None) -> Iterator[Event]:
        if word in _SKIPPED:
            is_fonts, is_styles = word == b"fonttbl", word == b"stylesheet"
            self._state = replace(self._state, skips=True, is_list_of_fonts=is_fonts, is_list_of_styles=is_styles)
        elif word in _READ_ANYWAY:
            self._state = replace(self._state, skips=word == b"htmltag" and not self.is_page, is_tag=word == b"htmltag")
        elif word in _LETTERS:
            yield from self._say(_LETTERS[word])
        elif word == b"u" and number is not None:
            self._to_skip = self._state.after_unicode
            yield from self._say(_character(number))
        elif word in (b"par", b"sect", b"page", b"line", b"softline"):
            yield from self._end(Kind.LINE if word.endswith(b"line") else Kind.PARAGRAPH)
        elif word in (b"cell", b"nestcell", b"row", b"nestrow"):
            yield from self._end(Kind.CELL if word.endswith(b"cell") else Kind.ROW)
        else:
            self._set(word, number)

    def _set(self, word: bytes, number: int | None) -> None:
        """Take in what changes how the following is read."""
        match word:
            case b"ansicpg" if number:
                self._codepage = number
            case b"fcharset" if self._state.is_list_of_fonts and number in _FONT_CODEPAGES:
                self._fonts[self._state.font] = _FONT_CODEPAGES[number]
            case b"htmlrtf":
                self._is_rtf_only = number != 0
            case b"v" | b"plain":
                self._state = replace(self._state, is_hidden=word == b"v" and number != 0)
            case b"f" if number is not None:
                self._state = replace(self._state, font=number)
            case b"uc" if number is not None:
                self._state = replace(self._state, after_unicode=max(0, min(number, 10)))
            case _:
                self._set_paragraph(word, number)

    def _set_paragraph(self, word: bytes, number: int | None) -> None:
        match word:
            case b"pard":
                self._level, self._in_table = 0, False
            case b"intbl":
                self._in_table = True
            case b"s" if number is not None:
                self._style = number
                if not self._state.skips:
                    self._level = self._style_levels.get(number, self._level)
            case b"outlinelevel" if number is not None:
                self._level = number + 1 if 0 <= number < 9 else 0
            case _:
                pass


def _character(number: int) -> str:
    """Return a character given as a signed number of 16 bits; halves of a pair come one after the other."""
    if number & 0xFFFF in _BULLETS:
        return "-"
    return chr(number + 0x10000 if number < 0 else number) if -0x8000 <= number < 0x110000 else "\ufffd"
