"""Stored answers come back exactly as they were given, with their frozen evidence."""

import hashlib
from dataclasses import replace

import pytest

from pincite.core.answers import Answer, AnswerRecord, Citation, Claim, FrozenQuote, Quote, Span, Timings, Verdict
from pincite.core.documents import Box, ChunkType, PageSpan
from pincite.core.errors import ConflictError
from pincite.core.evidence import Passage, Scope, Scores, Source, Strategy
from pincite.core.ids import ChunkId, CollectionId, DocumentId, MessageId, VersionId, WorkspaceId, new_id
from pincite.core.messages import ModelUsage
from pincite.core.ports.store import Store

OURS, THEIRS = WorkspaceId(new_id()), WorkspaceId(new_id())
DOCUMENT, VERSION, CHUNK = DocumentId(new_id()), VersionId(new_id()), ChunkId(new_id())
SPAN = Span(3, "iii", "One › Two", (Box(72.0, 90.125, 523.3, 0.1 + 0.2),), (595.276, 841.89), "ABC000123")
QUOTE = Quote("Ünïcode 😀 \x02", 10, 20, (SPAN, Span(None, None, "")))
PASSAGE = Passage(
    "Ünïcode 😀 text",
    DOCUMENT,
    "Title",
    "a/b.pdf",
    CHUNK,
    VERSION,
    CollectionId(new_id()),
    4,
    10,
    25,
    "application/pdf",
    (PageSpan(3, "iii", 10, 20), PageSpan(4, "iv", 20, 25)),
    ("One", "Two"),
    ChunkType.TABLE,
    True,
    "/images/1.png",
    "de",
    Scores(0.75, None, 12.5),
    {"source_uri": "file:///a/b.pdf", "author": ""},
)
ANSWER = Answer(
    text="It is so [1]. A broken surrogate: \ud83d.",
    sources=(Source(1, (PASSAGE, Passage("plain"))), Source(2, (PASSAGE,))),
    citations=(Citation(1, DOCUMENT, VERSION, CHUNK, (QUOTE,), "verifier", (2,)), Citation(2, DOCUMENT, VERSION, CHUNK, ())),
    claims=(Claim(0, 12, Verdict.SUPPORTED, 0.875, "why", (0, 1)), Claim(13, 20)),
    answered=True,
    message_id=MessageId(new_id()),
    model="model",
    usage=ModelUsage(11, 22, True),
    timings=Timings(1.5, 2.25, None, 1e-9),
    strategy=Strategy.LEXICAL,
    scope=Scope(5, 4, 1, 0, 7),
)
EVIDENCE = tuple(
    FrozenQuote(n, DOCUMENT, VERSION, 10, 20, text, "00ff", hashlib.sha256(text.encode()).hexdigest(), (SPAN,) * n)
    for n, text in enumerate(["second 😀", "first", "second 😀"])
)
RECORD = AnswerRecord("Why? \udcff", ANSWER, EVIDENCE)


async def kept(store: Store, record: AnswerRecord) -> None:
    async with store.open(OURS) as work:
        await work.answers.add(record)
        await work.commit()


async def test_an_answer_comes_back_exactly_as_it_was_given(store: Store) -> None:
    await kept(store, RECORD)
    async with store.open(OURS) as work:
        assert await work.answers.get(ANSWER.message_id) == RECORD


async def test_an_answer_without_sources_comes_back_exactly(store: Store) -> None:
    bare = AnswerRecord("", Answer("", (), answered=False, message_id=MessageId(new_id())), ())
    await kept(store, bare)
    async with store.open(OURS) as work:
        assert await work.answers.get(bare.answer.message_id) == bare


async def test_an_answer_is_stored_once(store: Store) -> None:
    await kept(store, RECORD)
    async with store.open(OURS) as work:
        with pytest.raises(ConflictError):
            await work.answers.add(replace(RECORD, question="again"))


async def test_an_unknown_answer_is_none(store: Store) -> None:
    async with store.open(OURS) as work:
        assert await work.answers.get(MessageId(new_id())) is None


async def test_an_answer_of_another_workspace_is_not_seen(store: Store) -> None:
    await kept(store, RECORD)
    async with store.open(THEIRS) as work:
        assert await work.answers.get(ANSWER.message_id) is None


async def test_an_answer_that_is_not_committed_is_not_kept(store: Store) -> None:
    async with store.open(OURS) as work:
        await work.answers.add(RECORD)
    async with store.open(OURS) as work:
        assert await work.answers.get(ANSWER.message_id) is None
