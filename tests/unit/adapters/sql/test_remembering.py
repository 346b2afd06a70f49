"""A search asks for collections and counts of documents each time; the store reads them again only when something was committed."""

from collections.abc import AsyncGenerator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import event

from pincite.adapters.sql.remembering import Memory
from pincite.adapters.sql.store import SqlStore, open_store
from pincite.core.documents import Collection, Document, Stage
from pincite.core.ids import CollectionId, DocumentId, WorkspaceId, new_id

OURS, THEIRS = WorkspaceId(new_id()), WorkspaceId(new_id())
NOW = datetime(2031, 2, 3, tzinfo=UTC)
HOME = Collection(CollectionId(new_id()), OURS, "papers", None, NOW)


@pytest.fixture
async def store(tmp_path: Path) -> AsyncGenerator[SqlStore]:
    made = open_store(tmp_path / "store.sqlite3")
    async with made.open(OURS) as work:
        await work.collections.add(HOME)
        await work.commit()
    yield made
    await made.close()


def a_document(path: str) -> Document:
    return Document(DocumentId(new_id()), HOME.id, path, path, "text/plain", "", Stage.PENDING, NOW, NOW)


async def documents_in(store: SqlStore, workspace: WorkspaceId = OURS) -> int:
    async with store.open(workspace) as work:
        return (await work.collections.scope(HOME.id)).documents


async def save(store: SqlStore, path: str) -> None:
    async with store.open(OURS) as work:
        await work.documents.save(a_document(path))
        await work.commit()


async def test_nothing_is_read_twice_while_nothing_is_committed(store: SqlStore) -> None:
    seen: list[str] = []
    event.listen(store.database.engine.sync_engine, "before_cursor_execute", lambda *args: seen.append(args[2]))
    for _ in range(3):
        assert await documents_in(store) == 0
        async with store.open(OURS) as work:
            assert await work.collections.get(HOME.id) == HOME
    assert len(seen) == 3


async def test_documents_are_counted_again_only_after_a_change_of_documents(store: SqlStore) -> None:
    seen: list[str] = []
    event.listen(store.database.engine.sync_engine, "before_cursor_execute", lambda *args: seen.append(args[2]))

    def counts() -> int:
        return sum("FROM documents" in statement and "count(" in statement for statement in seen)

    assert await documents_in(store) == 0
    async with store.open(OURS) as work:
        await work.collections.add(replace(HOME, id=CollectionId(new_id()), name="others"))
        await work.commit()
    assert (await documents_in(store), counts()) == (0, 1)
    await save(store, "a")
    assert (await documents_in(store), counts()) == (1, 2)


async def test_a_removed_document_is_counted_no_more(store: SqlStore) -> None:
    document = a_document("a")
    async with store.open(OURS) as work:
        await work.documents.save(document)
        await work.commit()
    assert await documents_in(store) == 1
    async with store.open(OURS) as work:
        await work.documents.remove(document.id)
        await work.commit()
    assert await documents_in(store) == 0


async def test_what_is_committed_counts_at_once_whoever_committed_it(store: SqlStore, tmp_path: Path) -> None:
    assert await documents_in(store) == 0
    await save(store, "a")
    assert await documents_in(store) == 1
    other = open_store(tmp_path / "store.sqlite3")
    await save(other, "b")
    await other.close()
    assert await documents_in(store) == 2


async def test_a_writer_sees_its_own_work_and_nobody_else_does_before_it_commits(store: SqlStore) -> None:
    assert await documents_in(store) == 0
    async with store.open(OURS) as work:
        await work.documents.save(a_document("a"))
        assert (await work.collections.scope(HOME.id)).documents == 1
        assert await documents_in(store) == 0
    assert await documents_in(store) == 0


async def test_what_one_workspace_read_is_not_told_to_another(store: SqlStore) -> None:
    await save(store, "a")
    assert await documents_in(store) == 1
    assert await documents_in(store, THEIRS) == 0


async def test_what_was_read_before_a_commit_is_not_kept_when_it_comes_late(store: SqlStore) -> None:
    memory = Memory(store.database.path)

    async def read_late() -> str:
        await save(store, "a")
        assert await memory.of("other", read_now) == "new"
        return "old"

    async def read_now() -> str:
        return "new"

    assert await memory.of("key", read_late) == "old"
    assert await memory.of("key", read_now) == "new"
    memory.close()
