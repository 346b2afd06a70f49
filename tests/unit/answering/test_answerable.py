"""How likely what was found answers a question."""

from array import array
from collections.abc import Sequence
from dataclasses import replace

import pytest

from pincite.adapters.memory.embedding import HashEmbedding
from pincite.answering.answerable import Answerability, Line, is_across, load_weights
from pincite.core.documents import EmbeddingSpec
from pincite.core.evidence import Passage, Retrieval, Scores, Signals
from pincite.core.ids import DocumentId
from pincite.core.ports.models import Vector

NOTICE = Passage("The lease runs for ten years. The notice period is sixty days.", DocumentId("a"), lang="en", scores=Scores(1.0))
FRUIT = Passage("Bananas are yellow when ripe. Apples keep for months.", DocumentId("b"), lang="en", scores=Scores(0.4))
ASKED = "How long is the notice period of the lease?"
STRONG = Signals(0.92, 15.0, 9.0, dense_next=0.82, lexical_next=4.0)
WEAK = Signals(0.78, 1.0, 9.0, dense_next=0.775, lexical_next=0.9)


class MeasuredEmbedding(HashEmbedding):
    """Vectors under the name of the model that the weights hold for: questions are near `NOTICE` alone."""

    @property
    def spec(self) -> EmbeddingSpec:
        """Return the measured model's name."""
        return replace(super().spec, name=load_weights().model)

    async def embed_query(self, text: str) -> Vector:
        """Return a direction."""
        return array("f", [1.0, 0.0])

    async def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        """Return that direction, or one that is as far from it as texts about anything are."""
        return [array("f", [0.92, 0.39] if text in NOTICE.text else [0.78, 0.63]) for text in texts]


async def probability(signals: Signals | None, *passages: Passage, question: str = ASKED, measured: bool = True) -> float | None:
    model = MeasuredEmbedding() if measured else HashEmbedding()
    return await Answerability(model).of(question, Retrieval(passages, signals=signals))


async def test_strong_evidence_is_likely_to_answer_and_weak_evidence_is_not() -> None:
    strong, weak = await probability(STRONG, NOTICE, FRUIT), await probability(WEAK, FRUIT)
    assert strong is not None
    assert weak is not None
    assert weak < 0.2 < 0.8 < strong <= 1


async def test_words_alone_tell_it_too() -> None:
    strong = await probability(replace(STRONG, dense_top=None, dense_next=None), NOTICE)
    weak = await probability(replace(WEAK, dense_top=None, dense_next=None), FRUIT)
    assert strong is not None
    assert weak is not None
    assert weak < 0.3 < 0.7 < strong


async def test_meaning_alone_tells_it_too() -> None:
    strong = await probability(Signals(0.92, None, 0.0, dense_next=0.82), NOTICE)
    assert strong is not None
    assert strong > 0.7


@pytest.mark.parametrize("signals", [None, STRONG, WEAK])
async def test_nothing_is_told_without_signals_or_of_a_model_that_was_not_measured(signals: Signals | None) -> None:
    assert await probability(signals, NOTICE, measured=False) is None
    assert Answerability().is_enough(None, "")


async def test_where_nothing_is_found_nothing_answers() -> None:
    assert await probability(WEAK) == 0
    assert not Answerability().is_enough(0.0, "")


async def test_a_question_that_stands_in_a_passage_word_for_word_is_answered_by_it() -> None:
    assert await probability(replace(WEAK, literal=1.0), FRUIT) == 1
    said = await probability(replace(WEAK, literal=0.6), FRUIT)
    assert said is not None
    assert said < 0.3


async def test_one_passage_in_a_small_collection_can_answer() -> None:
    small = await probability(Signals(0.9, 4.0, 2.0), NOTICE)
    assert small is not None
    assert small > 0.5


def test_a_threshold_of_nothing_refuses_nothing() -> None:
    assert Answerability(least=0).is_enough(0.0, "")
    assert not Answerability(least=1).is_enough(0.99, "")


@pytest.mark.parametrize(
    "question",
    [
        "Summarise the memo.",
        "What is this document about?",
        "Give me an overview",
        "What are the key points?",
        "What does the booking say?",
        "Translate the memo into German",
        "Fasse das Memo zusammen.",
        "Worum geht es in dem Vertrag?",
        "Résume ce document",
        "¿De qué trata este contrato?",
        "O que diz o contrato? Resuma.",
        "Riassumi il documento",
        "О чём этот договор?",
        "Bu belgeyi özetle",
        "لخص هذا المستند",
        "इस दस्तावेज़ का सारांश दें",
        "สรุปเอกสารนี้",
        "Tóm tắt tài liệu này",
        "总结这份文件",
        "この文書を要約して",
        "이 문서를 요약해 줘",
    ],
)
def test_a_model_that_can_do_something_with_texts_is_asked_to_whatever_was_found(question: str) -> None:
    assert Answerability(requests=True).is_enough(0.01, question)
    assert not Answerability().is_enough(0.01, question)


@pytest.mark.parametrize(
    "question", ["Who signed the memo?", "Wie hoch ist die Miete?", "何年に設立されましたか", "How long is the notice?"]
)
def test_what_is_to_be_looked_up_must_be_there(question: str) -> None:
    assert not Answerability(requests=True).is_enough(0.01, question)


def test_a_question_is_in_another_language_when_all_passages_are() -> None:
    german = replace(NOTICE, text="Die Kündigungsfrist beträgt sechzig Tage, der Vertrag läuft zehn Jahre.", lang="de")
    asked = "How long is the notice period of the lease contract that we signed?"
    assert is_across(asked, [german])
    assert not is_across(asked, [german, NOTICE])
    assert not is_across(asked, [replace(german, lang="", text="12 13 14")])


def test_what_is_not_known_counts_as_the_mean() -> None:
    line = Line(("a", "b"), (1.0, 2.0), (1.0, 1.0), (3.0, 5.0), 0.0)
    assert line.probability({}) == line.probability({"a": 1.0}) == 0.5
    assert line.probability({"b": 3.0}) > 0.99
    assert line.probability({"b": -1e9}) > 0


def test_more_evidence_never_makes_an_answer_less_likely() -> None:
    for line in (load_weights().same_language, load_weights().across_languages, load_weights().words):
        assert all(weight >= 0 for weight in line.weights)
