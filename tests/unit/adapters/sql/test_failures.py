"""What goes wrong below the store is told as what it is, and nothing is lost."""

import asyncio
import os
import sqlite3
import subprocess
from collections.abc import Callable, Generator
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import event

from pincite.adapters.blobs.disk import DiskBlobs
from pincite.adapters.sql.errors import translated
from pincite.adapters.sql.store import SqlStore, open_store
from pincite.core.documents import CanonicalText, Collection, Document, Stage, Version
from pincite.core.errors import ConflictError, PinciteError, StoreError
from pincite.core.ids import CollectionId, DocumentId, VersionId, WorkspaceId, new_id

OURS = WorkspaceId(new_id())
NOW = datetime(2031, 2, 3, tzinfo=UTC)
HOME = Collection(CollectionId(new_id()), OURS, "papers", None, NOW)


@pytest.fixture
def small_disk(tmp_path: Path) -> Generator[Path]:
    """A file system of one megabyte."""
    folder = tmp_path / "small"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder], capture_output=True, check=False)
    if mounted.returncode:
        pytest.skip("mounting a small file system needs more rights")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


async def add(store: SqlStore, collection: Collection) -> None:
    async with store.open(OURS) as work:
        await work.collections.add(collection)
        await work.commit()


async def add_text(store: SqlStore, data: bytes) -> DocumentId:
    paper = Document(DocumentId(new_id()), HOME.id, new_id(), "Title", "text/plain", "", Stage.PENDING, NOW, NOW)
    version = Version(VersionId(new_id()), paper.id, "ab", 1, "text/plain", "text", "1", NOW)
    async with store.open(OURS) as work:
        await work.documents.save(paper)
        await work.versions.add(version, CanonicalText(data.hex(), ()))
        await work.commit()
    return paper.id


async def fill(store: SqlStore) -> list[DocumentId]:
    """Add documents until there is no room; return those that were acknowledged."""
    done: list[DocumentId] = []

    async def add_more() -> None:
        for _ in range(100):
            done.append(await add_text(store, os.urandom(50_000)))

    with pytest.raises(StoreError) as caught:
        await add_more()
    assert caught.value.code == "disk_full"
    return done


async def test_a_full_disk_is_told_and_what_was_acknowledged_stays(small_disk: Path) -> None:
    store = open_store(small_disk / "store.sqlite3")
    await add(store, HOME)
    done = await fill(store)
    assert done
    async with store.open(OURS) as work:
        assert {document.id for document in await work.documents.list(HOME.id)} == set(done)
    await store.close()
    store = open_store(small_disk / "store.sqlite3")
    async with store.open(OURS) as work:
        assert {document.id for document in await work.documents.list(HOME.id)} == set(done)
    await store.close()


async def test_work_that_met_a_full_disk_can_not_be_committed_in_part(small_disk: Path) -> None:
    store = open_store(small_disk / "store.sqlite3")
    await add(store, HOME)
    big = Document(DocumentId(new_id()), HOME.id, "big", os.urandom(8_000_000).hex(), "", "", Stage.PENDING, NOW, NOW)
    async with store.open(OURS) as work:
        await work.documents.save(replace(big, id=DocumentId(new_id()), path="before", title=""))
        for attempt in (work.documents.save(big), work.documents.save(replace(big, title="after")), work.commit()):
            with pytest.raises(StoreError) as caught:
                await attempt
            assert caught.value.code == "disk_full"
    async with store.open(OURS) as work:
        assert await work.documents.list(HOME.id) == []
    await store.close()


def test_a_store_that_has_no_room_at_all_is_told_so(small_disk: Path) -> None:
    with suppress(OSError), (small_disk / "ballast").open("wb", buffering=0) as ballast:
        while True:
            ballast.write(bytes(4096))
    with pytest.raises(StoreError) as caught:
        open_store(small_disk / "store.sqlite3")
    assert caught.value.code == "disk_full"


async def test_a_blob_that_does_not_fit_leaves_nothing(small_disk: Path) -> None:
    blobs = DiskBlobs(small_disk / "blobs")
    kept = await blobs.put_bytes(b"small")
    with pytest.raises(StoreError) as caught:
        await blobs.put_bytes(os.urandom(3_000_000))
    assert caught.value.code == "disk_full"
    files = [path.stat().st_size for path in small_disk.rglob("*") if path.is_file()]
    assert files == [kept.size_bytes]


async def test_what_a_killed_process_left_of_a_blob_is_swept_a_day_later(tmp_path: Path) -> None:
    old, young = tmp_path / ".new-old", tmp_path / ".new-young"
    for path in (old, young):
        path.write_bytes(b"half")
    os.utime(old, (0, 0))
    await DiskBlobs(tmp_path).put_bytes(b"whole")
    assert (old.exists(), young.exists()) == (False, True)


@pytest.mark.parametrize("content", [b"This is not a database.\n" * 200, b"SQLite format 3\0" + os.urandom(4080)])
def test_a_damaged_file_is_told_and_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "store.sqlite3"
    path.write_bytes(content)
    with pytest.raises(StoreError, match="backup") as caught:
        open_store(path)
    assert caught.value.code == "damaged"
    assert path.read_bytes() == content


def overwrite(path: Path, table: str) -> None:
    """Damage the page on which a table begins."""
    connection = sqlite3.connect(path)
    (page,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,)).fetchone()
    (page_bytes,) = connection.execute("PRAGMA page_size").fetchone()
    connection.close()
    with path.open("r+b") as file:
        file.seek((page - 1) * page_bytes)
        file.write(b"\xff" * page_bytes)


async def test_damage_inside_is_told_when_it_is_met(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite3"
    store = open_store(path)
    await add(store, HOME)
    await store.close()
    overwrite(path, "documents")
    store = open_store(path)
    with pytest.raises(StoreError) as caught:
        await add_text(store, b"x")
    assert caught.value.code == "damaged"
    await store.close()


def test_a_place_that_can_not_hold_a_store_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path in (tmp_path / "file" / "store.sqlite3", tmp_path):
        with pytest.raises(StoreError, match=path.parent.name) as caught:
            open_store(path)
        assert caught.value.code == "unavailable"


def _with_code(code: int) -> sqlite3.Error:
    error = sqlite3.OperationalError("x")
    error.sqlite_errorcode = code
    return error


@pytest.mark.parametrize(
    ("error", "kind", "code", "retryable"),
    [
        (_with_code(sqlite3.SQLITE_BUSY_SNAPSHOT), StoreError, "store_busy", True),
        (_with_code(sqlite3.SQLITE_LOCKED), StoreError, "store_busy", True),
        (_with_code(sqlite3.SQLITE_FULL), StoreError, "disk_full", False),
        (_with_code(sqlite3.SQLITE_CORRUPT), StoreError, "damaged", False),
        (_with_code(sqlite3.SQLITE_NOTADB), StoreError, "damaged", False),
        (_with_code(sqlite3.SQLITE_READONLY_DBMOVED), StoreError, "unavailable", False),
        (_with_code(sqlite3.SQLITE_IOERR_READ), StoreError, "unavailable", False),
        (_with_code(sqlite3.SQLITE_ERROR), StoreError, "store", False),
        (sqlite3.IntegrityError("x"), ConflictError, "conflict", False),
    ],
)
def test_an_error_of_sqlite_becomes_ours(
    tmp_path: Path, error: sqlite3.Error, kind: type[PinciteError], code: str, retryable: bool
) -> None:
    with pytest.raises(kind) as caught, translated(tmp_path / "store.sqlite3"):
        raise error
    assert (caught.value.code, caught.value.retryable) == (code, retryable)
    assert caught.value.__cause__ is error


@pytest.fixture
async def store(tmp_path: Path) -> SqlStore:
    return open_store(tmp_path / "store.sqlite3", busy_timeout_s=0.02)


async def test_a_lock_that_another_process_holds_is_told_and_then_free(store: SqlStore) -> None:
    other = sqlite3.connect(store.database.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError) as caught:
        await add(store, HOME)
    assert (caught.value.code, caught.value.retryable) == ("store_busy", True)
    async with store.open(OURS) as work:
        assert await work.collections.list() == []
    other.execute("COMMIT")
    other.close()
    await add(store, HOME)
    await store.close()


async def add_and_be_cancelled(store: SqlStore, collection: Collection, *, at: int) -> bool:
    """Cancel a unit of work at its so manyth event: a connection, before and after each statement, the commit. Say if it was."""
    task: asyncio.Task[None] | None = None
    seen = 0

    def count(*_: object) -> None:
        nonlocal seen
        seen += 1
        if task and seen == at:
            task.cancel()

    events = (
        (store.database.engine.sync_engine, ("before_cursor_execute", "after_cursor_execute", "commit", "rollback")),
        (store.database.engine.sync_engine.pool, ("connect", "checkout", "checkin", "reset")),
    )
    hooks = [(target, name) for target, names in events for name in names]
    for target, name in hooks:
        event.listen(target, name, count)
    task = asyncio.create_task(add(store, collection))
    with suppress(asyncio.CancelledError):
        await task
    for target, name in hooks:
        event.remove(target, name, count)
    return task.cancelled()


async def test_a_unit_of_work_cancelled_anywhere_leaves_no_lock(tmp_path: Path) -> None:
    store = open_store(tmp_path / "store.sqlite3")
    outcomes: list[bool] = []
    for at in range(1, 25):
        one = Collection(CollectionId(new_id()), OURS, f"{at}", None, NOW)
        outcomes.append(await add_and_be_cancelled(store, one, at=at))
        async with store.open(OURS) as work:
            stored = await work.collections.get(one.id)
        assert stored in (None, one) if outcomes[-1] else stored == one
    assert set(outcomes) == {True, False}
    await add(store, HOME)
    await store.close()


def _writer_waiting(path: Path) -> Callable[[], None]:
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")

    def release() -> None:
        other.execute("COMMIT")
        other.close()

    return release


async def test_a_writer_cancelled_while_it_waits_does_not_take_the_lock_later(tmp_path: Path) -> None:
    store = open_store(tmp_path / "store.sqlite3")
    release = _writer_waiting(store.database.path)
    async with store.open(OURS) as work:
        await work.collections.list()
    task = asyncio.create_task(add(store, HOME))
    for _ in range(20):
        await asyncio.sleep(0)
    task.cancel()
    release()
    with suppress(asyncio.CancelledError):
        await task
    await add(store, Collection(CollectionId(new_id()), OURS, "after", None, NOW))
    await store.close()
