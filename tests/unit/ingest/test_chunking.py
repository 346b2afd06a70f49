from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from pincite.core.documents import Block, BlockRole, CanonicalText, ChunkType, Page, SourceRun
from pincite.ingest.chunking import ChunkRules, Piece
from pincite.ingest.chunking import pieces as pieces_of


def cut(
    canonical: CanonicalText, rules: ChunkRules, count_tokens: Callable[[Sequence[str]], list[int]], **more: Any
) -> list[Piece]:
    return list(pieces_of(canonical, rules, count_tokens, **more))


def count_words(texts: Sequence[str]) -> list[int]:
    return [len(text.split()) for text in texts]


def count_characters(texts: Sequence[str]) -> list[int]:
    return [len(text) for text in texts]


def canonical_of(*parts: tuple[BlockRole, str]) -> CanonicalText:
    text, blocks = "", list[Block]()
    for role, part in parts:
        text += "\n\n" if text else ""
        level = 1 + part.count(".") if role is BlockRole.HEADING else 0
        blocks.append(Block(role, len(text), len(text) + len(part), None, level))
        text += part
    return CanonicalText(text, tuple(blocks))


def texts(canonical: CanonicalText, pieces: Sequence[Piece]) -> list[str]:
    return [canonical.text[piece.start : piece.end] for piece in pieces]


def test_sections_are_chunked_apart_under_their_heading_path() -> None:
    canonical = canonical_of(
        (BlockRole.HEADING, "1 Terms"),
        (BlockRole.BODY, "The term is two years."),
        (BlockRole.HEADING, "1.1 Notice"),
        (BlockRole.BODY, "Notice is sixty days."),
        (BlockRole.HEADING, "2 Law"),
        (BlockRole.BODY, "Dutch law applies."),
    )
    pieces = cut(canonical, ChunkRules(), count_words, title="Lease")
    assert [piece.heading_path for piece in pieces] == [("1 Terms",), ("1 Terms", "1.1 Notice"), ("2 Law",)]
    assert texts(canonical, pieces)[1] == "1.1 Notice\n\nNotice is sixty days."


def test_a_heading_without_text_joins_the_section_below_it() -> None:
    canonical = canonical_of((BlockRole.HEADING, "1 Terms"), (BlockRole.HEADING, "1.1 Notice"), (BlockRole.BODY, "Sixty days."))
    pieces = cut(canonical, ChunkRules(), count_words)
    assert texts(canonical, pieces) == ["1 Terms\n\n1.1 Notice\n\nSixty days."]
    assert pieces[0].heading_path == ("1 Terms", "1.1 Notice")


def test_no_heading_holds_beyond_its_page_where_pages_stand_alone() -> None:
    parts = [
        (BlockRole.HEADING, "First slide", 1, 1),
        (BlockRole.BODY, "Its text.", 0, 1),
        (BlockRole.BODY, "A slide without a title.", 0, 2),
        (BlockRole.HEADING, "Only a title", 1, 3),
        (BlockRole.HEADING, "Next title", 1, 4),
    ]
    text, blocks, runs = "", list[Block](), list[SourceRun]()
    for role, part, level, page in parts:
        text += "\n\n" if text else ""
        blocks.append(Block(role, len(text), len(text) + len(part), page, level))
        runs.append(SourceRun(len(text), len(part), page, 0, len(part)))
        text += part
    canonical = CanonicalText(text, tuple(blocks), tuple(Page(page, str(page)) for page in range(1, 5)), tuple(runs))
    pieces = cut(canonical, ChunkRules(), count_words, pages_stand_alone=True)
    assert [(text[piece.start : piece.end], piece.heading_path) for piece in pieces] == [
        ("First slide\n\nIts text.", ("First slide",)),
        ("A slide without a title.", ()),
        ("Only a title", ("Only a title",)),
        ("Next title", ("Next title",)),
    ]


def test_headers_footers_and_page_numbers_are_never_retrieved() -> None:
    canonical = canonical_of(
        (BlockRole.BODY, "Real text."), (BlockRole.HEADER, "ACME"), (BlockRole.PAGE_NUMBER, "7"), (BlockRole.FOOTNOTE, "1 A note.")
    )
    assert texts(canonical, cut(canonical, ChunkRules(), count_words)) == ["Real text.", "1 A note."]


def test_a_chunk_of_table_rows_alone_is_a_table() -> None:
    canonical = canonical_of((BlockRole.TABLE, "| a | b |\n| 1 | 2 |"))
    assert cut(canonical, ChunkRules(), count_words)[0].chunk_type is ChunkType.TABLE


def test_chunks_end_at_sentences_and_repeat_the_tail_of_the_one_before() -> None:
    sentences = [f"Sentence number {n} has exactly seven words." for n in range(12)]
    canonical = canonical_of((BlockRole.BODY, " ".join(sentences)))
    pieces = cut(canonical, ChunkRules(budget_tokens=21, overlap_percent=40), count_words)
    found = texts(canonical, pieces)
    assert found[0] == " ".join(sentences[:3])
    assert found[1].startswith(sentences[2])
    assert all(text.endswith(".") for text in found)


def test_a_table_is_cut_at_row_ends_and_repeats_whole_rows() -> None:
    rows = [f"Mr. No. {n}\tcell. Two\t{n}.5\t{n}" for n in range(12)]
    canonical = canonical_of((BlockRole.TABLE, "\n".join(rows)))
    pieces = cut(canonical, ChunkRules(budget_tokens=24, overlap_percent=40), count_words)
    found = [text.split("\n") for text in texts(canonical, pieces)]
    assert len(found) > 4
    assert all(row in rows for chunk in found for row in chunk)
    assert all(after[0] == before[-1] for before, after in pairwise(found))


def test_a_chunk_ends_with_its_page() -> None:
    text = "One on page one. Two on page one. Three on page two."
    at = text.index("Three")
    canonical = CanonicalText(
        text,
        (Block(BlockRole.BODY, 0, len(text), 1),),
        (Page(1, "1"), Page(2, "2")),
        (SourceRun(0, at - 1, 1, 0, at - 1), SourceRun(at, len(text) - at, 2, 0, len(text) - at)),
    )
    assert texts(canonical, cut(canonical, ChunkRules(), count_words)) == [
        "One on page one. Two on page one.",
        "Three on page two.",
    ]


def test_the_title_and_headings_take_their_share_of_the_budget() -> None:
    canonical = canonical_of((BlockRole.BODY, "One two three four. Five six seven eight."))
    pieces = cut(canonical, ChunkRules(budget_tokens=10, overlap_percent=0), count_words, title="a title of five words")
    assert len(pieces) == 2


def test_a_monster_without_blanks_is_cut_within_the_budget() -> None:
    canonical = canonical_of((BlockRole.BODY, "x" * 10_000))
    pieces = cut(canonical, ChunkRules(budget_tokens=100), count_characters)
    assert all(piece.token_count <= 100 for piece in pieces)
    assert "".join(texts(canonical, pieces)) == "x" * 10_000


@given(st.lists(st.text(alphabet="ab. \n|é中", min_size=1, max_size=60), min_size=1, max_size=6), st.integers(16, 40))
def test_every_visible_character_is_in_a_chunk_and_no_chunk_exceeds_the_budget(parts: list[str], budget: int) -> None:
    canonical = canonical_of(*((BlockRole.BODY, part) for part in parts))
    pieces = cut(canonical, ChunkRules(budget_tokens=budget), count_characters)
    covered = {offset for piece in pieces for offset in range(piece.start, piece.end)}
    assert all(offset in covered for offset, char in enumerate(canonical.text) if not char.isspace())
    assert all(piece.token_count <= budget for piece in pieces)


def test_groups_of_rows_behind_one_another_are_cut_between_them_and_keep_their_heads() -> None:
    groups = [
        (BlockRole.TABLE, "| Team | Cups |\n" + "\n".join(f"| T{n} | {n} |" for n in range(at, at + 3))) for at in range(0, 12, 3)
    ]
    canonical = canonical_of((BlockRole.HEADING, "Cups"), *groups)
    pieces = cut(canonical, ChunkRules(40, 25), count_words)
    assert [text.removeprefix("Cups\n\n") for text in texts(canonical, pieces)] == [text for _, text in groups]
    assert {piece.chunk_type for piece in pieces} == {ChunkType.TABLE}


TABLE = "| Team | Cups |\n| T1 | 1 |"


def kinds(canonical: CanonicalText, rules: ChunkRules | None = None) -> list[tuple[str, str]]:
    pieces = cut(canonical, rules or ChunkRules(), count_words)
    return [(piece.chunk_type.value, canonical.text[piece.start : piece.end]) for piece in pieces]


def test_a_table_between_paragraphs_is_a_chunk_of_its_own_under_the_same_headings() -> None:
    canonical = canonical_of(
        (BlockRole.HEADING, "Cups"), (BlockRole.BODY, "Before it."), (BlockRole.TABLE, TABLE), (BlockRole.BODY, "After it.")
    )
    assert kinds(canonical) == [("text", "Cups\n\nBefore it."), ("table", TABLE), ("text", "After it.")]
    assert {piece.heading_path for piece in cut(canonical, ChunkRules(), count_words)} == {("Cups",)}


def test_what_names_a_table_stands_in_its_chunk() -> None:
    caption, lead = "Table 1. Cups by team", "The cups are:"
    for above in ((BlockRole.CAPTION, caption), (BlockRole.BODY, lead), (BlockRole.HEADING, "Cups")):
        assert kinds(canonical_of(above, (BlockRole.TABLE, TABLE))) == [("table", f"{above[1]}\n\n{TABLE}")]
    below = canonical_of((BlockRole.TABLE, TABLE), (BlockRole.CAPTION, caption), (BlockRole.BODY, "More."))
    assert kinds(below) == [("table", f"{TABLE}\n\n{caption}"), ("text", "More.")]
    both = canonical_of((BlockRole.BODY, "Text."), *((BlockRole.CAPTION, caption), (BlockRole.TABLE, TABLE)) * 2)
    assert [kind for kind, _ in kinds(both)] == ["text", "table", "table"]


def test_a_caption_below_stays_with_the_last_rows() -> None:
    groups = [(BlockRole.TABLE, "| Team | Cups |\n" + "\n".join(f"| T{n} | {n} |" for n in range(at, at + 3))) for at in (0, 3)]
    canonical = canonical_of(*groups, (BlockRole.CAPTION, "Table 1. Cups by team and year"))
    found = kinds(canonical, ChunkRules(45, 25))
    assert [text for _, text in found] == [groups[0][1], f"{groups[1][1]}\n\nTable 1. Cups by team and year"]
