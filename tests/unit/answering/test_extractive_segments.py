"""Cutting passages into what can be quoted, and what a question asks for."""

import pytest

from pincite.answering.cues import holds_answer_kind
from pincite.answering.segments import MAX_SEGMENT_CHARACTERS, SegmentKind, segments
from pincite.core.documents import ChunkType
from pincite.core.evidence import Passage


def cut(text: str, *, title: str = "", headings: tuple[str, ...] = (), kind: ChunkType = ChunkType.TEXT) -> list[tuple[str, str]]:
    passage = Passage(text, title=title, heading_path=headings, lang="en", chunk_type=kind)
    found = segments(passage)
    assert all(text[part.start : part.end] == part.text for part in found)
    return [(part.kind.value, part.text) for part in found]


def test_a_heading_is_set_apart_from_the_sentence_behind_it() -> None:
    assert cut("2.1 Notice\nStaff give notice in writing. It counts.", headings=("2.1 Notice",)) == [
        ("heading", "2.1 Notice"),
        ("sentence", "Staff give notice in writing."),
        ("sentence", "It counts."),
    ]


def test_a_sentence_over_a_line_break_stays_whole() -> None:
    assert cut("Staff give notice\nin writing.") == [("sentence", "Staff give notice\nin writing.")]


def test_tables_are_cut_into_rows_and_rules_dropped() -> None:
    text = "| a | b |\n| --- | --- |\n| 1 | 2 |"
    assert cut(text, kind=ChunkType.TABLE) == [("row", "| a | b |"), ("row", "| 1 | 2 |")]
    assert cut("a\tb\n1\t2", kind=ChunkType.TABLE) == [("row", "a\tb"), ("row", "1\t2")]


def test_a_monster_is_cut_at_a_pause() -> None:
    text = "; ".join(["the tenant shall keep the premises clean and tidy"] * 60) + "."
    found = cut(text)
    assert len(found) > 3
    assert all(len(part) <= MAX_SEGMENT_CHARACTERS for _, part in found)
    assert all(part.endswith((";", ".")) for _, part in found)
    assert [kind for kind, _ in cut("x" * 3000)] == [SegmentKind.SENTENCE.value] * 4


def test_a_long_sentence_is_cut_behind_a_clause_or_not_at_all() -> None:
    clause = " ".join(["the tenant keeps 1,000 rooms clean"] * 10) + ", "
    assert all(part.endswith((",", ".")) for _, part in cut(clause * 4 + "and so on."))
    endless = " ".join(["the tenant keeps 1,000 rooms clean"] * 30) + "."
    assert cut(endless) == [("sentence", endless)]


def test_a_full_stop_in_a_cell_ends_no_row() -> None:
    rows = ["| No. 5. Roads | Built. Then mended. |", "| Ships | 104 |"]
    assert cut("Costs rose.\n\n" + "\n".join(rows)) == [("sentence", "Costs rose."), *(("row", row) for row in rows)]
    tabbed = ["Roads. All\tBuilt. Then mended.", "Ships\t104"]
    assert cut("\n".join(tabbed)) == [("row", row) for row in tabbed]
    assert cut("\n".join(tabbed), kind=ChunkType.TABLE) == [("row", row) for row in tabbed]


def test_nothing_but_blanks_has_no_segments() -> None:
    assert cut(" \n\n ") == []


@pytest.mark.parametrize(
    ("question", "text", "holds"),
    [
        ("How many days?", "It is 60 days.", True),
        ("How many days?", "It is long.", False),
        ("How many of the 60 days?", "All 60 days.", False),
        ("When was it built?", "Built in 1889.", True),
        ("Wann wurde er gebaut?", "Gebaut 1889.", True),
        ("Who built it?", "It was built by Eiffel.", True),
        ("Who was Eiffel?", "It was built by Eiffel.", False),
        ("Wo steht er?", "Er steht in Paris.", True),
        ("सबसे बड़ा कितने का है?", "यह 60 का है।", True),
        ("有多少天？", "共60天。", True),
        ("Why?", "Because of 60 Romans.", False),
    ],
)
def test_the_kind_of_answer_is_told_in_several_languages(question: str, text: str, holds: bool) -> None:
    assert holds_answer_kind(question, text) is holds
