"""RTF files read to canonical text."""

import pytest

from pincite.adapters.parsers.rtf import read_rtf
from pincite.core.errors import RefusedInput


def lines(body: str) -> list[str]:
    canonical = read_rtf(
        f"{{\\rtf1\\ansi\\ansicpg1252{{\\fonttbl{{\\f0 A;}}{{\\f1\\fcharset204 B;}}}}{body}}}".encode("cp1252"), max_chars=10_000
    ).canonical
    return [
        ("#" * block.level + " " if block.level else "") + canonical.text[block.start : block.end] for block in canonical.blocks
    ]


@pytest.mark.parametrize(
    ("body", "read"),
    [
        ("The fee\\par\r\nis\r\n 40\\par ", ["The fee", "is 40"]),
        ("{\\b 40} {\\i EUR}\\'80\\~x\\_y\\-z", ["40 EUR€ x-yz"]),
        ("\\u8364?40 \\u-10179?\\u-8704?\\par", ["€40 😀"]),
        ("\\uc2\\u233\\'e9\\'e9x{\\uc0\\u233}y", ["éxéy"]),
        ("{\\f1 \\'ef\\'eb\\'e0\\'f2\\'e0} caf\\'e9", ["плата café"]),
        ("a\\emdash b \\ldblquote c\\rdblquote  \\{d\\}\\\\", ["a—b “c” {d}\\"]),
        ("{\\*\\unknown secret}{\\info{\\title secret}}{\\pict 00ff}{\\header secret}shown", ["shown"]),
        ("{\\v secret}shown{\\v0  also}", ["shown also"]),
        ("{\\field{\\*\\fldinst HYPERLINK secret}{\\fldrslt link}}", ["link"]),
        (
            "\\trowd\\intbl a\\cell b\\par c\\cell\\row\\trowd\\intbl d\\cell\\cell\\row\\pard after",
            ["| a | b c |\n| d | |", "after"],
        ),
        ("one\\line two\\tab three", ["one\ntwo three"]),
        ("{\\outlinelevel1 Costs\\par}\\pard text", ["## Costs", "text"]),
        ("{\\stylesheet{\\s5 heading 2;}}\\pard\\s5 Costs\\par\\pard text", ["## Costs", "text"]),
        ("{\\listtext\\u-3913?\\tab}item", ["- item"]),
        ("cut {\\b off", ["cut off"]),
        ("too } many } ends", ["too many ends"]),
    ],
)
def test_the_words_are_read_as_a_program_shows_them(body: str, read: list[str]) -> None:
    assert lines(body) == read


def test_the_title_is_the_highest_heading() -> None:
    assert read_rtf(b"{\\rtf1 x\\par{\\outlinelevel0 Costs\\par}}", max_chars=100).title == "Costs"


def test_groups_beyond_measure_are_refused_and_many_are_not() -> None:
    assert read_rtf(b"{\\rtf1 " + b"{" * 5000 + b"x", max_chars=100).canonical.text == "x"
    with pytest.raises(RefusedInput) as refused:
        read_rtf(b"{\\rtf1 " + b"{" * 20_000, max_chars=100)
    assert refused.value.code == "too_deep"
