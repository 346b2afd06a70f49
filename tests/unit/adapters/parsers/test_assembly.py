"""Canonical text put together: blocks, glue, runs."""

import pytest

from pincite.adapters.parsers.assembly import CanonicalBuilder
from pincite.core.documents import Block, BlockRole, SourceRun
from pincite.core.errors import RefusedInput


def test_blocks_are_parted_by_blank_lines_that_belong_to_none() -> None:
    builder = CanonicalBuilder(max_chars=100)
    builder.write("One", page=1, index=0)
    builder.close_block(BlockRole.HEADING, level=2)
    builder.write("Two", page=2, index=5)
    builder.close_block(BlockRole.BODY)
    text = builder.build()
    assert text.text == "One\n\nTwo"
    assert text.blocks == (Block(BlockRole.HEADING, 0, 3, 1, 2), Block(BlockRole.BODY, 5, 8, 2))
    assert text.runs == (SourceRun(0, 3, 1, 0, 3), SourceRun(5, 3, 2, 5, 3))


def test_glue_stands_between_pieces_alone() -> None:
    builder = CanonicalBuilder(max_chars=100)
    builder.glue(" ")
    builder.write("One", index=0)
    builder.glue("\n")
    builder.glue(" ")
    builder.write("two", index=9)
    builder.glue(" ")
    builder.close_block(BlockRole.BODY)
    assert builder.build().text == "One two"


def test_pieces_that_follow_each_other_in_the_file_are_one_run() -> None:
    builder = CanonicalBuilder(max_chars=100)
    builder.write("One ", index=0)
    builder.write("two", index=4)
    builder.write("\ufb01", index=7)
    builder.write("&", index=8, count=5)
    builder.write("x", index=13)
    builder.close_block(BlockRole.BODY)
    assert builder.build().runs == (
        SourceRun(0, 7, 0, 0, 7),
        SourceRun(7, 2, 0, 7, 1),
        SourceRun(9, 1, 0, 8, 5),
        SourceRun(10, 1, 0, 13, 1),
    )


def test_blocks_without_a_visible_character_leave_no_trace() -> None:
    builder = CanonicalBuilder(max_chars=100)
    for text in ("", "  \t", "\x00\u00ad"):
        builder.write(text, index=0)
        builder.close_block(BlockRole.BODY)
    assert builder.build().text == ""
    assert builder.build().blocks == ()


def test_too_much_text_is_refused() -> None:
    builder = CanonicalBuilder(max_chars=10)
    with pytest.raises(RefusedInput) as refused:
        builder.write("x" * 11)
    assert refused.value.code == "too_large"
