"""Properties of Outlook messages, their recipients and attachments ([MS-OXMSG], section 2.4)."""

import struct

from pincite.adapters.parsers.charsets import decode_declared
from pincite.adapters.parsers.compound import Compound, Storage

_NUMBERS = "__properties_version1.0"
_ROW_BYTES = 16
_TEXT, _TEXT_8_BIT, _BYTES = "001F", "001E", "0102"
_CODEPAGE, _PAGE_CODEPAGE = 0x3FFD, 0x3FDE
_LABELS = {
    936: "gb18030",
    1200: "utf-16-le",
    10000: "mac-roman",
    20127: "ascii",
    20866: "koi8-r",
    20932: "euc-jp",
    21866: "koi8-u",
    50220: "iso-2022-jp",
    50221: "iso-2022-jp",
    50222: "iso-2022-jp",
    50225: "iso-2022-kr",
    51932: "euc-jp",
    51936: "gb18030",
    51949: "euc-kr",
    52936: "hz",
    54936: "gb18030",
    65001: "utf-8",
    **{28590 + number: f"iso-8859-{number}" for number in range(1, 16)},
}


class Properties:
    """The properties of one object by their number."""

    def __init__(self, file: Compound, folder: Storage, *, header_bytes: int, codepage: int = 0) -> None:
        self._file = file
        self._folder = folder
        self._numbers = self._read_numbers(header_bytes)
        self.codepage = self.number(_CODEPAGE) or codepage

    @property
    def page_charset(self) -> str:
        """The encoding of the message as a web page."""
        return _label(self.number(_PAGE_CODEPAGE) or self.codepage)

    def number(self, tag: int) -> int:
        """Return a number, 0 when there is none."""
        return self._numbers.get(tag, 0)

    def text(self, tag: int) -> str:
        """Return a text, empty when there is none."""
        if wide := self._read(tag, _TEXT):
            return wide.decode("utf-16-le", "replace").rstrip("\0")
        narrow = self._read(tag, _TEXT_8_BIT)
        return decode_declared(narrow, _label(self.codepage)).rstrip("\0") if narrow else ""

    def raw(self, tag: int) -> bytes:
        """Return the bytes of a property, empty when there is none."""
        return self._read(tag, _BYTES)

    def _read(self, tag: int, kind: str) -> bytes:
        stream = self._folder.streams.get(f"__substg1.0_{tag:04X}{kind}")
        return self._file.read(stream) if stream else b""

    def _read_numbers(self, header_bytes: int) -> dict[int, int]:
        stream = self._folder.streams.get(_NUMBERS)
        raw = self._file.read(stream) if stream else b""
        rows = (raw[at : at + _ROW_BYTES] for at in range(header_bytes, len(raw) - _ROW_BYTES + 1, _ROW_BYTES))
        found: dict[int, int] = {}
        for row in rows:
            kind, tag = struct.unpack_from("<HH", row)
            width = {0x0003: 4, 0x000B: 2, 0x0040: 8, 0x0014: 8}.get(kind)
            if width:
                found[tag] = int.from_bytes(row[8 : 8 + width], "little")
        return found


def _label(codepage: int) -> str:
    return _LABELS.get(codepage, f"cp{codepage}") if codepage else ""
