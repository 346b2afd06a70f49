"""Bytes turned into characters."""

import codecs

import pytest

from pincite.adapters.parsers.decoding import decode_text, looks_like_text
from pincite.core.errors import RefusedInput

GERMAN = "Größe und Maß, Übung"
RUSSIAN = "Привет, как дела? Это текст на русском языке, довольно длинный."
JAPANESE = "日本語のテキストです。これは長い文章であり、エンコーディングを推測します。"


@pytest.mark.parametrize(
    "raw",
    [
        GERMAN.encode(),
        codecs.BOM_UTF8 + GERMAN.encode(),
        GERMAN.encode("utf-16"),
        codecs.BOM_UTF16_BE + GERMAN.encode("utf-16-be"),
        GERMAN.encode("utf-16-le"),
        GERMAN.encode("utf-16-be"),
        GERMAN.encode("utf-32"),
        GERMAN.encode("utf-32-be"),
        GERMAN.encode("latin-1"),
        GERMAN.encode("cp1252"),
    ],
)
def test_a_text_is_read_in_any_usual_encoding(raw: bytes) -> None:
    assert decode_text(raw) == GERMAN


@pytest.mark.parametrize(("text", "encoding"), [(RUSSIAN, "cp1251"), (JAPANESE, "shift_jis"), ("“Quotes” — 15 €", "cp1252")])
def test_other_encodings_are_told_from_the_text(text: str, encoding: str) -> None:
    assert decode_text(text.encode(encoding)) == text


def test_the_declaration_of_a_page_counts() -> None:
    page = "<meta charset=windows-1251><p>Шум"
    assert decode_text(page.encode("cp1251"), is_html=True) == page


def test_a_declared_latin_1_is_read_as_browsers_do() -> None:
    page = "<meta http-equiv=Content-Type content='text/html; charset=iso-8859-1'>15 €"
    assert decode_text(page.encode("cp1252"), is_html=True) == page


def test_a_declared_encoding_does_not_spoil_utf_8() -> None:
    page = "<meta charset=iso-8859-1><p>Größe"
    assert decode_text(page.encode(), is_html=True) == page


def test_a_few_broken_bytes_do_not_cost_the_rest() -> None:
    assert decode_text((GERMAN * 20).encode() + b"\xff") == GERMAN * 20 + "\ufffd"


@pytest.mark.parametrize("raw", [b"\xed\xa0\xbd half", codecs.BOM_UTF16_LE + b"\x00\xd8" * 40], ids=["surrogates", "bad-utf-16"])
def test_what_makes_no_text_is_refused(raw: bytes) -> None:
    with pytest.raises(RefusedInput) as refused:
        decode_text(raw)
    assert refused.value.code == "encoding"


def test_characters_written_as_two_surrogates_are_joined() -> None:
    assert decode_text(b"\xed\xa0\xbd\xed\xb8\x80 cesu") == "\U0001f600 cesu"


def test_controls_tell_binary_data() -> None:
    assert looks_like_text("A text\twith a tab\nand a form feed\x0c")
    assert not looks_like_text("\x01\x02\x03 abc")
