"""The extractive model: literal sentences, labelled; nothing when evidence is thin."""

import random
from dataclasses import replace
from pathlib import Path

import pytest

from pincite.answering.extractive import ExtractiveChatModel, plain
from pincite.answering.markers import MarkerTransducer
from pincite.answering.prompts import DEFAULT_RAG_PROMPT, INSUFFICIENT_CONTEXT
from pincite.answering.quotes import find_quote
from pincite.core.documents import ChunkType
from pincite.core.errors import ConfigurationError
from pincite.core.evidence import Passage, Scores, Source
from pincite.core.ids import DocumentId
from pincite.core.messages import ChatMessage, ModelUsage

NOTICE = "Staff may leave at any time. The notice period is sixty days. Holidays not taken are paid out."
FRUIT = "Bananas are yellow when ripe. Apples keep for months in a cellar."


def passage(text: str, document: str, *, title: str = "", lang: str = "en", kind: ChunkType = ChunkType.TEXT) -> Passage:
    return Passage(text, DocumentId(document), title=title, end=len(text), lang=lang, scores=Scores(0.9), chunk_type=kind)


async def reply(question: str, *passages: Passage) -> str:
    messages = DEFAULT_RAG_PROMPT.render(passages, question)
    return await ExtractiveChatModel().invoke(messages)


async def test_the_sentence_that_answers_is_written_word_for_word_with_its_label() -> None:
    assert await reply("How long is the notice period?", passage(FRUIT, "a"), passage(NOTICE, "b")) == (
        "The notice period is sixty days. [2]"
    )


async def test_what_a_model_wrote_of_a_picture_is_no_answer() -> None:
    written = replace(passage(NOTICE, "a"), generated=True)
    assert await reply("How long is the notice period?", written) == INSUFFICIENT_CONTEXT


async def test_a_phrase_of_a_document_brings_the_sentence_that_holds_it() -> None:
    assert await reply("keep for months in a cellar", passage(NOTICE, "a"), passage(FRUIT, "b")) == (
        "Apples keep for months in a cellar. [2]"
    )


async def test_thin_evidence_is_declined() -> None:
    assert await reply("Who invented the telephone?", passage(NOTICE, "a")) == INSUFFICIENT_CONTEXT
    assert await reply("Who invented the telephone?") == INSUFFICIENT_CONTEXT


async def test_the_reply_streams_in_pieces_and_says_that_no_tokens_were_used() -> None:
    messages = DEFAULT_RAG_PROMPT.render([passage(NOTICE, "a")], "How long is the notice period?")
    pieces = [piece async for piece in ExtractiveChatModel().stream(messages)]
    assert pieces[-1] == ModelUsage(0, 0, estimated=False)
    assert pieces[:2] == ["The", " notice"]
    assert len(pieces) > 5


async def test_a_prompt_without_grounding_is_refused() -> None:
    with pytest.raises(ConfigurationError):
        await ExtractiveChatModel().invoke([ChatMessage("user", "hello")])


HOSTILE_PARTS = (Path(__file__).parents[2] / "data" / "quotes" / "markup_parts.txt").read_text(encoding="utf-8").splitlines()


def hostile_texts(count: int) -> list[str]:
    draw = random.Random(5)
    return ["".join(draw.choice(HOSTILE_PARTS) + draw.choice(("", " ")) for _ in range(draw.randint(1, 6))) for _ in range(count)]


async def test_whatever_a_document_holds_only_our_own_labels_become_citations() -> None:
    for text in hostile_texts(1500):
        shown = f"{plain(text)} [2]"
        transducer = MarkerTransducer({1, 2, 3})
        assert transducer.feed(shown) + transducer.finish() == shown
        assert [mark.n for mark in transducer.marks] == [2], text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Cells grow [3].", "Cells grow [\u20603]."),
        ("Seen (Source 4) there.", "Seen (\u2060Source 4) there."),
        ("Both hold [1, 2] and [S4].", "Both hold [\u20601, 2] and [\u2060S4]."),
        ("See 【1†source】 here.", "See 【\u20601†source】 here."),
        (
            "A [link](javascript:x) and ![i](http://x.test/p).",
            "A [link]\u2060(javascript:x) and !\u2060[i]\u2060(http://x.test/p).",
        ),
        ("Raw <img src=x> tag", "Raw <\u2060img src=x> tag"),
        ("The ``season'' is `x`.", "The “season'' is ‘x‘."),
        ("\\[ x \\]", "\\\u2060[ x \\]"),
        ("x ==", "x ==\u2060"),
        ("# Heading", "\u2060# Heading"),
        ("[1]: http://x.test", "\u2060[\u20601]: http://x.test"),
        ("12. Item", "\u206012. Item"),
        ("two\n lines", "two lines"),
        ("in 1998 (p < 0.05) and a[i]", "in 1998 (p < 0.05) and a[i]"),
    ],
)
def test_nothing_in_a_sentence_is_taken_for_markup_or_a_citation(text: str, shown: str) -> None:
    assert plain(text) == shown
    source = Source(1, (passage(f"Before it. {text}", "a"),))
    found = find_quote(plain(text), source)
    assert found is not None
    assert found.support == 1.0 or len(text) < 12


async def test_a_reference_mark_of_the_source_keeps_no_form_of_a_label() -> None:
    text = await reply("What do cells do?", passage("Cells grow [1] and divide [2, 3].", "a"))
    assert text == "Cells grow [\u20601] and divide [\u20602, 3]. [1]"


async def test_a_row_of_a_table_comes_behind_the_first_row() -> None:
    table = "| Item | 2019 | 2020 |\n| --- | --- | --- |\n| Revenue | 12.5 | 15.1 |\n| Costs | 7.2 | 8.0 |"
    shown = "Item | 2019 | 2020 [1]\n\nRevenue | 12.5 | 15.1 [1]"
    assert await reply("What was the revenue?", passage(table, "a", kind=ChunkType.TABLE)) == shown
    tabbed = table.replace("| --- | --- | --- |\n", "").replace(" | ", "\t").replace("| ", "").replace(" |", "")
    assert await reply("What was the revenue?", passage(tabbed, "a", kind=ChunkType.TABLE)) == shown
    for line in ("Item | 2019 | 2020", "Revenue | 12.5 | 15.1"):
        found = find_quote(line, Source(1, (passage(tabbed, "a", kind=ChunkType.TABLE),)))
        assert found is not None
        assert found.literal
