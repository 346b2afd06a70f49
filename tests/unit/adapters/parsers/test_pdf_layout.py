"""The order in which a PDF page is read: columns, what spans them, and files that draw a page in another order."""

from typing import Any

import pytest

from pincite.adapters.parsers.pdf import read_pdf

LEFT = (
    "The committee met on the second day of the month and heard the report of the treasurer about the costs of the new harbour "
    "and the state of the roads that lead to it from the north and from the east of the country."
)
RIGHT = (
    "Ships that enter the harbour by night pay a higher fee than those that come by day, since the keeper of the lantern and the "
    "pilots are paid for each hour that they are on duty after the bell has rung."
)
THIRD = (
    "Ferries are free of it, for they keep to the lower quay and need no pilot, as was agreed with the company when the bridge "
    "was built, and they have their own lights along the whole of the way."
)


def text_of(path: str) -> str:
    return read_pdf(path, max_pages=100, max_chars=1_000_000).canonical.text


def interleaved(*columns: Any) -> list[Any]:
    longest = max(map(len, columns))
    return [column[n] for n in range(longest) for column in columns if n < len(column)]


@pytest.mark.parametrize("order", ["by column", "by row", "right first"])
def test_two_columns_are_read_one_after_the_other(kit: Any, order: str) -> None:
    left, right = kit.column(LEFT, chars=40, x=60), kit.column(RIGHT, chars=40, x=330)
    drawn = {"by column": [*left, *right], "by row": interleaved(left, right), "right first": [*right, *left]}[order]
    texts = text_of(kit.write(kit.sheet(drawn))).split("\n\n")
    assert sorted(texts) == sorted([LEFT, RIGHT])
    assert order == "right first" or texts == [LEFT, RIGHT]


def test_three_columns_drawn_row_by_row_are_read_one_after_the_other(kit: Any) -> None:
    columns = [kit.column(text, chars=30, x=x, size=9) for text, x in ((LEFT, 50), (RIGHT, 220), (THIRD, 390))]
    assert text_of(kit.write(kit.sheet(interleaved(*columns)))) == "\n\n".join((LEFT, RIGHT, THIRD))


def test_what_spans_the_columns_is_read_between_them(kit: Any) -> None:
    title = kit.text(60, 70, "The harbour of the north and the roads that lead to it from everywhere", 16)
    caption = kit.text(
        60, 300, "Figure 1. The plan of the harbour with its quays, drawn for the committee in the year before the war."
    )
    top = interleaved(kit.column(LEFT, chars=40, x=60), kit.column(RIGHT, chars=40, x=330))
    bottom = interleaved(kit.column(THIRD, chars=40, x=60, y=330), kit.column(LEFT, chars=40, x=330, y=330))
    drawn = [*top, *bottom, caption, title]
    assert text_of(kit.write(kit.sheet(drawn))) == "\n\n".join((title.text, LEFT, RIGHT, caption.text, THIRD, LEFT))


def test_short_columns_at_the_end_follow_those_above(kit: Any) -> None:
    note = kit.text(60, 280, "Both columns end here, and a line over the whole width of the page parts them from the last ones.")
    top = interleaved(kit.column(LEFT, chars=40, x=60), kit.column(RIGHT, chars=40, x=330))
    end = interleaved(
        kit.column("The report was read and taken as it was written by all.", chars=40, x=60, y=310),
        kit.column("The next meeting is in the spring of the coming year.", chars=40, x=330, y=310),
    )
    text = text_of(kit.write(kit.sheet([*top, note, *end])))
    assert text.endswith("taken as it was written by all.\n\nThe next meeting is in the spring of the coming year.")


def test_a_title_that_the_file_draws_last_comes_first(kit: Any) -> None:
    drawn = [*kit.column(LEFT, y=140), kit.text(72, 100, "What the harbour costs", 16)]
    assert text_of(kit.write(kit.sheet(drawn))) == f"What the harbour costs\n\n{LEFT}"


def test_a_page_drawn_by_print_is_read_from_top_to_bottom(kit: Any) -> None:
    parts = [("Costs of the year", LEFT), ("Ships of the year", RIGHT), ("Ferries of the year", THIRD)]
    heads = [kit.text(72, 100 + 120 * n, head, 10, "Helvetica-Bold") for n, (head, _) in enumerate(parts)]
    plain = [text for n, (_, body) in enumerate(parts) for text in kit.column(body, y=120 + 120 * n)]
    assert text_of(kit.write(kit.sheet([*plain, *heads]))) == "\n\n".join(part for pair in parts for part in pair)


def test_a_head_over_two_columns_is_one_row(kit: Any) -> None:
    head = [kit.text(60, 70, "Harbour Board, second report"), kit.text(480, 70, "Part 12")]
    left, right = kit.column(LEFT, chars=40, x=60), kit.column(RIGHT, chars=40, x=330)
    words = kit.text(60, 300, "Port")
    table = [kit.text(60 + 80 * c, 320 + 14 * r, f"{r}{c}0") for r in range(3) for c in range(3)]
    text = text_of(kit.write(kit.sheet([*head, *left, words, *table, *right])))
    assert text.startswith("Harbour Board, second report Part 12\n\nThe committee")


def test_a_box_beside_the_text_stays_in_one_piece(kit: Any) -> None:
    facts = ["Founded in 1870", "Three quays", "Forty ships"]
    side = [kit.text(430, 100 + 14 * n, line) for n, line in enumerate(facts)]
    body = kit.column(LEFT, chars=60, x=60)
    text = text_of(kit.write(kit.sheet([*side, *body])))
    assert LEFT in text
    assert " ".join(text.replace(LEFT, "").split()) == " ".join(facts)


def test_addresses_side_by_side_are_read_one_after_the_other(kit: Any) -> None:
    seller, buyer = ["The Harbour Company", "12 Quay Road", "Northport"], ["The Ferry Company", "3 River Street", "Southport"]
    drawn = [kit.text(x, 100 + 14 * n, line) for x, lines in ((60, seller), (330, buyer)) for n, line in enumerate(lines)]
    assert " ".join(text_of(kit.write(kit.sheet([*drawn, *kit.column(LEFT, y=200)]))).split()).startswith(
        " ".join([*seller, *buyer])
    )


def test_notes_in_the_margin_leave_the_text_whole(kit: Any) -> None:
    body = kit.column(f"{LEFT} {RIGHT}", chars=60, x=160)
    notes = [kit.text(60, body[2].y, "Costs", 8), kit.text(60, body[6].y, "Night fees", 8)]
    assert f"{LEFT} {RIGHT}" in text_of(kit.write(kit.sheet([*body, *notes])))
