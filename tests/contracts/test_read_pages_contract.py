"""What every store keeps of pages that OCR has read, and that they go with their document."""

import pytest
from tests.contracts.test_store_contract import OURS, THEIRS, added, collection

from pincite.core.errors import NotFoundError
from pincite.core.ids import DocumentId, new_id
from pincite.core.ports.store import Store

FILE, PICTURE = "ab" * 32, "cd" * 32


async def kept(store: Store) -> tuple[DocumentId, DocumentId]:
    first, second = await added(store, collection(), "a", "b")
    async with store.open(OURS) as work:
        await work.read_pages.keep(first.id, FILE, "rapidocr 3", 1, b"one")
        await work.read_pages.keep(first.id, FILE, "rapidocr 3", 2, b"two")
        await work.read_pages.keep(first.id, FILE, "rapidocr 4", 1, b"uno")
        await work.read_pages.keep(first.id, PICTURE, "rapidocr 3", 1, b"picture")
        await work.read_pages.keep(second.id, FILE, "rapidocr 3", 1, b"of the other")
        await work.commit()
    return first.id, second.id


async def pages(store: Store, document_id: DocumentId, sha256: str = FILE, reader: str = "rapidocr 3") -> dict[int, bytes]:
    async with store.open(OURS) as work:
        return dict(await work.read_pages.of(document_id, sha256, reader))


async def test_pages_come_back_for_the_same_bytes_and_the_same_reader(store: Store) -> None:
    first, second = await kept(store)
    assert await pages(store, first) == {1: b"one", 2: b"two"}
    assert await pages(store, first, reader="rapidocr 4") == {1: b"uno"}
    assert await pages(store, first, PICTURE) == {1: b"picture"}
    assert await pages(store, second) == {1: b"of the other"}
    assert await pages(store, second, PICTURE) == {}


async def test_a_page_that_is_kept_stays_as_it_was(store: Store) -> None:
    first, _ = await kept(store)
    async with store.open(OURS) as work:
        await work.read_pages.keep(first, FILE, "rapidocr 3", 1, b"another")
        await work.commit()
    assert await pages(store, first) == {1: b"one", 2: b"two"}


async def test_they_go_all_at_once_and_those_of_others_stay(store: Store) -> None:
    first, second = await kept(store)
    async with store.open(OURS) as work:
        await work.read_pages.drop(first)
        await work.commit()
    assert (await pages(store, first), await pages(store, first, PICTURE)) == ({}, {})
    assert await pages(store, second) == {1: b"of the other"}


async def test_they_go_with_their_document_and_with_its_collection(store: Store) -> None:
    first, second = await kept(store)
    async with store.open(OURS) as work:
        other = await work.documents.get(second)
        assert other
        await work.documents.remove(first)
        assert await work.read_pages.of(first, FILE, "rapidocr 3") == {}
        assert await work.read_pages.of(second, FILE, "rapidocr 3")
        await work.collections.remove(other.collection_id)
        assert await work.read_pages.of(second, FILE, "rapidocr 3") == {}
        await work.commit()


async def test_another_workspace_neither_sees_nor_drops_them_and_nothing_is_kept_of_unknown_documents(store: Store) -> None:
    first, _ = await kept(store)
    async with store.open(THEIRS) as work:
        assert await work.read_pages.of(first, FILE, "rapidocr 3") == {}
        await work.read_pages.drop(first)
        for unknown in (first, DocumentId(new_id())):
            with pytest.raises(NotFoundError):
                await work.read_pages.keep(unknown, FILE, "rapidocr 3", 3, b"three")
        await work.commit()
    assert await pages(store, first) == {1: b"one", 2: b"two"}
