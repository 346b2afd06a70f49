"""Which passages are summarised together, and what the chunk of a summary says of them."""

import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pincite.core.documents import Chunk, ChunkType, PageSpan
from pincite.core.ids import ChunkId, DocumentId, VersionId
from pincite.ingest.summaries import WINDOW, clusters, summary_chunk, summary_key, word_vectors

PASSAGE = Chunk(
    ChunkId("c"), DocumentId("d"), VersionId("v"), 0, "Lease", ("Terms", "Rent"), "The rent is 40.", 10, 25, 5, lang="en"
)
NUMBERS = st.floats(-1, 1, allow_nan=False, width=32)


def at(angle: float) -> list[float]:
    return [math.cos(angle), math.sin(angle)]


def test_a_passage_takes_those_nearest_to_it() -> None:
    vectors = [at(0), at(3), at(0.1), at(3.1), at(0.2), at(2.9)]
    assert clusters(vectors, [10] * 6, members=3) == [[0, 2, 4], [1, 3, 5]]


def test_no_cluster_has_more_passages_or_tokens_than_it_may() -> None:
    vectors = [at(number / 10) for number in range(10)]
    assert max(len(cluster) for cluster in clusters(vectors, [10] * 10, members=4)) == 4
    assert clusters(vectors, [100] * 10, most_tokens=250) == [[0, 1], [2, 3], [4, 5], [6, 7], [8, 9]]
    # Passages that are too long for that come in twos, or levels would never end.
    assert clusters(vectors, [900] * 10, most_tokens=250) == [[0, 1], [2, 3], [4, 5], [6, 7], [8, 9]]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(NUMBERS, NUMBERS, st.integers(0, 2000)), min_size=1, max_size=40))
def test_each_passage_is_in_one_cluster_and_every_level_is_smaller(passages: list[tuple[float, float, int]]) -> None:
    found = clusters([[x, y] for x, y, _ in passages], [tokens for _, _, tokens in passages])
    assert sorted(number for cluster in found for number in cluster) == list(range(len(passages)))
    assert all(len(cluster) > 1 for cluster in found[:-1])
    assert len(found) < len(passages) or len(passages) == 1


def test_a_long_document_is_taken_in_parts() -> None:
    found = clusters([at(number) for number in range(WINDOW + 3)], [10] * (WINDOW + 3))
    assert found[-1] == [WINDOW, WINDOW + 1, WINDOW + 2]


def test_without_a_model_texts_are_near_that_share_rare_words() -> None:
    texts = ["The zebra eats.", "A contract ends in May.", "One zebra sleeps.", "The contract may be renewed."]
    assert clusters(word_vectors(texts, "en"), [5] * 4, members=2) == [[0, 2], [1, 3]]
    assert clusters(word_vectors(["", "?"], ""), [5] * 2) == [[0, 1]]


def test_the_key_of_a_summary_changes_with_its_passages_and_its_writer_and_not_with_the_title() -> None:
    key = summary_key([PASSAGE], writer="gpt")
    assert summary_key([replace(PASSAGE, title="Renamed", id=ChunkId("x"), start=90)], writer="gpt") == key
    others = [replace(PASSAGE, text="The rent is 41."), replace(PASSAGE, heading_path=("Terms", "Fees"))]
    keys = {summary_key([each], writer="gpt") for each in others} | {summary_key([PASSAGE, PASSAGE], writer="gpt")}
    assert len(keys | {key, summary_key([PASSAGE], writer="other")}) == 5


def test_a_summary_stands_for_the_run_from_its_first_passage_to_its_last() -> None:
    late = replace(
        PASSAGE,
        id=ChunkId("late"),
        heading_path=("Terms", "Fees"),
        start=90,
        end=99,
        pages=(PageSpan(4, "iv", 90, 95), PageSpan(5, "v", 95, 99)),
    )
    early = replace(PASSAGE, pages=(PageSpan(2, "ii", 10, 25),))
    made = summary_chunk("About rent and fees.", [late, early], like=early, index=7, tokens=4)
    assert (made.start, made.end, made.chunk_index, made.token_count) == (10, 99, 7, 4)
    assert [page.page for page in made.pages] == [2, 5]
    note = replace(early, id=ChunkId("note"), start=100, end=120, pages=(PageSpan(3, "iii", 100, 120),))
    assert [page.page for page in summary_chunk("x", [late, early, note], like=early, index=7, tokens=4).pages] == [2, 5]
    assert (made.heading_path, made.chunk_type, made.generated) == (("Terms",), ChunkType.SUMMARY, True)
    assert made.members == (late.id, early.id)
    assert summary_chunk("x", [early], like=early, index=0, tokens=1).pages == early.pages


@pytest.mark.parametrize("paths", [[("A", "B"), ("A",)], [("A",), ("A", "B")]])
def test_a_summary_stands_under_the_headings_that_its_passages_share(paths: list[tuple[str, ...]]) -> None:
    members = [replace(PASSAGE, heading_path=path) for path in paths]
    assert summary_chunk("x", members, like=members[0], index=0, tokens=1).heading_path == ("A",)
