"""Every statement that a unit of work runs names the workspace and finds its rows by an index."""

import sqlite3
from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event

from pincite.adapters.sql import feed
from pincite.adapters.sql.store import SqlStore, open_store
from pincite.core.answers import Answer, AnswerRecord, FrozenQuote
from pincite.core.documents import CanonicalText, Chunk, Collection, Document, EmbeddingSpec, Stage, Version
from pincite.core.evidence import Filter, Strategy
from pincite.core.figures import Figure, FigurePlace, PictureDescription
from pincite.core.files import FileState
from pincite.core.ids import ChunkId, CollectionId, DocumentId, FigureId, MessageId, VersionId, WorkspaceId, new_id
from pincite.core.keeping import Erasure, Hold
from pincite.core.policies import Policy
from pincite.core.ports.store import UnitOfWork
from pincite.core.querylog import LoggedQuery, Outcome

OURS = WorkspaceId(new_id())
SPEC = EmbeddingSpec("maker/small", "r1", 4, 512)
NEXT = EmbeddingSpec("maker/next", "r1", 2, 512)
NOW = datetime(2031, 2, 3, tzinfo=UTC)

# What a statement selected itself or was given, and not a table.
HARMLESS = ("SCAN CONSTANT ROW", "SCAN one_each", "SCAN (subquery-1)", "SCAN json_each VIRTUAL TABLE INDEX 1:")

Statement = tuple[str, Any]


@pytest.fixture
async def store(tmp_path: Path) -> AsyncGenerator[SqlStore]:
    made = open_store(tmp_path / "store.sqlite3")
    yield made
    await made.close()


async def use_figures(work: UnitOfWork, version: Version) -> None:
    figure = Figure(FigureId(new_id()), version.id, 1, FigurePlace(), "ef", "image/png", 9, 9)
    await work.figures.add([figure])
    await work.figures.get(figure.id, version.document_id)
    await work.figures.of_version(version.id)
    await work.figures.describe(figure.id, "A chart.")
    await work.figures.learn(PictureDescription(new_id(), "ef", "seer", "1", "A chart.", NOW))
    await work.figures.descriptions(["ef"], model="seer", asked="1")
    await work.figures.unlearn(["ef"])
    await work.figures.blobs(version.document_id)
    await work.versions.canonical(version.id)


async def use_settings(work: UnitOfWork, home: Collection) -> None:
    await work.collections.rename(home.id, "books")
    await work.collections.use_policy(home.id, Policy.STRICT)


async def use_everything(work: UnitOfWork) -> None:
    home = Collection(CollectionId(new_id()), OURS, "papers", SPEC, NOW)
    paper = Document(DocumentId(new_id()), home.id, "a", "Title", "text/plain", "", Stage.READY, NOW, NOW, VersionId(new_id()))
    assert paper.version_id
    version = Version(paper.version_id, paper.id, "ab", 1, "text/plain", "text", "1", NOW)
    chunks = [Chunk(ChunkId(new_id()), paper.id, version.id, n, "Title", (), "text", 0, 4, 1) for n in range(40)]
    quote = FrozenQuote(1, paper.id, version.id, 0, 4, "text", "00", "ff")
    answer = Answer("text", (), message_id=MessageId(new_id()))
    await work.collections.add(home)
    await work.collections.list()
    await work.collections.scope(home.id)
    await use_settings(work, home)
    await work.collections.blobs(home.id)
    await work.documents.save(paper)
    await work.documents.list(home.id)
    await work.documents.matching(home.id, Filter((paper.id,), "a", ("text/plain",)))
    await work.documents.matching(home.id, Filter(path_prefix="a/"))
    await work.files.remember({paper.id: FileState("file:///box/a", "1", "2", "ab")})
    await work.files.under(home.id, "file:///box/")
    await work.versions.add(version, CanonicalText("text", ()))
    await work.versions.get(version.id)
    await use_figures(work, version)
    await work.chunks.publish(paper, chunks, {chunk.id: [0, 0, 0, 1] for chunk in chunks}, model_id=SPEC.model_id)
    await work.chunks.retitle(paper)
    draft = replace(version, id=VersionId(new_id()), sha256="cd")
    await work.versions.add(draft, CanonicalText("text", ()))
    await work.versions.cut(draft.id, "how")
    beside = [Chunk(ChunkId(new_id()), paper.id, draft.id, n, "Title", (), "text", 0, 4, 1) for n in range(3)]
    await work.chunks.keep(replace(paper, version_id=draft.id), beside, {}, model_id=SPEC.model_id)
    await work.embeddings.fill(home.id, {chunk.id: [0, 0, 0, 1] for chunk in beside}, model_id=SPEC.model_id)
    await work.chunks.switch(replace(paper, version_id=draft.id), model_id=SPEC.model_id)
    await work.versions.drop_drafts(paper.id)
    await work.chunks.of_bytes("ab", parser="text", parser_version="1", model_id=SPEC.model_id)
    await work.chunks.of_version(version.id)
    await work.chunks.vectors([chunk.fingerprint for chunk in chunks], model_id=SPEC.model_id)
    await work.chunks.vectors([f"{n:064}" for n in range(500)], model_id=SPEC.model_id)
    await work.chunks.passages([chunk.id for chunk in chunks])
    await work.chunks.texts([chunk.id for chunk in chunks])
    await work.chunks.publish(paper, chunks[:5], {chunk.id: [0, 0, 0, 1] for chunk in chunks[:5]}, model_id=SPEC.model_id)
    await work.chunks.prune(home.id, through_seq=1)
    await work.embeddings.prepare(home.id, NEXT)
    await work.embeddings.lacking(home.id, model_id=NEXT.model_id)
    await work.embeddings.fill(home.id, {chunks[0].id: [0, 1]}, model_id=NEXT.model_id)
    await work.embeddings.switch(home.id, NEXT)
    await work.embeddings.switch(home.id, None)
    await work.embeddings.forget(home.id, limit=9)
    await work.answers.add(AnswerRecord("?", answer, (quote,)))
    await work.answers.get(answer.message_id)
    await use_keeping(work, paper)
    await work.documents.remove(paper.id)
    await work.collections.remove(home.id)


async def use_keeping(work: UnitOfWork, paper: Document) -> None:
    await work.read_pages.keep(paper.id, "ab", "reader", 1, b"page")
    await work.read_pages.of(paper.id, "ab", "reader")
    await work.read_pages.drop(paper.id)
    await work.documents.with_bytes(["ab"])
    await work.versions.counts([paper.id])
    await work.keeping.hold(Hold(paper.id, paper.collection_id, NOW))
    await work.keeping.holds([paper.id])
    await work.keeping.holds_in(paper.collection_id)
    await work.keeping.cited(paper.id)
    await work.keeping.keep([paper.id], removed_at=NOW)
    await work.keeping.removed(paper.id)
    await work.keeping.removed_from(paper.collection_id)
    await work.keeping.removed_before(NOW, limit=9)
    await work.keeping.removed_inside(paper)
    await work.keeping.kept_of(paper.id)
    [message_id] = await work.keeping.resting_on([paper.id])
    if record := await work.answers.get(message_id):
        await work.answers.rewrite(record)
    logged = LoggedQuery(MessageId(new_id()), NOW, "http", "?", Outcome.PARTIAL, Strategy.LEXICAL, "m", document_ids=(paper.id,))
    await work.query_logs.add([logged])
    await work.query_logs.of([logged.message_id])
    await work.query_logs.rewrite(logged)
    await work.keeping.erase([Erasure(paper.id, paper.collection_id, NOW)])
    await work.keeping.unfinished()
    await work.keeping.finish([paper.id], finished_at=NOW)
    await work.chunks.begin_anew(paper.collection_id)
    await work.keeping.release(paper.id)
    await work.keeping.drop([paper.id])
    await work.versions.blob_in_use("ab")


async def statements(store: SqlStore) -> list[Statement]:
    """Return what a unit of work runs that uses everything: statements with the parameters of one execution."""
    seen: list[Statement] = []

    def note(_connection: object, _cursor: object, statement: str, parameters: Any, _context: object, many: bool) -> None:
        seen.append((statement, parameters[0] if many else parameters))

    event.listen(store.database.engine.sync_engine, "before_cursor_execute", note)
    async with store.open(OURS) as work:
        await use_everything(work)
        await work.commit()
    return [found for found in seen if not found[0].startswith("BEGIN")]


def plan(connection: sqlite3.Connection, statement: Statement) -> list[str]:
    return [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {statement[0]}", statement[1])]


def scans(plans: Sequence[str]) -> list[str]:
    return [step for step in plans if step.startswith("SCAN") and step not in HARMLESS]


async def test_every_statement_names_the_workspace(store: SqlStore) -> None:
    seen = await statements(store)
    assert len({statement for statement, _ in seen}) > 25
    free = [statement for statement, _ in seen if "workspace" not in statement]
    # Vectors belong to chunks that were just inserted; bytes and messages are the same for all workspaces.
    everybodys = {"INSERT INTO vectors", "SELECT ? AS anon_1", "SELECT query_logs.message_id"}
    assert {statement.split(" (")[0].split(" \n")[0] for statement in free} == everybodys


async def test_every_statement_finds_its_rows_by_an_index_that_is_narrow(store: SqlStore) -> None:
    seen = await statements(store)
    connection = sqlite3.connect(store.database.path)
    steps = {step: statement for statement in seen for step in plan(connection, statement)}
    for sql in (feed.STATE, feed.READ_WORDS, feed.READ_VECTORS):
        names = {"workspace_id": OURS, "collection_id": "c", "model_id": "m", "after": 0, "limit": 9}
        parameters = ("c", OURS) if sql is feed.STATE else names
        steps |= dict.fromkeys(plan(connection, (sql, parameters)), (sql, parameters))
    connection.close()
    assert {step: steps[step] for step in scans(list(steps))} == {}
    whole_workspace = [step for step in steps if step.endswith("(workspace_id=?)")]
    # Listing the collections is the one question about a whole workspace.
    assert whole_workspace == ["SEARCH collections USING INDEX sqlite_autoindex_collections_2 (workspace_id=?)"]


def test_reading_the_log_sorts_nothing(tmp_path: Path) -> None:
    """All parts come by their index, in order, so that a batch costs the batch and not the log."""
    path = tmp_path / "store.sqlite3"
    store = open_store(path)
    store.changes.close()
    connection = sqlite3.connect(path)
    names = {"workspace_id": OURS, "collection_id": "c", "model_id": "m", "after": 0, "limit": 9}
    found = {sql: plan(connection, (sql, names)) for sql in (feed.READ_WORDS, feed.READ_VECTORS)}
    connection.close()
    assert not any("TEMP B-TREE" in step for steps in found.values() for step in steps)
    for steps in found.values():
        assert sum("(collection_id=? AND seq>?)" in step for step in steps) == 2
    assert sum("(collection_id=? AND vector_seq>?)" in step for step in found[feed.READ_VECTORS]) == 1
