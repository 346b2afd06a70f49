"""Hyphens at line ends: what the document's words and the form of the halves say."""

import pytest

from pincite.adapters.parsers.pdf_hyphens import Vocabulary
from pincite.adapters.parsers.pdf_lines import Line, PageLines


def vocabulary(text: str = "") -> Vocabulary:
    line = Line(1, 0, text, (0, 0, 1, 1), 10, 10, 10, False)
    return Vocabulary([PageLines(1, "", 612, 792, True, [line])])


def mended(words: Vocabulary, cut: str) -> str:
    before, _, after = cut.partition("|")
    return f"{before}{words.mended(before, after)}{after}"


@pytest.mark.parametrize(
    ("cut", "whole"),
    [
        ("the inter|national treaty", "the international treaty"),
        ("er war im Schiff|fahrtsamt", "er war im Schifffahrtsamt"),
        ("the well|known harbour", "the well-known harbour"),
        ("a long|standing custom", "a long-standing custom"),
        ("a self|taught engineer", "a self-taught engineer"),
        ("for twenty|five years", "for twenty-five years"),
        ("the COVID|19 rules", "the COVID-19 rules"),
        ("the years 1914|1918 passed", "the years 1914-1918 passed"),
        ("the Anglo|Saxon towns", "the Anglo-Saxon towns"),
        ("THE INTER|NATIONAL TREATY", "THE INTERNATIONAL TREATY"),
        ("die US|Dollar stiegen", "die US-Dollar stiegen"),
        ("a state-of-the|art harbour", "a state-of-the-art harbour"),
        ("the interpreter|to-trace change", "the interpreter-to-trace change"),
        ("4-meth|yl acid", "4-methyl acid"),
        ("1,3,8|trimethyl acid", "1,3,8-trimethyl acid"),
        ("the wall was out|standing there", "the wall was outstanding there"),
        ("some under|standing of it", "some understanding of it"),
        ("she was self|ish", "she was selfish"),
        ("c'est peut|être vrai", "c'est peut-être vrai"),
    ],
)
def test_a_word_is_mended_by_its_form_where_the_document_says_nothing(cut: str, whole: str) -> None:
    assert mended(vocabulary(), cut) == whole


@pytest.mark.parametrize(
    ("elsewhere", "cut", "whole"),
    [
        ("a re-elected mayor", "the re|elected mayor", "the re-elected mayor"),
        ("a reelected mayor", "the re|elected mayor", "the reelected mayor"),
        ("the wellknown harbour", "the well|known harbour", "the wellknown harbour"),
        ("Methyl acid", "4-meth|yl acid", "4-methyl acid"),
        ("the decision of the town", "a decision|making body", "a decision-making body"),
    ],
)
def test_what_the_document_writes_elsewhere_decides(elsewhere: str, cut: str, whole: str) -> None:
    assert mended(vocabulary(elsewhere), cut) == whole


@pytest.mark.parametrize("cut", ["Vor|und Nachteile", "short|and long-term costs", "Haupt|oder Nebeneingang"])
def test_a_hyphen_that_stands_for_the_rest_of_a_word_keeps_its_blank(cut: str) -> None:
    assert mended(vocabulary(), cut) == cut.replace("|", "- ")
