"""Bytes of a text file turned into characters."""

import codecs
import re

from pincite.core.errors import RefusedInput

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SAMPLE_BYTES = 65_536
_HTML_CHARSET = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([A-Za-z0-9_.:-]{2,40})""", re.IGNORECASE)
_XML_ENCODING = re.compile(rb"""^\s*<\?xml[^>]{0,100}?encoding\s*=\s*["']([A-Za-z0-9_.:-]{2,40})""", re.IGNORECASE)
_ODD = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f]")
# Signs that windows-1252 has where other single-byte encodings have letters.
_INSIDE_WORD = re.compile("[A-Za-z][\xa1-\xa9\xac-\xb3\xb5\xb6\xb8-\xbf\xd7\xf7\u2020\u2021\u02c6\u2030](?=[A-Za-z])")
_SURROGATE_BYTES = re.compile(rb"\xed[\xa0-\xbf]")
_ODD_SHARE = 0.02
_LEAST_BYTES_TO_GUESS = 32
# The labels of single-byte Latin that the web reads as windows-1252 (WHATWG Encoding Standard, section 4.2).
_READ_AS_CP1252 = {"iso-8859-1", "latin-1", "latin1", "ascii", "us-ascii", "windows-1252", "cp1252"}


def decode_text(raw: bytes, *, is_html: bool = False) -> str:
    """Return the characters of a text file.

    The byte order mark decides, then the pattern of zero bytes (UTF-16, UTF-32), UTF-8, the declaration of an HTML file,
    windows-1252 where that makes words, and last a guess.

    Raises `RefusedInput` (`encoding`) when no reading makes a text.
    """
    for mark, encoding in _MARKS:
        if raw.startswith(mark):
            return _decode_or_refuse(raw[len(mark) :], encoding)
    if wide := _wide_encoding(raw[:_SAMPLE_BYTES]):
        return _decode_or_refuse(raw, wide)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        pass
    if _SURROGATE_BYTES.search(raw) and (mended := _joined_surrogates(raw)) is not None:
        return mended
    if (mended := _almost_utf8(raw)) is not None:
        return mended
    declared = _declared(raw[:_SAMPLE_BYTES]) if is_html else None
    return _single_byte(raw, declared)


def looks_like_text(text: str) -> bool:
    """Whether decoded characters are a text rather than the bytes of something else."""
    return len(_ODD.findall(text[:_SAMPLE_BYTES])) <= _ODD_SHARE * len(text[:_SAMPLE_BYTES])


def _decode_or_refuse(raw: bytes, encoding: str) -> str:
    width = 4 if "32" in encoding else 2 if "16" in encoding else 1
    try:
        return raw[: len(raw) - len(raw) % width].decode(encoding)
    except UnicodeDecodeError:
        pass
    text = raw.decode(encoding, "replace")
    if text.count("\ufffd") > 0.01 * len(text) + 1:
        raise RefusedInput(f"The text says it is {encoding.upper()} but isn't. Save it as UTF-8 and add it again.", code="encoding")
    return text


def _wide_encoding(sample: bytes) -> str | None:
    """Tell UTF-16 and UTF-32 without a mark by where their zero bytes stand."""
    if not sample.count(0):
        return None
    quarters = [sample[offset::4].count(0) * 4 / max(1, len(sample)) for offset in range(4)]
    if min(quarters[1:]) > 0.9 and quarters[0] < 0.1:
        return "utf-32-le"
    if min(quarters[:3]) > 0.9 and quarters[3] < 0.1:
        return "utf-32-be"
    even, odd = (quarters[0] + quarters[2]) / 2, (quarters[1] + quarters[3]) / 2
    if odd > 0.3 and even < 0.05:
        return "utf-16-le"
    return "utf-16-be" if even > 0.3 and odd < 0.05 else None


def _declared(sample: bytes) -> str | None:
    found = _HTML_CHARSET.search(sample) or _XML_ENCODING.search(sample)
    if not found:
        return None
    label = found.group(1).decode("ascii").lower()
    if label in _READ_AS_CP1252:
        return "cp1252"
    try:
        name = codecs.lookup(label).name
    except LookupError:
        return None
    return name if name not in ("utf-7", "idna", "punycode", "unicode_escape", "raw_unicode_escape", "utf-16", "utf-32") else None


def _single_byte(raw: bytes, declared: str | None) -> str:
    for encoding in filter(None, (declared, "cp1252")):
        try:
            text = raw.decode(encoding)
        except (UnicodeDecodeError, LookupError):
            continue
        if declared == encoding or _is_plausible_latin(text):
            return text
    return _guess(raw)


def _is_plausible_latin(text: str) -> bool:
    """Whether a text read as windows-1252 is one: few letters beyond ASCII, and hardly a symbol or control inside a word."""
    sample = text[:_SAMPLE_BYTES]
    beyond = sum(character > "\x7f" for character in sample)
    foreign = sum(character > "\x7f" and character.isalpha() for character in sample)
    letters = sum(character.isalpha() for character in sample)
    odd = len(_INSIDE_WORD.findall(sample)) + sum("\x80" <= character < "\xa0" for character in sample)
    return foreign <= 0.4 * letters and odd <= 0.05 * beyond


def _joined_surrogates(raw: bytes) -> str | None:
    """Return a text whose characters beyond U+FFFF were written as two surrogates in UTF-8 (CESU-8), None when it is none.

    Raises `RefusedInput` (`encoding`) for surrogates without their half.
    """
    try:
        text = raw.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return None
    try:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
    except UnicodeDecodeError as error:
        raise RefusedInput("The text holds halves of characters. Save it as UTF-8 and add it again.", code="encoding") from error


def _almost_utf8(raw: bytes) -> str | None:
    """Return UTF-8 with a few broken bytes, each as U+FFFD; None when the file is something else."""
    text = raw.decode("utf-8", "replace")
    broken = text.count("\ufffd")
    whole = len(raw) - len(raw.decode("ascii", "ignore")) - broken
    return text if broken <= 1 + len(text) // 1000 and whole > 20 * broken else None


def _guess(raw: bytes) -> str:
    from charset_normalizer import from_bytes

    sample = raw[: 4 * _SAMPLE_BYTES]
    best = from_bytes(sample).best() if sum(byte > 127 for byte in sample) >= _LEAST_BYTES_TO_GUESS else None
    if best is None:
        raise RefusedInput("The text is in an encoding that can't be told. Save it as UTF-8 and add it again.", code="encoding")
    text = raw.decode(best.encoding, "replace")
    if text.count("\ufffd") > 0.01 * len(text):
        raise RefusedInput("The text mixes encodings. Save it as UTF-8 and add it again.", code="encoding")
    return text
