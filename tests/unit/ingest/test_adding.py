import asyncio
import os
import tempfile
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pincite.adapters.memory.blobs import MemoryBlobs
from pincite.adapters.memory.embedding import HashEmbedding
from pincite.adapters.memory.parser import PlainTextParser
from pincite.adapters.memory.store import MemoryStore, MemoryUnitOfWork
from pincite.adapters.memory.store_rows import MemoryDocuments
from pincite.core.documents import Collection, Document, Stage
from pincite.core.errors import NotFoundError, StoreError, UsageError
from pincite.core.ids import CollectionId, DocumentId, WorkspaceId, new_id
from pincite.core.ports.blobs import Blob
from pincite.core.ports.models import Vector
from pincite.ingest.adding import Added, add_file
from pincite.ingest.arrivals import Arrival
from pincite.ingest.folders import files_of
from pincite.ingest.ingestor import Ingestor
from pincite.ingest.naming import named, printable, text_path, whole

OURS = WorkspaceId(new_id())


class FailingBlobs(MemoryBlobs):
    """Fails with a given error at files called `bad.txt`."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error

    async def put_file(self, path: Path) -> Blob:
        if path.name == "bad.txt":
            raise self.error
        return await super().put_file(path)


class RemovingEmbedding(HashEmbedding):
    """Removes every document of a collection while it embeds."""

    def __init__(self, house: "House") -> None:
        super().__init__()
        self.house = house

    async def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        for document in await self.house.documents():
            await self.house.ingestor.remove(document.id)
        return await super().embed_passages(texts)


class SlowDocuments(MemoryDocuments):
    """Lets other writers go on between a look at a path and what follows."""

    async def at_path(self, collection_id: CollectionId, path: str) -> Document | None:
        found = await super().at_path(collection_id, path)
        await asyncio.sleep(0)
        return found


class RacingStore(MemoryStore):
    """Has rows that others write between two statements, as a database has."""

    @asynccontextmanager
    async def open(self, workspace_id: WorkspaceId) -> AsyncGenerator[MemoryUnitOfWork]:
        async with super().open(workspace_id) as work:
            yield replace(work, documents=SlowDocuments(work.transaction))


@dataclass
class House:
    blobs: MemoryBlobs = field(default_factory=MemoryBlobs)
    store: MemoryStore = field(default_factory=RacingStore)
    embedding: HashEmbedding = field(default_factory=HashEmbedding)

    def __post_init__(self) -> None:
        self.ingestor = Ingestor(self.store, self.blobs, PlainTextParser(), OURS)
        self.collection = Collection(CollectionId(new_id()), OURS, "default", self.embedding.spec, datetime.now(UTC))

    async def open(self) -> "House":
        async with self.store.open(OURS) as work:
            await work.collections.add(self.collection)
            await work.commit()
        return self

    async def add(self, *paths: Path) -> list[Added]:
        return await asyncio.gather(
            *(
                add_file(
                    self.ingestor,
                    item,
                    collection=self.collection,
                    embedding=self.embedding,
                    on_progress=lambda file, progress: None,
                )
                for item in files_of(paths)
            )
        )

    async def documents(self) -> list[Document]:
        async with self.store.open(OURS) as work:
            return await work.documents.list(self.collection.id)

    async def paths(self) -> list[str]:
        return [document.path for document in await self.documents()]


def write(folder: Path, *names: str) -> list[Path]:
    files = [folder / name for name in names]
    for file in files:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"The text of {file.name!a} in {file.parent.name}.\n")
    return files


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """Give a folder in which permissions count, even when the superuser runs the tests."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        write(folder, "box/a.txt", "box/closed/b.txt")
        (folder / "box" / "closed").chmod(0o000)
        effective = os.geteuid()
        if effective == 0:
            os.seteuid(65534)
        try:
            if not os.access(folder / "box", os.R_OK | os.X_OK, effective_ids=True):
                pytest.skip("the temporary folder is private to the superuser, so no other user can look into it")
            yield folder
        finally:
            os.seteuid(effective)
            (folder / "box" / "closed").chmod(0o755)


async def test_two_files_of_one_name_added_at_once_are_two_documents(tmp_path: Path) -> None:
    house = await House().open()
    added = await house.add(*write(tmp_path, "a/x.md", "b/x.md"))
    assert [item.stage for item in added] == [Stage.READY, Stage.READY]
    # Both are on their way at once: which of them keeps the bare name isn't promised.
    assert await house.paths() in (["a/x.md", "x.md"], ["b/x.md", "x.md"])
    assert len({item.document_id for item in added}) == 2


async def test_two_folders_of_one_name_added_at_once_keep_every_file(tmp_path: Path) -> None:
    house = await House().open()
    write(tmp_path, "p1/docs/a.md", "p1/docs/b.md", "p2/docs/a.md")
    added = await house.add(tmp_path / "p1" / "docs", tmp_path / "p2" / "docs")
    assert {item.stage for item in added} == {Stage.READY}
    # Both folders are on their way at once: whose `a.md` gets the shorter path isn't promised.
    assert await house.paths() in (["docs/a.md", "docs/b.md", "p1/docs/a.md"], ["docs/a.md", "docs/b.md", "p2/docs/a.md"])


async def test_the_same_files_again_are_the_same_documents_wherever_paths_are_free(tmp_path: Path) -> None:
    house = await House().open()
    first, second = write(tmp_path, "a/x.md", "b/x.md")
    before = [*await house.add(first), *await house.add(second)]
    await house.ingestor.remove(DocumentId(str(before[0].document_id)))
    (again,) = await house.add(second)
    assert again.document_id == before[1].document_id
    assert await house.paths() == ["b/x.md"]


async def test_one_folder_added_twice_at_once_is_added_once(tmp_path: Path) -> None:
    house = await House().open()
    write(tmp_path, "docs/a.md", "docs/b.md")
    both = await asyncio.gather(house.add(tmp_path / "docs"), house.add(tmp_path / "docs"))
    assert {item.stage for added in both for item in added} == {Stage.READY}
    assert await house.paths() == ["docs/a.md", "docs/b.md"]


async def test_a_file_whose_every_path_belongs_to_others_is_a_conflict(tmp_path: Path) -> None:
    house = await House().open()
    (file,) = write(tmp_path, "x.md")
    parts = file.resolve().parts
    for path in dict.fromkeys("/".join(parts[-depth:]).lstrip("/") for depth in range(1, len(parts) + 1)):
        await house.ingestor.receive(house.collection, Arrival(path, "elsewhere", b"other"))
    (added,) = await house.add(file)
    assert added.reason
    assert (added.stage, added.reason.code, added.document_id) == (Stage.FAILED, "conflict", None)


async def test_a_file_that_cannot_be_read_fails_alone(tmp_path: Path) -> None:
    house = await House(FailingBlobs(PermissionError(13, "Permission denied"))).open()
    bad, good = await house.add(*write(tmp_path, "bad.txt", "good.txt"))
    assert bad.reason
    assert (bad.reason.code, "Permission denied" in bad.reason.message, good.stage) == ("unreadable", True, Stage.READY)


async def test_an_error_of_the_store_is_no_files_outcome(tmp_path: Path) -> None:
    house = await House(FailingBlobs(StoreError("The disk is full.", code="disk_full"))).open()
    with pytest.raises(StoreError):
        await house.add(*write(tmp_path, "bad.txt"))


async def test_a_document_removed_while_it_is_embedded_says_so(tmp_path: Path) -> None:
    house = await House().open()
    house.embedding = RemovingEmbedding(house)
    (added,) = await house.add(*write(tmp_path, "x.md"))
    assert added.reason
    assert (added.stage, added.reason.code) == (Stage.FAILED, "removed")
    assert await house.paths() == []


async def test_a_file_name_that_is_not_utf_8_is_no_obstacle(tmp_path: Path) -> None:
    house = await House().open()
    (added,) = await house.add(*write(tmp_path, os.fsdecode(b"caf\xe9.txt")))
    assert added.stage is Stage.READY
    assert added.source.endswith("caf\ufffd.txt")


async def test_a_failed_newer_version_says_that_the_earlier_one_is_searched(tmp_path: Path) -> None:
    house = await House().open()
    (file,) = write(tmp_path, "x.txt")
    await house.add(file)
    file.write_bytes(b"\0binary")
    (added,) = await house.add(file)
    assert added.reason
    assert added.reason.message.endswith("The earlier version is still searched.")


async def test_titles_carry_no_control_characters(tmp_path: Path) -> None:
    house = await House().open()
    await house.add(*write(tmp_path, "a\x1b[31mb\tc\nd.md"))
    (document,) = await house.documents()
    assert document.title == "a[31mb c d.md"


async def test_a_folder_that_cannot_be_listed_is_reported(open_folder: Path) -> None:
    items = files_of([open_folder / "box"])
    assert [(item.file.name, item.problem and item.problem.code) for item in items] == [("a.txt", None), ("closed", "unreadable")]
    if not os.access(tempfile.gettempdir(), os.W_OK | os.X_OK, effective_ids=True):
        pytest.skip("the temporary folder is private to the superuser, so nobody else can keep bytes there")
    house = await House().open()
    assert [item.stage for item in await house.add(open_folder / "box")] == [Stage.READY, Stage.FAILED]


def test_a_pipe_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UsageError, match="pipe"):
        files_of([tmp_path / "pipe"])


def test_a_name_that_is_too_long_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        files_of([tmp_path / ("x" * 5000)])


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("docs/fees.html", ["docs/fees.html"]),
        ("fees.html", ["docs/fees.html", "old/docs/late-fees.html/fees.html"]),
        ("late-fees.html/fees.html", ["old/docs/late-fees.html/fees.html"]),
        ("fees.html/fees.html", []),
        ("/another/folder/fees.html", []),
        ("another/fees.html", []),
        ("/srv/our/docs/fees.html", ["docs/fees.html"]),
        ("", []),
        ("~nobody-of-this-name/x", []),
        ("\0", []),
    ],
)
def test_a_name_with_a_slash_means_a_whole_path_or_its_end(name: str, found: list[str]) -> None:
    paths = ["docs/fees.html", "old/docs/late-fees.html/fees.html"]
    now = datetime.now(UTC)
    documents = [
        Document(
            id=DocumentId(new_id()),
            collection_id=CollectionId("c"),
            path=path,
            title=f"Title of {path}",
            content_type="text/html",
            source_uri=f"file:///srv/our/{path}",
            stage=Stage.READY,
            created_at=now,
            updated_at=now,
        )
        for path in paths
    ]
    assert [document.path for document in named(documents, name)] == found


@pytest.mark.parametrize("path", ["", " ", "/", ".", "../x.md", "a/../b.md"])
def test_a_text_needs_a_path_that_leads_nowhere_else(path: str) -> None:
    with pytest.raises(UsageError):
        text_path(path)


def test_names_and_texts_are_made_fit() -> None:
    assert text_path("/notes//minutes.md") == "notes/minutes.md"
    assert printable("a\u202e\x7fb \r\n c\x00") == "ab c"
    assert whole("a\ud800b \ud83d\ude00") == "a\ufffdb 😀"
