"""What the extractive model never says: fragments, answers to no question, rows under a row that is no head."""

import pytest

from pincite.answering.extractive import ExtractiveChatModel, plain
from pincite.answering.fragments import is_asked, is_fragment
from pincite.answering.matching import fold
from pincite.answering.prompts import DEFAULT_RAG_PROMPT, INSUFFICIENT_CONTEXT
from pincite.answering.segments import Segment, SegmentKind
from pincite.answering.sentinel import SentinelFilter
from pincite.core.documents import ChunkType
from pincite.core.evidence import Passage, Scores
from pincite.core.ids import DocumentId


def passage(text: str, *, chunk_index: int = 0, kind: ChunkType = ChunkType.TEXT) -> Passage:
    return Passage(text, DocumentId("a"), end=len(text), lang="en", scores=Scores(0.9), chunk_index=chunk_index, chunk_type=kind)


async def reply(question: str, *passages: Passage) -> str:
    return await ExtractiveChatModel().invoke(DEFAULT_RAG_PROMPT.render(passages, question))


@pytest.mark.parametrize("question", ["?", "\U0001f388", "a", "[1]", " \u200b ", "1 2"])
async def test_a_question_without_a_word_is_declined(question: str) -> None:
    text = "Vitamin a is 1 of 2 in [1] here? \U0001f388 It is good."
    assert await reply(question, passage(text)) == INSUFFICIENT_CONTEXT


@pytest.mark.parametrize("question", ["Fee?", "税", "값", "शुल्क", "ภาษี", "1921"])
def test_a_word_in_any_script_is_a_question(question: str) -> None:
    assert is_asked(question)


@pytest.mark.parametrize(
    "text",
    [
        "Table 20.1.",
        "6. Trademarks.",
        "20.5.",
        "Prev | Up | Next",
        "Prev Up Next",
        "* * *",
        "第1",
        "12 15 18",
        "Prev | Up | Chapter 20. Server Setup Guide | Home",
    ],
)
def test_numbering_and_navigation_say_nothing(text: str) -> None:
    kind = SegmentKind.ROW if "|" in text else SegmentKind.SENTENCE
    assert is_fragment(Segment(0, len(text), text, kind))


@pytest.mark.parametrize(
    "text",
    [
        "Staff wear badges.",
        "Built in 1889.",
        "Capital: Paris",
        "共60天。",
        "यह साठ का है।",
        "THE FEE IS NOT PAID BACK.",
        "رسوم الدخول مجانية",
        "입장료는 무료로 합니다",
    ],
)
def test_a_short_sentence_says_something(text: str) -> None:
    assert not is_fragment(Segment(0, len(text), text))


async def test_a_fragment_is_never_an_answer_but_to_its_own_words() -> None:
    text = "6. Trademarks.\n\nThis licence grants no right to use the trademarks of the licensor.\n\nPrev | Up | Next"
    answer = "This licence grants no right to use the trademarks of the licensor. [1]"
    assert await reply("What about trademarks?", passage(text)) == answer
    assert await reply("What about trademarks?", passage("6. Trademarks.")) == INSUFFICIENT_CONTEXT
    assert await reply("6. Trademarks", passage(text)) == "\u20606. Trademarks. [1]"


async def test_a_row_of_numbers_heads_no_row() -> None:
    rows = "Calw district 2\t102\t57\nFreudenstadt district 9\t88\t61"
    text = await reply("How many staff did Freudenstadt have?", passage(rows, kind=ChunkType.TABLE))
    assert text == "Freudenstadt district 9 | 88 | 61 [1]"


async def test_the_first_row_of_a_later_chunk_is_a_head_only_when_it_looks_like_one() -> None:
    rows = "Anna Vogel\tnurse\tCalw\nBerta Klein\tdoctor\tNagold"
    text = await reply("What is Berta Klein?", passage(rows, chunk_index=3, kind=ChunkType.TABLE))
    assert text == "Berta Klein | doctor | Nagold [1]"
    headed = "District\tStaff\tBeds\nCalw\t102\t57"
    text = await reply("How many staff did Calw have?", passage(headed, chunk_index=3, kind=ChunkType.TABLE))
    assert text == "District | Staff | Beds [1]\n\nCalw | 102 | 57 [1]"


def test_the_word_that_declines_is_broken_in_a_quote_and_folding_mends_it() -> None:
    text = f"The model replies {INSUFFICIENT_CONTEXT} then."
    shown = plain(text)
    sentinel = SentinelFilter(INSUFFICIENT_CONTEXT)
    assert sentinel.feed(shown) + sentinel.finish() == shown
    assert fold(shown).text == fold(text).text
    assert not sentinel.declined


async def test_an_answer_may_begin_with_the_word_that_declines() -> None:
    said = await reply("What does it reply?", passage(f"{INSUFFICIENT_CONTEXT} is what it replies then."))
    assert fold(said).text == fold(f"{INSUFFICIENT_CONTEXT} is what it replies then. [1]").text
    assert INSUFFICIENT_CONTEXT not in said


async def test_words_side_by_side_as_asked_outweigh_the_same_words_apart() -> None:
    rows = "Place\tStaff\tBeds\nCalw district 2\t102\t57\nCalw district 7\t102\t12\nCalw district 102\t31\t7"
    text = await reply("How many staff did Calw district 102 have?", passage(rows, kind=ChunkType.TABLE))
    assert text == "Place | Staff | Beds [1]\n\nCalw district 102 | 31 | 7 [1]"
