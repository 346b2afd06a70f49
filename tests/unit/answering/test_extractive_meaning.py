"""The extractive model with an embedding model: paraphrases and other languages."""

from collections.abc import Sequence
from math import sqrt

from pincite.answering.choice import load_weights
from pincite.answering.extractive import LONG_LIST, SHORT_LIST, CosineFloors, ExtractiveChatModel
from pincite.answering.prompts import DEFAULT_RAG_PROMPT, INSUFFICIENT_CONTEXT
from pincite.core.documents import EmbeddingSpec
from pincite.core.evidence import Passage, Scores
from pincite.core.ids import DocumentId
from pincite.core.ports.models import Vector


class Meanings:
    """An embedding model for which a text means what it is told: its cosine to any question."""

    def __init__(self, **near: float) -> None:
        self._near = near
        self.embedded: list[str] = []

    @property
    def spec(self) -> EmbeddingSpec:
        return EmbeddingSpec("meanings", "1", 2, 100)

    async def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        self.embedded += texts
        near = [max((value for word, value in self._near.items() if word in text), default=0.1) for text in texts]
        return [(value, sqrt(1 - value * value)) for value in near]

    async def embed_query(self, text: str) -> Vector:
        return (1.0, 0.0)

    async def embed_queries(self, texts: Sequence[str]) -> list[Vector]:
        return [await self.embed_query(text) for text in texts]

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]


def passage(text: str, *, document: str = "a", lang: str = "en") -> Passage:
    return Passage(text, DocumentId(document), lang=lang, scores=Scores(0.9))


async def reply(model: Meanings, question: str, *passages: Passage) -> str:
    floors = CosineFloors(same_language=0.83, across_languages=0.76)
    return await ExtractiveChatModel(model, floors=floors).invoke(DEFAULT_RAG_PROMPT.render(passages, question))


async def test_a_question_in_another_language_finds_the_sentence_that_means_the_same() -> None:
    text = passage("Staff wear badges. The notice period is sixty days. Doors open at nine.")
    assert await reply(Meanings(notice=0.8), "Wie lang ist die Kündigungsfrist?", text) == "The notice period is sixty days. [1]"


async def test_what_is_far_in_words_and_in_meaning_is_declined() -> None:
    text = passage("Staff wear badges. Doors open at nine.")
    assert await reply(Meanings(badges=0.7), "Wie lang ist die Kündigungsfrist?", text) == INSUFFICIENT_CONTEXT
    assert await reply(Meanings(badges=0.8), "Which planet is largest?", text) == INSUFFICIENT_CONTEXT
    assert await reply(Meanings(badges=0.7), "Which badges do the visitors of the planet buy?", text) == INSUFFICIENT_CONTEXT


async def test_words_alone_decide_where_nobody_knows_what_a_cosine_means() -> None:
    prompt = DEFAULT_RAG_PROMPT.render([passage("Staff wear badges. Doors open at nine.")], "What do staff wear?")
    assert await ExtractiveChatModel(Meanings(badges=0.3)).invoke(prompt) == "Staff wear badges. [1]"
    far = DEFAULT_RAG_PROMPT.render([passage("Staff wear badges. Doors open at nine.")], "Which planet is largest?")
    assert await ExtractiveChatModel(Meanings(badges=0.99)).invoke(far) == INSUFFICIENT_CONTEXT


async def test_meaning_decides_between_sentences_that_share_the_same_words() -> None:
    text = passage("The bank raised the rate. The rate of the bank fell. The bank told a rate.")
    assert await reply(Meanings(told=0.95, fell=0.8, raised=0.8), "What rate did the bank announce?", text) == (
        "The bank told a rate. [1]"
    )


async def test_only_a_short_list_is_embedded() -> None:
    many = passage(" ".join(f"Rule {word} speaks of notice." for word in "abcdefghijklmnopqrstuvwxyz" * 2))
    few = Meanings()
    await reply(few, "What is the notice?", many)
    assert len(few.embedded) == min(SHORT_LIST, 26)
    none = Meanings()
    await reply(none, "Kündigungsfrist?", many, passage(" ".join(f"Word {i} here." for i in range(40)), document="b"))
    assert len(none.embedded) == LONG_LIST


async def test_a_phrase_of_the_document_needs_no_embedding() -> None:
    model = Meanings()
    assert await reply(model, "doors open at nine", passage("Staff wear badges. Doors open at nine.")) == "Doors open at nine. [1]"
    assert model.embedded == []


class Measured(Meanings):
    """The same under the name of the model that the weights of the choice hold for."""

    @property
    def spec(self) -> EmbeddingSpec:
        return EmbeddingSpec(load_weights().model, "1", 2, 100)


async def test_a_row_of_a_table_that_would_be_quoted_is_not_left_to_the_weights_of_sentences() -> None:
    table = passage("| Badge | Colour |\n|---|---|\n| Visitor badge | yellow |\n| Staff badge | green |")
    asked = "What colour is the visitor badge?"
    found = await reply(Measured(yellow=0.95), asked, table)
    assert "yellow" in found
    assert found == await reply(Meanings(yellow=0.95), asked, table)


async def test_the_weights_of_sentences_leave_out_rows_and_headings() -> None:
    text = passage(
        "# Badges\n\nStaff wear badges at all times. Doors open at nine.\n\n| Badge | Colour |\n|---|---|\n| Staff | green |"
    )
    found = await reply(Measured(badges=0.95), "When do staff wear badges?", text)
    assert "Staff wear badges at all times." in found
    assert "#" not in found
    assert "|" not in found
