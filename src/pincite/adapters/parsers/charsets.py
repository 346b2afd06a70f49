"""Text whose encoding somebody declared, rightly or not, as mail programs do."""

from pincite.adapters.parsers.decoding import decode_text
from pincite.core.errors import RefusedInput

# Labels of mail programs that Python doesn't know, or that are used for a wider encoding than they name.
_MEANT = {
    "windows-950": "cp950",
    "x-windows-950": "cp950",
    "big5": "cp950",
    "windows-949": "cp949",
    "ks_c_5601-1987": "cp949",
    "euc-kr": "cp949",
    "windows-936": "gb18030",
    "x-gbk": "gb18030",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "windows-932": "cp932",
    "shift_jis": "cp932",
    "shift-jis": "cp932",
    "x-sjis": "cp932",
    "windows-874": "cp874",
    "tis-620": "cp874",
    "iso-8859-8-i": "iso-8859-8",
    "iso-8859-6-i": "iso-8859-6",
    "unicode-1-1-utf-8": "utf-8",
    "x-mac-roman": "mac-roman",
    "macintosh": "mac-roman",
}
# Labels that programs give to whatever they send: the bytes tell more. Latin-1 is read as windows-1252, as the web does.
_EMPTY_WORDS = frozenset({"", "us-ascii", "ascii", "iso-8859-1", "latin1", "latin-1", "windows-1252", "cp1252"})
# What Python calls encodings and no text is written in; some take very long.
_NO_CHARSETS = frozenset(
    {"utf-7", "utf7", "idna", "punycode", "unicode_escape", "unicode-escape", "raw_unicode_escape", "raw-unicode-escape"}
)


def decode_declared(raw: bytes, label: str, *, is_html: bool = False) -> str:
    """Return the characters of a text: as declared where that is possible, else as its bytes look, at worst with U+FFFD in it."""
    label = label.strip().strip("\"'").lower()
    if label not in _EMPTY_WORDS and (text := _decoded(raw, _MEANT.get(label, label))) is not None:
        return text
    try:
        return decode_text(raw, is_html=is_html)
    except RefusedInput:
        return raw.decode("cp1252" if label and "utf" not in label else "utf-8", "replace")


def _decoded(raw: bytes, encoding: str) -> str | None:
    if encoding in _NO_CHARSETS:
        return None
    try:
        return raw.decode(encoding)
    except (UnicodeError, LookupError, ValueError):
        return None
