"""Follow-up questions: sought in several wordings; a question without a history is sought as it is."""

from collections.abc import Sequence

from pincite.core.evidence import Turn
from pincite.core.ids import ChunkId
from pincite.core.ports.index import IndexHit, LexicalResult
from pincite.retrieval.followups import QUESTION_CHARACTERS, REPLY_CHARACTERS, most_said, nearest, wordings

OLD = Turn("How is the boiler heated?", "With gas.")
BEFORE = Turn("When is the pump oiled?", "Every week.")
LAST = Turn("And the valve?", "Every year, by the crew of hall seven.")


def hits(**scores: float) -> LexicalResult:
    return LexicalResult(tuple(IndexHit(ChunkId(chunk), score) for chunk, score in scores.items()), sum(scores.values()))


def scores(found: Sequence[IndexHit]) -> dict[str, float]:
    return {hit.chunk_id: round(hit.score, 6) for hit in found}


def test_without_a_history_there_is_the_question_alone() -> None:
    assert wordings("In winter?", ()) == ["In winter?"]


def test_a_follow_up_is_sought_with_the_two_questions_and_with_the_reply_before_it() -> None:
    assert wordings("In winter?", (OLD, BEFORE, LAST)) == [
        "In winter?",
        "When is the pump oiled?\nAnd the valve?\nIn winter?",
        "In winter?\nEvery year, by the crew of hall seven.",
    ]


def test_wordings_that_say_the_same_are_sought_once() -> None:
    assert wordings("In winter?", (Turn("", ""),)) == ["In winter?"]


def test_what_was_said_before_is_bounded() -> None:
    long = wordings("In winter?", (Turn("a" * 9000, "b" * 9000),))
    assert [len(text) for text in long[1:]] == [QUESTION_CHARACTERS + 11, REPLY_CHARACTERS + 11]


def test_of_cosines_the_highest_counts() -> None:
    found = nearest([hits(a=0.8, b=0.7).hits, hits(b=0.9, c=0.1).hits])
    assert scores(found) == {"b": 0.9, "a": 0.8, "c": 0.1}
    assert [hit.chunk_id for hit in found] == ["b", "a", "c"]


def test_words_count_on_the_scale_of_the_question() -> None:
    """A longer wording has higher sums: its best hit is worth as much as the question's best, not more."""
    (merged,) = most_said([[hits(a=2.0, b=1.0)], [hits(b=30.0, c=15.0)]])
    assert scores(merged.hits) == {"a": 2.0, "b": 2.0, "c": 1.0}
    assert merged.idf_mass == 3.0


def test_a_question_that_says_nothing_leaves_the_scale_to_the_next() -> None:
    (merged,) = most_said([[hits()], [hits(b=30.0, c=15.0)]])
    assert scores(merged.hits) == {"b": 30.0, "c": 15.0}
    assert merged.idf_mass == 45.0


def test_nothing_found_is_nothing() -> None:
    assert most_said([[hits(), hits()], [hits(), hits()]]) == [hits(), hits()]
    assert nearest([[], []]) == []


def test_several_collections_keep_their_places() -> None:
    first, second = most_said([[hits(a=4.0), hits(x=1.0)], [hits(a=1.0), hits(y=8.0)]])
    assert scores(first.hits) == {"a": 4.0}
    assert scores(second.hits) == {"y": 4.0, "x": 1.0}
