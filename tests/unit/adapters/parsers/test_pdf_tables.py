"""Tables of PDF pages: their rows and cells, ruled or not, and what only looks like one."""

from collections.abc import Sequence
from typing import Any

import pytest

from pincite.adapters.parsers.pdf import read_pdf
from pincite.core.documents import BlockRole, ParsedDocument

WORDS = (
    "The committee met on the second day of the month and heard the report of the treasurer about the costs of the new harbour "
    "and the state of the roads that lead to it from the north and from the east of the country"
)


def parse(path: str) -> ParsedDocument:
    return read_pdf(path, max_pages=100, max_chars=1_000_000)


def tables(path: str) -> list[str]:
    canonical = parse(path).canonical
    return [canonical.text[block.start : block.end] for block in canonical.blocks if block.role is BlockRole.TABLE]


def bodies(path: str) -> list[str]:
    canonical = parse(path).canonical
    return [canonical.text[block.start : block.end] for block in canonical.blocks if block.role is BlockRole.BODY]


def lines(*ends: tuple[float, float, float, float]) -> bytes:
    """Strokes from `(x0, y0)` to `(x1, y1)`, `y` counted from the top."""
    return b"".join(b"%g %g m %g %g l S\n" % (x0, 792 - y0, x1, 792 - y1) for x0, y0, x1, y1 in ends)


def grid(xs: Sequence[float], ys: Sequence[float]) -> bytes:
    level = [(xs[0], y, xs[-1], y) for y in ys]
    return lines(*level, *((x, ys[0], x, ys[-1]) for x in xs))


def laid(kit: Any, rows: Sequence[Sequence[str]], xs: Sequence[float], *, top: float = 200, pitch: float = 14) -> list[Any]:
    return [
        kit.text(x, top + pitch * number, cell) for number, row in enumerate(rows) for x, cell in zip(xs, row, strict=True) if cell
    ]


SHIPS = [("Port", "1921", "1922", "Change"), ("Amsel", "104", "", "-7"), ("Borkum", "", "1,250", "+50"), ("Cassel", "12", "15", "")]
SHIPS_TEXT = "| Port | 1921 | 1922 | Change |\n| Amsel | 104 | | -7 |\n| Borkum | | 1,250 | +50 |\n| Cassel | 12 | 15 | |"


@pytest.mark.parametrize("ruled", ["not", "level", "grid"])
def test_empty_cells_are_kept(kit: Any, ruled: str) -> None:
    drawing = {
        "not": b"",
        "level": lines(*((70, 204 + 14 * n, 400, 204 + 14 * n) for n in range(-1, 4))),
        "grid": grid((66, 150, 240, 330, 400), tuple(190 + 14 * n for n in range(5))),
    }[ruled]
    texts = [*kit.column(WORDS, y=100), *laid(kit, SHIPS, (72, 160, 250, 340))]
    assert tables(kit.write(kit.sheet(texts, drawing=drawing))) == [SHIPS_TEXT]


def test_cells_that_stand_close_are_parted_by_the_rule_between_them(kit: Any) -> None:
    rows = [("Harbour master", "Quay of the north", "Lantern"), ("Pilot in charge", "Quay of the south", "Ferries")]
    drawing = grid((70, 145, 228, 280), (188, 204, 220))
    path = kit.write(kit.sheet(laid(kit, rows, (72, 148, 231), pitch=16), drawing=drawing))
    assert tables(path) == ["| Harbour master | Quay of the north | Lantern |\n| Pilot in charge | Quay of the south | Ferries |"]


def test_numbers_far_apart_in_one_string_are_cells(kit: Any) -> None:
    rows = [("Year", "Ships", "Lost"), ("1921", "104", "3"), ("1922", "97", "5"), ("1923", "99", "4")]
    head = laid(kit, rows, (72, 150, 230))
    spaced = b"BT /F1 10 Tf 72 536 Td [(1924)-5600(0)-7000(0)]TJ ET\n"
    assert tables(kit.write(kit.sheet(head, drawing=spaced))) == [
        "| Year | Ships | Lost |\n| 1921 | 104 | 3 |\n| 1922 | 97 | 5 |\n| 1923 | 99 | 4 |\n| 1924 | 0 | 0 |"
    ]


@pytest.mark.parametrize("order", ["by row", "by cell"])
@pytest.mark.parametrize("ruled", [True, False])
def test_a_head_of_two_lines_is_one_row(kit: Any, ruled: bool, order: str) -> None:
    head = [("Region of", "Ships", "Cargo"), ("the coast", "arrived", "(tons)")]
    body = [("North", "14", "180"), ("South", "9", "70"), ("East", "22", "410")]
    texts = laid(kit, head, (72, 160, 250), top=200, pitch=11) if order == "by row" else []
    if order == "by cell":
        texts = [kit.text(x, 200 + 11 * n, head[n][c]) for c, x in enumerate((72, 160, 250)) for n in range(2)]
    texts = [kit.text(t.x, t.y, t.text, font="Helvetica-Bold") for t in texts]
    drawing = lines((70, 188, 320, 188), (70, 215, 320, 215), (70, 262, 320, 262)) if ruled else b""
    path = kit.write(kit.sheet([*texts, *laid(kit, body, (72, 160, 250), top=226)], drawing=drawing))
    assert tables(path) == [
        "| Region of the coast | Ships arrived | Cargo (tons) |\n| North | 14 | 180 |\n| South | 9 | 70 |\n| East | 22 | 410 |"
    ]


def test_heads_over_several_columns_keep_their_row(kit: Any) -> None:
    rows = [("", "Ships", "", "Cargo", ""), ("Region", "in", "out", "in", "out"), ("North", "14", "13", "180", "170")]
    texts = laid(kit, rows[1:], (72, 150, 200, 260, 310), top=214)
    texts += [
        kit.text(165, 200, "Ships"),
        kit.text(275, 200, "Cargo"),
        *laid(kit, [("South", "9", "9", "70", "66")], (72, 150, 200, 260, 310), top=242),
    ]
    drawing = grid((66, 145, 255, 350), (188, 204, 218, 232, 246)) + lines((195, 204, 195, 246), (305, 204, 305, 246))
    head, names, *body = tables(kit.write(kit.sheet(texts, drawing=drawing)))[0].split("\n")
    assert [cell.strip() for cell in head.strip("|").split("|")] == ["", "Ships", "", "Cargo", ""]
    assert [names, *body] == ["| Region | in | out | in | out |", "| North | 14 | 13 | 180 | 170 |", "| South | 9 | 9 | 70 | 66 |"]


@pytest.mark.parametrize("ruled", [True, False])
def test_the_lines_of_a_cell_stay_in_it(kit: Any, ruled: bool) -> None:
    texts = [
        *laid(kit, [("Item", "What it is", "Who")], (72, 150, 330)),
        *laid(
            kit,
            [("Quay wall", "The long wall on the north side,", "Harbour"), ("", "built of granite and repaired", "master")],
            (72, 150, 330),
            top=222,
            pitch=12,
        ),
        *laid(
            kit, [("Lantern", "A light on the pier that is lit", "Keeper"), ("", "at dusk", "")], (72, 150, 330), top=256, pitch=12
        ),
        *laid(kit, [("Crane", "Lifts ten tons", "Foreman")], (72, 150, 330), top=290),
    ]
    drawing = grid((66, 145, 325, 390), (188, 210, 244, 278, 300)) if ruled else b""
    assert tables(kit.write(kit.sheet(texts, drawing=drawing)))[0].split("\n") == [
        "| Item | What it is | Who |",
        "| Quay wall | The long wall on the north side, built of granite and repaired | Harbour master |",
        "| Lantern | A light on the pier that is lit at dusk | Keeper |",
        "| Crane | Lifts ten tons | Foreman |",
    ]


def test_a_word_cut_in_a_cell_is_whole(kit: Any) -> None:
    texts = [
        *laid(kit, [("Item", "What it is", "Tons")], (72, 150, 330)),
        *laid(kit, [("Quay", "A wall for the inter-", "12"), ("", "national ships", "")], (72, 150, 330), top=214, pitch=12),
        *laid(kit, [("Crane", "Lifts loads", "10")], (72, 150, 330), top=244),
    ]
    assert "| Quay | A wall for the international ships | 12 |" in tables(kit.write(kit.sheet(texts)))[0]


def test_rows_of_pairs_are_not_joined_inside_a_frame(kit: Any) -> None:
    rows = [
        ("Name", "Diaz", "Year", "2022"),
        ("Claim", "SF-1008", "Make", "Jeep"),
        ("Phone", "555-1234", "Trim", "Limited"),
        ("", "", "Color", "White"),
    ]
    drawing = grid((66, 150, 250, 330, 400), (188, 260)) + lines((66, 205, 400, 205))
    path = kit.write(kit.sheet(laid(kit, rows, (72, 160, 260, 340)), drawing=drawing))
    assert tables(path)[0].split("\n")[1:] == [
        "| Claim | SF-1008 | Make | Jeep |",
        "| Phone | 555-1234 | Trim | Limited |",
        "| | | Color | White |",
    ]


def test_a_label_over_rows_stays_in_the_table(kit: Any) -> None:
    rows = [("Cost", "Hours", "Rate"), ("Labour", "2", "150"), ("Supplies", "", ""), ("Paint", "1", "60"), ("Body", "3", "30")]
    assert tables(kit.write(kit.sheet(laid(kit, rows, (72, 160, 250))))) == [
        "| Cost | Hours | Rate |\n| Labour | 2 | 150 |\n| Supplies | | |\n| Paint | 1 | 60 |\n| Body | 3 | 30 |"
    ]


def test_a_title_inside_the_frame_is_no_row(kit: Any) -> None:
    texts = [kit.text(150, 190, "Ships by port", 16), *laid(kit, SHIPS, (72, 160, 250, 340), top=222)]
    drawing = grid((66, 150, 240, 330, 400), (170, 210, 226, 240, 254, 268))
    path = kit.write(kit.sheet([*texts, *kit.column(WORDS, y=300)], drawing=drawing))
    assert tables(path) == [SHIPS_TEXT]
    assert parse(path).canonical.text.startswith("Ships by port")


def test_rows_over_and_under_the_rules_belong_to_the_table(kit: Any) -> None:
    drawing = lines(*((70, y, 400, y) for y in (204, 218, 232)))
    assert tables(kit.write(kit.sheet(laid(kit, SHIPS, (72, 160, 250, 340)), drawing=drawing))) == [SHIPS_TEXT]


def test_a_frame_around_prose_is_no_table(kit: Any) -> None:
    drawing = grid((60, 540), (80, 300)) + lines((60, 200, 540, 200))
    texts = [*kit.column(WORDS + ".", y=100), *kit.column(WORDS + ".", y=220)]
    path = kit.write(kit.sheet(texts, drawing=drawing))
    assert tables(path) == []
    assert bodies(path) == [WORDS + "."] * 2


@pytest.mark.parametrize("marks", [("1.", "2.", "3."), ("•", "•", "•"), ("(a)", "(b)", "(c)")])
def test_items_behind_their_marks_are_no_table(kit: Any, marks: Sequence[str]) -> None:
    texts = [
        t
        for n, mark in enumerate(marks)
        for t in (kit.text(72, 100 + 14 * n, mark), kit.text(110, 100 + 14 * n, f"The item number {n} of this list"))
    ]
    assert tables(kit.write(kit.sheet(texts))) == []


def test_columns_of_prose_are_no_table(kit: Any) -> None:
    left, right = kit.column(WORDS, chars=38, x=60), kit.column(WORDS, chars=38, x=330)
    rows = [text for pair in zip(left, right, strict=True) for text in pair]
    assert tables(kit.write(kit.sheet(rows))) == []


def test_a_formula_is_no_table(kit: Any) -> None:
    texts = [
        kit.text(72 + 60 * c, 100 + 14 * r + 3 * (c % 2), cell)
        for r, row in enumerate(("a=b", "c=d", "x=y"))
        for c, cell in enumerate(row)
    ]
    assert tables(kit.write(kit.sheet(texts))) == []


@pytest.mark.parametrize("words", [("dimethyl-serotonin; and", "other names:"), ("the list of names is", "kept by the clerk")])
def test_justified_lines_with_wide_blanks_are_no_table(kit: Any, words: Sequence[str]) -> None:
    def flush(row: int, left: str, right: str) -> list[Any]:
        y = 100 + 12 * row
        return [kit.text(72, y, left, font="Courier"), kit.text(300 - 6 * len(right), y, right, font="Courier")]

    rows = [(words[0], words[1]), (words[1][:9], words[0]), (words[0][4:], words[1][2:]), (words[0], words[1][3:])]
    assert tables(kit.write(kit.sheet([text for n, row in enumerate(rows) for text in flush(n, *row)]))) == []


@pytest.mark.parametrize("pages", [("iii", "iv", "1", "1"), ("1", "4", "12", "30")])
def test_a_list_of_contents_is_no_table(kit: Any, pages: Sequence[str]) -> None:
    titles = ("1 The harbour", "2 The roads", "2.1 The road to the north", "3 Costs")
    path = kit.write(kit.sheet(laid(kit, list(zip(titles, pages, strict=True)), (72, 480))))
    assert tables(path) == []
    assert bodies(path) == [f"{title} {page}" for title, page in zip(titles, pages, strict=True)]


def test_nothing_of_a_page_with_tables_is_lost_or_doubled(kit: Any) -> None:
    drawing = grid((66, 150, 240, 330, 400), tuple(190 + 14 * n for n in range(5)))
    texts = [*kit.column(WORDS, y=100), *laid(kit, SHIPS, (72, 160, 250, 340)), *kit.column(WORDS, y=300)]
    text = parse(kit.write(kit.sheet(texts, drawing=drawing))).canonical.text
    drawn = "".join(t.text for t in texts)
    assert sorted(text.replace("|", "").replace(" ", "").replace("\n", "")) == sorted(drawn.replace(" ", ""))
