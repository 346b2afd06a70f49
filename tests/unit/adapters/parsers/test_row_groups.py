"""Long tables of documents: their rows stand in groups under the head of the columns, whatever the format."""

from collections.abc import Sequence
from typing import Any

from pincite.adapters.parsers.html import read_html
from pincite.adapters.parsers.markdown import read_markdown
from pincite.adapters.parsers.pdf import read_pdf
from pincite.adapters.parsers.row_groups import GROUP_CHARS, row_groups
from pincite.core.documents import BlockRole, CanonicalText

HEAD = ("Harbour", "Ships in 1921", "Ships in 1922")
ROWS = [(f"Port number {n}", f"{1000 + n}", f"{2000 + n}") for n in range(40)]


def groups(canonical: CanonicalText) -> list[list[str]]:
    return [canonical.text[b.start : b.end].split("\n") for b in canonical.blocks if b.role is BlockRole.TABLE]


def check(found: list[list[str]]) -> None:
    """Every row stands once, in order, and each group under the head."""
    lines = [f"| {' | '.join(row)} |" for row in (HEAD, *ROWS)]
    assert len(found) > 1
    assert {group[0] for group in found} == {lines[0]}
    assert [row for group in found for row in group[1:]] == lines[1:]
    assert all(sum(map(len, group)) <= GROUP_CHARS for group in found)


def test_a_long_markdown_table_repeats_its_head_and_each_character_has_its_place() -> None:
    source = "\n".join(f"| {' | '.join(row)} |" for row in (HEAD, ("---",) * 3, *ROWS))
    canonical = read_markdown(source, max_chars=100_000).canonical
    check(groups(canonical))
    for run in canonical.runs:
        assert canonical.text[run.start : run.start + run.length] == source[run.index : run.index + run.count]


def test_a_long_html_table_repeats_its_head_with_or_without_header_cells() -> None:
    for tag in ("th", "td"):
        rows = [f"<tr>{''.join(f'<{tag}>{cell}</{tag}>' for cell in HEAD)}</tr>"]
        rows += [f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in ROWS]
        check(groups(read_html(f"<table>{''.join(rows)}</table>", max_chars=100_000).canonical))


def laid(kit: Any, rows: Sequence[Sequence[str]]) -> list[Any]:
    return [kit.text(x, 60 + 14 * n, cell) for n, row in enumerate(rows) for x, cell in zip((72, 240, 400), row, strict=True)]


def test_a_long_pdf_table_repeats_its_head_and_a_quote_of_it_has_the_boxes_of_the_one_that_is_printed(kit: Any) -> None:
    canonical = read_pdf(kit.write(kit.sheet(laid(kit, (HEAD, *ROWS)))), max_pages=9, max_chars=100_000).canonical
    check(groups(canonical))
    heads = [block.start for block in canonical.blocks if block.role is BlockRole.TABLE]
    places = [[(run.page, run.index) for run in canonical.runs_within(at, at + len("| Harbour |"))] for at in heads]
    assert all(place == places[0] != [] for place in places)


def test_on_the_next_page_a_table_without_a_head_gets_that_of_the_page_before_which_has_no_place_there(kit: Any) -> None:
    path = kit.write(kit.sheet(laid(kit, (HEAD, *ROWS[:20]))), kit.sheet(laid(kit, ROWS[20:])))
    canonical = read_pdf(path, max_pages=9, max_chars=100_000).canonical
    check(groups(canonical))
    carried = [block for block in canonical.blocks if block.page == 2]
    first = canonical.runs_within(carried[0].start, carried[0].end)
    assert {run.page for run in first} == {2}
    assert canonical.text[first[0].start :].startswith("Port number 20")


def test_columns_elsewhere_on_the_next_page_are_another_table(kit: Any) -> None:
    other = [
        kit.text(x, 60 + 14 * n, cell) for n, row in enumerate(ROWS[20:]) for x, cell in zip((180, 330, 500), row, strict=True)
    ]
    canonical = read_pdf(
        kit.write(kit.sheet(laid(kit, (HEAD, *ROWS[:20]))), kit.sheet(other)), max_pages=9, max_chars=100_000
    ).canonical
    assert all(HEAD[0] not in canonical.text[b.start : b.end] for b in canonical.blocks if b.page == 2)


def test_a_short_table_is_one_group_and_so_is_one_without_a_head() -> None:
    assert row_groups([HEAD, *ROWS[:9]]) == [list(range(10))]
    assert row_groups(ROWS) == [list(range(40))]


def test_titles_stand_over_the_first_group_alone() -> None:
    found = row_groups([("Ships by harbour", "", ""), HEAD, *ROWS])
    assert found[0][:3] == [0, 1, 2]
    assert {tuple(group[:1]) for group in found[1:]} == {(1,)}


def test_of_a_long_head_of_several_rows_the_last_is_repeated_and_a_longer_one_not_at_all() -> None:
    upper = ["", "Ships " * 60, ""]
    assert {group[0] for group in row_groups([upper, HEAD, *ROWS], heads=[0, 1])[1:]} == {1}
    assert len(row_groups([upper, *ROWS], heads=[0])) == 1


def test_a_row_of_a_few_names_over_a_row_of_names_is_a_head_with_it() -> None:
    upper = ["", "Sail", "", "", "Steam", "", ""]
    names = ["Harbour", "Old", "New", "Lost", "Old", "New", "Lost"]
    rows = [[f"Port number {n}", *(str(n + column) for column in range(6))] for n in range(40)]
    assert {tuple(group[:2]) for group in row_groups([upper, names, *rows])} == {(0, 1)}
