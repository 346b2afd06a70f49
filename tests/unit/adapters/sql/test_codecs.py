"""Values that are kept in one column come back exactly."""

import struct
import zlib
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, NewType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pincite.adapters.sql import canonical, half
from pincite.adapters.sql.passages import dump_pages, load_pages
from pincite.adapters.sql.plain import dump, load
from pincite.core.documents import Block, BlockRole, CanonicalText, Page, PageSpan, SourceRun
from pincite.core.ocr import ReadWord

Name = NewType("Name", str)
offsets = st.integers(0, 2**32 - 1)
texts = st.text(st.characters(), max_size=50)


class Colour(StrEnum):
    RED = "red"


@dataclass(frozen=True, slots=True)
class Leaf:
    name: Name
    size: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Tree:
    colour: Colour
    kind: Literal["a", "b"]
    leaves: tuple[Leaf, ...]
    notes: dict[str, str] = field(default_factory=dict[str, str])
    weight: float | None = None


TREE = Tree(Colour.RED, "b", (Leaf(Name("x"), (0.1 + 0.2, 1e-300)), Leaf(Name("\ud800"))), {"k": "ä"}, -0.0)


def test_nested_dataclasses_come_back_exactly() -> None:
    assert load(Tree, dump(TREE)) == TREE
    assert load(tuple[Leaf, ...], dump(TREE.leaves)) == TREE.leaves


def test_types_are_restored_and_not_only_values() -> None:
    found = load(Tree, dump(TREE))
    assert isinstance(found.colour, Colour)
    assert isinstance(found.leaves, tuple)
    assert isinstance(found.leaves[0].size, tuple)


def test_a_field_that_was_not_written_takes_its_default_and_one_that_is_gone_is_dropped() -> None:
    assert load(Leaf, '{"name":"x","colour":"red"}') == Leaf(Name("x"))


def test_a_type_without_a_decoder_is_refused() -> None:
    with pytest.raises(TypeError):
        load(tuple[int | str, ...], "[1]")


@settings(max_examples=40)
@given(
    text=texts,
    blocks=st.lists(
        st.builds(Block, st.sampled_from(BlockRole), offsets, offsets, st.none() | st.integers(1, 9999), st.integers(0, 6))
    ),
    pages=st.lists(st.builds(Page, st.integers(1, 9999), texts, st.floats(0, 1e4), st.floats(0, 1e4))),
    runs=st.lists(st.tuples(st.integers(0, 10**6), *[offsets] * 4)),
)
def test_any_canonical_text_comes_back(
    text: str, blocks: list[Block], pages: list[Page], runs: list[tuple[int, int, int, int, int]]
) -> None:
    rising = tuple(SourceRun(*run) for run in sorted(runs))
    given_text = CanonicalText(text, tuple(blocks), tuple(pages), rising)
    assert canonical.decode(canonical.encode(given_text)) == given_text


def test_pages_that_were_stored_without_bates_numbers_read_the_same() -> None:
    about = b'{"blocks":[],"pages":[[1,"iv",595.28,841.9]]}'
    old = struct.pack("<BII", 1, len(about), 1) + about + b"x"
    assert canonical.decode(zlib.compress(old)) == CanonicalText("x", (), (Page(1, "iv", 595.28, 841.9),))
    assert load_pages('[[3,"iii",0,9]]') == (PageSpan(3, "iii", 0, 9),)
    assert load_pages(dump_pages([PageSpan(3, "iii", 0, 9, "A-0001")])) == (PageSpan(3, "iii", 0, 9, "A-0001"),)


def test_what_ocr_read_comes_back_with_its_words() -> None:
    words = (ReadWord(1, 0, 3, 72.25, 70.0, 90.5, 82.0, 0.934), ReadWord(2, 0, 1, 1.0, 2.0, 3.0, 4.0, 1.0))
    text = CanonicalText("fee\n\n€", (), (Page(1, "1"), Page(2, "2")), (), words)
    assert canonical.decode(canonical.encode(text)) == text
    spans = (PageSpan(1, "1", 0, 3, ocr=True), PageSpan(2, "ii", 5, 6, "A-0001", ocr=True), PageSpan(3, "3", 6, 7))
    assert load_pages(dump_pages(spans)) == spans


def test_many_runs_are_kept_small() -> None:
    runs = tuple(SourceRun(i * 40, 39, i // 50 + 1, i % 50 * 40, 39) for i in range(50_000))
    whole = CanonicalText("lorem ipsum " * 100_000, (), (), runs)
    data = canonical.encode(whole)
    assert len(data) < 100_000
    assert canonical.decode(data) == whole


@settings(max_examples=40)
@given(st.lists(st.lists(st.floats(-1, 1, width=16), min_size=3, max_size=3) | st.none()))
def test_half_precision_numbers_come_back_exactly(vectors: list[list[float] | None]) -> None:
    blobs = [None if vector is None else half.pack(vector) for vector in vectors]
    found = half.unpack_all(blobs)
    assert [None if vector is None else list(vector) for vector in found] == vectors


def test_unpacked_vectors_are_float32_buffers_that_numpy_reads_in_place() -> None:
    first, _, second = half.unpack_all([half.pack([1, 2, 3]), None, half.pack([4, 5, 6])])
    assert first is not None
    assert second is not None
    array = np.asarray(second)
    assert array.dtype == np.float32
    assert np.shares_memory(array, np.asarray(memoryview(second)))  # pyright: ignore[reportArgumentType] (it is a buffer)
    assert (list(first), array.tolist(), len(second)) == ([1, 2, 3], [4, 5, 6], 3)


def test_places_far_down_in_a_sheet_come_back() -> None:
    far = SourceRun(3, 2, 1, 1_048_575 * 16_384 + 16_383, 1)
    given = CanonicalText("a\n\n12", (), (), (SourceRun(0, 1, 1, 7, 1), far))
    assert canonical.decode(canonical.encode(given)) == given
