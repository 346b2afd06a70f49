"""Rows of fields: each group of rows stands under its head, and each cell knows its place."""

import pytest

from pincite.adapters.parsers.decoding import decode_text
from pincite.adapters.parsers.delimited import choose_dialect, looks_delimited, read_delimited
from pincite.core.cells import cell_range
from pincite.core.documents import BlockRole, ParsedDocument
from pincite.core.errors import RefusedInput


def read(text: str, *, max_chars: int = 5_000_000) -> ParsedDocument:
    return read_delimited(text, max_chars=max_chars)


def blocks(document: ParsedDocument) -> list[tuple[BlockRole, str]]:
    text = document.canonical.text
    return [(block.role, text[block.start : block.end]) for block in document.canonical.blocks]


def place(document: ParsedDocument, text: str) -> str:
    at = document.canonical.text.index(text)
    return cell_range(document.canonical.runs_within(at, at + len(text)))


def test_the_head_is_repeated_over_each_group_of_rows() -> None:
    found = blocks(read("Team,Town,Cups\n" + "".join(f"Team {n},Town {n},{n}\n" for n in range(200))))
    assert len(found) > 5
    assert all(role is BlockRole.TABLE and text.startswith("| Team | Town | Cups |\n| Team ") for role, text in found)
    assert all(len(text) < 1000 for _, text in found)
    rows = [line for _, text in found for line in text.split("\n")[1:]]
    assert rows == [f"| Team {n} | Town {n} | {n} |" for n in range(200)]


def test_a_quote_stands_in_cells_with_a_name() -> None:
    document = read("Team,Town,Cups\nBlues,STL,1\nMaple Leafs,TOR,13\n")
    assert place(document, "Maple Leafs") == "A3"
    assert place(document, "STL | 1 |\n| Maple Leafs | TOR | 13") == "A2:C3"


def test_rows_without_a_head_are_told_from_it() -> None:
    found = blocks(read("".join(f"{n},Ann,{n * 2}\n" for n in range(100))))
    assert len(found) > 1
    assert all(text.count("\n") and "| 0 |" not in text for _, text in found[1:])


def test_a_line_on_top_of_a_table_is_its_heading() -> None:
    found = blocks(read("Stanley Cups,,\nTeam,Town,Cups\nBlues,STL,1\n"))
    assert found == [(BlockRole.HEADING, "Stanley Cups"), (BlockRole.TABLE, "| Team | Town | Cups |\n| Blues | STL | 1 |")]


def test_long_rows_become_lines_that_name_their_columns() -> None:
    head = ",".join(f"A long name of column {n}" for n in range(30))
    document = read(head + "\n" + ",".join(f"v{n}" for n in range(30)) + "\n" + "w" + "," * 29 + "\n")
    assert [text.split("\n")[0] for _, text in blocks(document)] == ["A long name of column 0: v0", "A long name of column 0: w"]
    assert place(document, "v7") == "H2"
    assert place(document, "A long name of column 7") == "H1"


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [
        ("a;b\n1,5;2,5\n3,5;4,5\n", ";"),
        ("a\tb,c\n1\t2\n", "\t"),
        ("a|b\n1|2\n", "|"),
        ('a,b\n"x;y",2\n"p;q",3\n', ","),
        ("a,b\n1\n1,2,3\n,,,\n", ","),
        ("a\nb\nc\n", ","),
    ],
)
def test_the_separator_is_told_by_the_rows(text: str, delimiter: str) -> None:
    assert choose_dialect(text).delimiter == delimiter


def test_a_declared_separator_is_followed_and_is_no_row() -> None:
    assert blocks(read("sep=;\r\na;b\r\n1;2,5\r\n")) == [(BlockRole.TABLE, "| a | b |\n| 1 | 2,5 |")]


def test_quoted_fields_hold_separators_quotes_and_line_feeds() -> None:
    document = read('Name,Note\nAnn,"said ""no"",\nthen left"\nBo,x\n')
    assert '| Ann | said "no", then left |\n| Bo | x |' in document.canonical.text
    assert place(document, "Bo") == "A3"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_may_end_in_any_way(end: str) -> None:
    assert blocks(read(f"a,b{end}1,2{end}3,4")) == [(BlockRole.TABLE, "| a | b |\n| 1 | 2 |\n| 3 | 4 |")]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252"])
def test_the_encoding_is_told_by_the_bytes(encoding: str) -> None:
    raw = "Name;Stadt\nJürgen Müller;Köln\nBjörn Größe;Düren\n".encode(encoding)
    assert "| Jürgen Müller | Köln |" in read(decode_text(raw)).canonical.text


def test_ragged_rows_keep_all_their_fields() -> None:
    document = read("a,b,c\n1\n1,2,3,extra\n")
    assert "| 1 | | |" in document.canonical.text
    assert place(document, "extra") == "D3"


def test_a_quotation_mark_that_nothing_closes_swallows_no_rows() -> None:
    document = read('a,b\n"never closed,1\n' + "x,2\n" * 5000)
    assert document.canonical.text.count("| x | 2 |") == 5000


def test_a_field_larger_than_usual_is_read() -> None:
    assert "z" * 200_000 in read("a,b\n" + "z" * 200_000 + ",1\n").canonical.text


@pytest.mark.parametrize(("text", "said"), [(",".join("a" * 17_000) + "\n1", "16,384 columns"), ("a,b\n1,2\n" * 500, "characters")])
def test_what_is_too_large_is_refused_with_its_bound(text: str, said: str) -> None:
    with pytest.raises(RefusedInput, match=said) as refused:
        read(text, max_chars=2000)
    assert refused.value.code == "too_large"


def test_many_cells_are_placed_by_row() -> None:
    document = read("a,b,c\n" + "1,2,3\n" * 50_000)
    last = document.canonical.runs[-1]
    assert cell_range([last]) == "A50001:C50001"
    assert document.canonical.text[last.start : last.start + last.length] == "| 1 | 2 | 3 |"


def test_very_many_cells_are_placed_by_group_of_rows() -> None:
    document = read("a,b,c\n" + "1,2,3\n" * 350_000, max_chars=20_000_000)
    head, group = document.canonical.runs[-2:]
    assert cell_range([head]) == "A1:C1"
    assert cell_range([group]).startswith("A349")
    assert cell_range([group]).endswith(":C350001")
    assert set(document.canonical.text[group.start : group.start + group.length].split("\n")) == {"| 1 | 2 | 3 |"}


@pytest.mark.parametrize(
    ("text", "is_table"),
    [
        ("a\tb\n1\t2\n3\t4\n", True),
        ("Dear Ann,\nthanks, truly, for all.\nBo\n", False),
        ("one, two, three\nfour, five, six\n", False),
        ("First we met. Then, later, we left.\nOne, two, three. Four.\nThis, too, is text. So.\n", False),
    ],
)
def test_a_text_without_a_name_is_a_table_only_when_all_rows_agree(text: str, is_table: bool) -> None:
    assert looks_delimited(text) is is_table
