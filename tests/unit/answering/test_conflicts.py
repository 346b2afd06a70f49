"""Sources that disagree on a figure of the same thing, and sources that an answer leaves out."""

import pytest

from pincite.adapters.memory.chat import ScriptedChatModel
from pincite.adapters.memory.retriever import FixedRetriever
from pincite.answering.conflicts import Disputes
from pincite.answering.engine import QueryEngine
from pincite.answering.extractive import ExtractiveChatModel
from pincite.answering.sources import group_sources
from pincite.core.answers import Answer
from pincite.core.evidence import Passage, Scores
from pincite.core.ids import DocumentId, VersionId
from pincite.core.policies import Policy

QUESTION = "How long is the notice period?"
OLD = "The lease is made in Utrecht. The notice period for the tenant is 30 days. The rent is due on the first day."
NEW = "The lease was amended. The notice period for the tenant is 60 days. The tenant keeps no animals."


def passage(text: str, name: str, *, lang: str = "en", score: float = 0.0) -> Passage:
    start = 100
    return Passage(
        text,
        document_id=DocumentId(name),
        version_id=VersionId(f"v-{name}"),
        title=name,
        start=start,
        end=start + len(text),
        lang=lang,
        scores=Scores(score),
    )


async def answer_of(reply: str, *passages: Passage, question: str = QUESTION, policy: Policy = Policy.FLAG) -> Answer:
    return await QueryEngine(FixedRetriever(passages), ScriptedChatModel([reply]), policy=policy).ask(question)


async def test_both_sides_are_named_with_number_place_and_quote() -> None:
    answer = await answer_of("The notice period is 30 days [1].", passage(OLD, "old"), passage(NEW, "new"))
    [conflict] = answer.conflicts
    assert conflict.values == ("30 days", "60 days")
    assert [citation.n for citation in conflict.citations] == [1, 2]
    assert [citation.document_id for citation in conflict.citations] == ["old", "new"]
    for citation, text in zip(conflict.citations, (OLD, NEW), strict=True):
        [quote] = citation.quotes
        assert quote.text == text[quote.start - 100 : quote.end - 100]
        assert conflict.values[citation.n - 1] in quote.text
    told = answer.as_dict()["conflicts"][0]
    assert (told["values"], [side["n"] for side in told["citations"]]) == (["30 days", "60 days"], [1, 2])


async def test_a_conflict_that_both_sides_of_are_cited_is_told_once() -> None:
    reply = "The notice period is 30 days [1]. The notice period is 60 days [2]."
    answer = await answer_of(reply, passage(OLD, "old"), passage(NEW, "new"))
    assert len(answer.conflicts) == 1


async def test_what_isnt_cited_and_what_was_declined_brings_no_conflict() -> None:
    passages = (passage(OLD, "old"), passage(NEW, "new"))
    assert not (await answer_of("The rent is due on the first day [1].", *passages)).conflicts
    assert not (await answer_of("INSUFFICIENT_CONTEXT", *passages)).conflicts
    assert not (await answer_of("The notice period is 30 days [1].", *passages, policy=Policy.OFF)).conflicts


@pytest.mark.parametrize(
    ("one", "other", "lang"),
    [
        ("The notice period for the tenant is 30 days.", "The notice period for the tenant is sixty days.", "en"),
        ("The works must be complete by 12 March 2024.", "The works must be complete by May 12, 2024.", "en"),
        ("The company Acme was founded in Delft in 1901.", "The company Acme was founded in Delft in 1911.", "en"),
        ("Late payment costs 4% of the invoice.", "Late payment costs 6 percent of the invoice.", "en"),
        ("The deposit for the flat is $1,200.", "The deposit for the flat is $1,500.", "en"),
        ("Die Kündigungsfrist für den Mieter beträgt 30 Tage.", "Die Kündigungsfrist für den Mieter beträgt 60 Tage.", "de"),
        ("El plazo de preaviso del inquilino es de 30 días.", "El plazo de preaviso del inquilino es de 60 días.", "es"),
        ("Срок уведомления арендатора составляет 30 дней.", "Срок уведомления арендатора составляет 60 дней.", "ru"),
        ("租户的通知期限为30天。", "租户的通知期限为60天。", "zh"),
    ],
)
def test_another_amount_or_date_of_the_same_thing_is_a_rival(one: str, other: str, lang: str) -> None:
    sources = group_sources([passage(one, "one", lang=lang), passage(other, "two", lang=lang)])
    said = Disputes(sources)
    [line] = [rivals for text, segment, _ in _sentences(said, 1) if (rivals := said.rival_of(1, text, segment))]
    assert (line.said.n, line.other.n) == (1, 2)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The notice period for the tenant is 30 days.", "The notice period for the tenant is thirty days."),
        ("The notice period for the tenant is two weeks.", "The notice period for the tenant is 14 days."),
        ("The notice period for the tenant is 30 days.", "The trial period for the janitor is 60 days."),
        ("In 2019 the festival was held in Utrecht.", "In 2020 the festival was held in Utrecht."),
        ("Its population was 5,000 people.", "Its population was 7,000 people."),
        ("We are open 30 hours a week.", "We are open 40 hours a week."),
        ("Utrecht has 350,000 people in the province.", "Arnhem has 160,000 people in the province."),
        ("Revenue was 5 million euros in 2022.", "Revenue was 6 million euros in 2023."),
        ("The tenant may object under section 5 of the act.", "The tenant may object under section 7 of the act."),
        ("Last updated: March 5, 2024", "Last updated: March 9, 2024"),
        ("Response code: 400", "Response code: 404"),
        ("5. Select an operating system.", "6. Select an operating system."),
        ("The fee is 30 euros for the notice.", "The fee is 30 days for the notice."),
    ],
)
def test_what_is_the_same_or_of_another_thing_is_none(one: str, other: str) -> None:
    sources = group_sources([passage(one, "one"), passage(other, "two")])
    said = Disputes(sources)
    assert [rivals for text, segment, _ in _sentences(said, 1) if (rivals := said.rival_of(1, text, segment))] == []


def _sentences(said: Disputes, n: int):
    return [(text, segment, found) for number, text, segment, found in said.sentences if number == n]


async def test_of_documents_that_are_called_alike_the_one_that_is_asked_for_has_no_conflict() -> None:
    one, other = passage(OLD, "Lease of Elkhorn Inc"), passage(NEW, "Lease of Acorn Inc")
    reply = "The notice period is 30 days [1]."
    assert len((await answer_of(reply, one, other)).conflicts) == 1
    assert not (await answer_of(reply, one, other, question="How long is the notice period of Elkhorn?")).conflicts


async def test_the_model_that_quotes_shows_both_sides() -> None:
    filler = "Bread is baked every morning. The oven is old."
    passages = [passage(OLD, "old", score=1.0), passage(filler, "bread", score=0.4), passage(NEW, "new", score=0.6)]
    answer = await QueryEngine(FixedRetriever(passages), ExtractiveChatModel()).ask("How long is the notice period for the tenant?")
    assert "30 days. [1]" in answer.text
    assert "60 days. [3]" in answer.text
    assert [conflict.values for conflict in answer.conflicts] == [("30 days", "60 days")]


async def test_a_source_that_speaks_of_what_is_asked_and_isnt_cited_is_listed() -> None:
    also = "The notice period begins with the next month. Bread is baked in the morning."
    passages = (passage(OLD, "old", score=1.0), passage(also, "also", score=0.8), passage("Bread is baked.", "no", score=0.2))
    answer = await answer_of("The notice period is 30 days [1]. Pets vote.", *passages)
    assert (answer.uncited, answer.uncited_claims) == ((2,), 1)
    everything = await answer_of("The notice period is 30 days [1]. It begins with the next month [2].", *passages)
    assert (everything.uncited, everything.uncited_claims) == ((), 0)
    assert not (await answer_of("INSUFFICIENT_CONTEXT", *passages)).uncited


async def test_a_withheld_claim_is_no_claim_without_a_citation() -> None:
    answer = await answer_of(
        "The notice period for the tenant is 30 days [1]. Pets vote.", passage(OLD, "old"), policy=Policy.STRICT
    )
    assert (answer.withheld, answer.uncited_claims) == (1, 0)
