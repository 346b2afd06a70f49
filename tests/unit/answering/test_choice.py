"""Sentences as the trees see them: what each adds to the others, in words and in meaning."""

from collections.abc import Sequence

from pincite.answering.choice import features, holds_for, load_weights, weighed
from pincite.answering.segments import Segment
from pincite.answering.selection import Candidate
from pincite.core.documents import EmbeddingSpec
from pincite.core.evidence import Passage, Scores
from pincite.core.ids import DocumentId

ASKED = "Where is the publisher of her first novel based?"


def candidate(
    n: int, text: str, logit: float, covered: Sequence[float], *, title: str = "", dense: float | None = None
) -> Candidate:
    passage = Passage(text, DocumentId(str(n)), title=title, end=len(text), scores=Scores(0.9, dense))
    return Candidate(n, passage, Segment(0, len(text), text), sum(covered), logit, covered=tuple(covered), titled=0.1 * n)


NOVEL = candidate(1, "Her first novel came out at Two Dollar Radio.", 1.0, (0.0, 0.3, 0.4), title="Grace Krilanovich", dense=0.9)
PUBLISHER = candidate(2, "The publisher is based in Columbus.", 0.5, (0.2, 0.0, 0.4), title="Two Dollar Radio")
OTHER = candidate(3, "Penguin is based in London.", 0.1, (0.1, 0.0, 0.0), title="Penguin Books")
FOUND = [NOVEL, PUBLISHER, OTHER]
VECTORS = [(1.0, 0.0), (0.8, 0.6), (0.6, 0.8)]


def told(found: Sequence[Candidate] = FOUND, vectors: Sequence[Sequence[float]] = VECTORS) -> dict[str, list[float]]:
    return {
        name: [round(float(value), 4) for value in values] for name, values in features(ASKED, found, (1.0, 0.0), vectors).items()
    }


def test_words_that_one_sentence_alone_holds_count_for_it_and_shared_ones_for_none() -> None:
    assert told()["alone"] == [0.3, 0.1, 0.0]


def test_sentences_are_compared_with_the_best_one() -> None:
    found = told()
    assert found["beyond the best"] == [0.0, 0.2, 0.1]
    assert found["shared with the best"] == [0.7, 0.4, 0.0]
    assert found["like the best"] == [1.0, 0.8, 0.6]
    assert found["link"] == [0.0, 1.0, -1.5]


def test_the_best_one_is_the_likeliest_by_words_and_meaning() -> None:
    found = told(vectors=[(0.6, 0.8), (1.0, 0.0), (0.0, 1.0)])
    assert found["rank by words"] == [0, 1, 2]
    assert found["rank by meaning"] == found["rank"] == [1, 0, 2]
    assert found["cosine"] == [0.6, 1.0, 0.0]
    assert found["below the nearest"] == [-0.4, 0.0, -1.0]


def test_what_a_passage_was_found_by_counts_and_words_alone_count_as_no_cosine() -> None:
    assert told()["passage cosine"] == [0.9, 0.0, 0.0]
    assert told()["source"] == [1, 2, 3]


def test_one_sentence_has_no_second() -> None:
    assert told([NOVEL], VECTORS[:1])["second"] == [-9.0]
    assert told([NOVEL], VECTORS[:1])["alone"] == [0.7]


def test_a_question_without_words_that_count_is_weighed_too() -> None:
    bare = candidate(1, "Her first novel.", 1.0, ())
    assert [one.n for one in weighed("???", [bare, bare], (1.0, 0.0), VECTORS[:2])] == [1, 1]


def test_candidates_come_back_likeliest_first_with_nothing_but_another_weight() -> None:
    found = weighed(ASKED, FOUND, (1.0, 0.0), VECTORS)
    assert sorted(one.n for one in found) == [1, 2, 3]
    assert [one.logit for one in found] == sorted((one.logit for one in found), reverse=True)


def test_the_weights_of_the_package_use_what_is_known_and_hold_for_one_model() -> None:
    weights = load_weights()
    assert set(weights.names) == set(told())
    assert holds_for(EmbeddingSpec(weights.model, "1", 384, 512))
    assert not holds_for(EmbeddingSpec("another", "1", 384, 512))
