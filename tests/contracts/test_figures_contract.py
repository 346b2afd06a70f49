"""What every store keeps of the pictures in documents, and that they go with their version."""

from datetime import UTC, datetime

import pytest
from tests.contracts.test_store_contract import (
    OURS,
    TEXT,
    THEIRS,
    added,
    collection,
    document,
    version,
)

from pincite.core.documents import Document, Version
from pincite.core.errors import ConflictError, NotFoundError
from pincite.core.figures import Figure, FigurePlace, PictureDescription
from pincite.core.ids import DocumentId, FigureId, WorkspaceId, new_id
from pincite.core.ports.store import Store


def figure(of: Version, number: int = 1, sha256: str = "cd" * 32) -> Figure:
    place = FigurePlace(0, 3, 2, (10.5, 20.0, 110.25, 90.0), "word/media/a.png", (5, 9))
    return Figure(FigureId(new_id()), of.id, number, place, sha256, "image/png", 400, 300)


async def kept(store: Store) -> tuple[Document, Version, list[Figure]]:
    (paper,) = await added(store, collection(), "a")
    made = version(paper)
    figures = [figure(made, 2), figure(made, 1, "ef" * 32)]
    async with store.open(OURS) as work:
        await work.versions.add(made, TEXT)
        await work.figures.add(figures)
        await work.commit()
    return paper, made, figures


async def test_figures_come_back_as_they_were_given_in_order(store: Store) -> None:
    paper, made, (second, first) = await kept(store)
    async with store.open(OURS) as work:
        assert await work.figures.of_version(made.id) == [first, second]
        assert await work.figures.get(first.id, paper.id) == first
        assert await work.figures.get(first.id, DocumentId(new_id())) is None
        assert await work.figures.blobs(paper.id) == {first.sha256, second.sha256}
        await work.figures.describe(first.id, "A bar chart.")
        assert [each.description for each in await work.figures.of_version(made.id)] == ["A bar chart.", ""]
        with pytest.raises(ConflictError):
            await work.figures.add([first])
    async with store.open(OURS) as work:
        with pytest.raises(NotFoundError):
            await work.figures.add([figure(version(document(collection())))])


async def test_another_workspace_sees_none_of_them_but_their_bytes_in_use(store: Store) -> None:
    paper, made, (figure, _) = await kept(store)
    async with store.open(THEIRS) as work:
        assert await work.figures.get(figure.id, paper.id) is None
        assert await work.figures.of_version(made.id) == []
        assert await work.figures.blobs(paper.id) == set()
        assert await work.versions.blob_in_use(figure.sha256)


async def test_they_go_with_their_version_and_with_their_collection(store: Store) -> None:
    paper, made, (figure, _) = await kept(store)
    async with store.open(OURS) as work:
        assert figure.sha256 in await work.collections.blobs(paper.collection_id)
        await work.versions.drop_drafts(paper.id)
        assert await work.figures.of_version(made.id) == []
        assert not await work.versions.blob_in_use(figure.sha256)
    async with store.open(OURS) as work:
        await work.documents.remove(paper.id)
        assert await work.figures.get(figure.id, paper.id) is None
        assert not await work.versions.blob_in_use(figure.sha256)


def described(sha256: str, text: str, *, asked: str = "1") -> PictureDescription:
    return PictureDescription(new_id(), sha256, "seer", asked, text, datetime(2031, 2, 3, 4, tzinfo=UTC))


async def known(store: Store, *hashes: str, asked: str = "1", workspace: WorkspaceId = OURS) -> dict[str, str]:
    async with store.open(workspace) as work:
        return await work.figures.descriptions(hashes, model="seer", asked=asked)


async def test_a_picture_is_described_once_by_a_model_that_is_asked_in_one_way(store: Store) -> None:
    _, _, (figure, other) = await kept(store)
    async with store.open(OURS) as work:
        assert await work.figures.learn(described(figure.sha256, "A chart."))
        assert not await work.figures.learn(described(figure.sha256, "Another chart."))
        assert await work.figures.learn(described(figure.sha256, "A bar chart.", asked="2"))
        assert await work.figures.learn(described(other.sha256, ""))
        await work.commit()
    assert await known(store, figure.sha256, other.sha256, "00") == {figure.sha256: "A chart.", other.sha256: ""}
    assert await known(store, figure.sha256, other.sha256, asked="2") == {figure.sha256: "A bar chart."}
    assert await known(store, figure.sha256, workspace=THEIRS) == {}
    assert await known(store) == {}


async def test_what_was_written_of_a_picture_is_forgotten_with_the_last_figure_that_shows_it(store: Store) -> None:
    paper, _, (figure, other) = await kept(store)
    async with store.open(OURS) as work:
        for each in (figure, other):
            await work.figures.learn(described(each.sha256, "A chart."))
        assert await work.figures.unlearn([figure.sha256, other.sha256]) == 0
        await work.documents.remove(paper.id)
        assert await work.figures.unlearn([figure.sha256]) == 1
        await work.commit()
    assert await known(store, figure.sha256, other.sha256) == {other.sha256: "A chart."}
    async with store.open(THEIRS) as work:
        assert await work.figures.unlearn([other.sha256]) == 0
