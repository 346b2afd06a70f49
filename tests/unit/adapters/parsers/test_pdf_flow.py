"""Sentences of a PDF that a page cuts: what they are joined over, and what is left out of them."""

from typing import Any

import pytest

from pincite.adapters.parsers.pdf import read_pdf
from pincite.core.documents import BlockRole, CanonicalText

START = (
    "The committee met on the second day of the month and heard the report of the treasurer about the costs of the new harbour, "
    "which had been built in the year before by a company of the town of"
)
ENDS = [
    "the north and of the east.",
    "Norrvik and Vesterby.",
    "1921 and of the war that was over by then.",
    "“Harbour and Sons” of Norrvik.",
]
OTHER = (
    "Other matters were heard on the day after that, and on the day after the next there was nothing that anybody could talk about."
)


def read(path: str) -> CanonicalText:
    return read_pdf(path, max_pages=100, max_chars=1_000_000).canonical


def first_page(kit: Any, *more: Any, text: str = START, chars: int = 80) -> Any:
    """A page that ends in the middle of a sentence: its last line is full."""
    lines = kit.column(f"{OTHER} {text}", y=600, chars=chars)
    return kit.sheet([*lines, *more])


def joined(canonical: CanonicalText, ending: str) -> bool:
    return f"{START} {ending}" in canonical.text


@pytest.mark.parametrize("ending", ENDS)
def test_a_sentence_goes_on_with_a_small_letter_a_name_a_figure_or_a_quote(kit: Any, ending: str) -> None:
    path = kit.write(first_page(kit), kit.sheet(kit.column(f"{ending} {OTHER}", y=100)))
    assert joined(read(path), ending)


@pytest.mark.parametrize("ending", ENDS)
def test_a_page_with_a_figure_and_a_note_alone_parts_no_sentence(kit: Any, ending: str) -> None:
    figure = kit.sheet(
        [kit.text(72, 400, "Figure 3. The harbour before the war", 9), kit.text(72, 700, "9 Drawn by the board itself.", 8)],
        drawing=b"72 420 300 200 re S\n",
    )
    canonical = read(kit.write(first_page(kit), figure, kit.sheet(kit.column(f"{ending} {OTHER}", y=100))))
    assert joined(canonical, ending)
    start = canonical.text.index(START)
    assert [span.page for span in canonical.page_spans(start, start + len(START) + 10)] == [1, 3]


@pytest.mark.parametrize("mark", ["1", "*", "†"])
def test_a_footnote_is_lifted_and_its_raised_mark_taken_out_of_the_sentence(kit: Any, mark: str) -> None:
    lines = kit.column(f"{OTHER} {START}", y=600)
    last = lines[-1]
    raised = kit.text(last.x + 361.5, last.y - 4, mark, 6)
    note = kit.text(72, last.y + 40, f"{mark} The treasurer was ill, and his deputy spoke for him.", 8)
    canonical = read(kit.write(kit.sheet([*lines, raised, note]), kit.sheet(kit.column(f"{ENDS[0]} {OTHER}", y=100))))
    assert joined(canonical, ENDS[0])
    notes = [canonical.text[b.start : b.end] for b in canonical.blocks if b.role is BlockRole.FOOTNOTE]
    assert notes == [f"{mark} The treasurer was ill, and his deputy spoke for him."]


@pytest.mark.parametrize("rotate", [90, 180, 270])
def test_a_sentence_goes_on_over_a_page_that_is_turned_against_its_text(kit: Any, rotate: int) -> None:
    second = kit.sheet(kit.column(f"{ENDS[0]} {OTHER}", y=100, chars=60), rotate=rotate)
    canonical = read(kit.write(first_page(kit), second))
    assert joined(canonical, ENDS[0])
    assert canonical.text.endswith(OTHER)


def test_a_paragraph_that_ends_before_the_margin_is_not_joined_with_a_capital(kit: Any) -> None:
    path = kit.write(first_page(kit, text="The harbour of the town of"), kit.sheet(kit.column(f"Norrvik is old. {OTHER}", y=100)))
    assert "The harbour of the town of Norrvik" not in read(path).text


def test_the_box_of_a_word_that_the_page_cuts_holds_its_hyphen(kit: Any) -> None:
    first = kit.sheet([kit.text(72, 700, "The ministers of all the towns talked about the inter-")])
    canonical = read(kit.write(first, kit.sheet([kit.text(72, 100, "national treaty of the harbour towns.")])))
    start = canonical.text.index("international")
    runs = canonical.runs_within(start, start + len("international"))
    assert [(run.page, run.length, run.count) for run in runs] == [(1, 4, 4), (1, 1, 2), (2, 8, 8)]
