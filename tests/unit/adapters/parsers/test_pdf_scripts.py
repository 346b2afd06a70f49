"""Files that a browser and an office program printed in seven languages, and the order of reading of single lines."""

import json
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from pincite.adapters.parsers.pdf import read_pdf
from pincite.adapters.parsers.pdf_bidi import logical_order, with_brackets_turned
from pincite.adapters.parsers.pdf_boxes import pdf_boxes
from pincite.core.documents import CanonicalText

FOLDER = Path(__file__).resolve().parents[4] / "tests" / "data" / "parsing" / "scripts"
TRUTHS: list[dict[str, Any]] = [json.loads(line) for line in (FOLDER / "truth.jsonl").read_text().splitlines()]


@pytest.fixture(scope="module", params=TRUTHS, ids=lambda truth: str(truth["file"]))
def printed(request: pytest.FixtureRequest) -> tuple[dict[str, Any], CanonicalText]:
    truth: dict[str, Any] = request.param
    return truth, read_pdf(str(FOLDER / truth["file"]), max_pages=9, max_chars=10_000).canonical


def test_a_printed_paragraph_is_one_block_with_the_words_as_they_were_written(printed: tuple[dict[str, Any], CanonicalText]):
    truth, canonical = printed
    assert len(canonical.blocks) == 1
    assert unicodedata.normalize("NFC", canonical.text) == unicodedata.normalize("NFC", truth["text"])


def test_the_boxes_of_a_word_lie_on_its_ink(printed: tuple[dict[str, Any], CanonicalText]):
    truth, canonical = printed
    for word, ink in truth["boxes"].items():
        start = canonical.text.index(word)
        runs = [(run.page, run.index, run.count) for run in canonical.runs_within(start, start + len(word))]
        found = [box for boxes in pdf_boxes(str(FOLDER / truth["file"]), runs) for box in boxes]
        around = [min(b[0] for b in found), min(b[1] for b in found), max(b[2] for b in found), max(b[3] for b in found)]
        # A syllable that the file spells out has the box of its first glyph: a vowel sign behind or over it may stand out.
        assert [around[0], around[2]] == pytest.approx([ink[0], ink[2]], abs=4 if "hi" in truth["file"] else 2), word
        assert around[1] < ink[3], word
        assert around[3] > ink[1], word


@pytest.mark.parametrize(
    ("shown", "read"),
    [
        ("םולש", "שלום"),
        ("2024 תנש", "שנת 2024"),
        ("יגמ 1,250 שולש", "שלוש 1,250 מגי"),
        ("12/05/2024 םוי", "יום 12/05/2024"),
        ("םכסה PINCITE 12 לוטיב", "ביטול PINCITE 12 הסכם"),
        ("%12 ةبسن", "نسبة 12%"),
        ("2024-2023 ماع", "عام 2023-2024"),
    ],
)
def test_a_line_is_read_from_right_to_left_but_for_numbers_and_words_of_other_scripts(shown: str, read: str):
    assert "".join(shown[at] for at in logical_order(shown, is_rtl=True)) == read


def test_a_word_in_a_line_of_the_other_direction_is_turned_alone():
    shown = "The word םולש תיב means 3 (three) things"
    assert "".join(shown[at] for at in logical_order(shown, is_rtl=False)) == "The word בית שלום means 3 (three) things"


def test_brackets_open_behind_a_blank_whatever_the_font_calls_them():
    assert with_brackets_turned("בכתב )סעיף 12(.") == "בכתב (סעיף 12)."
    assert with_brackets_turned("בכתב (סעיף 12).") == "בכתב (סעיף 12)."
