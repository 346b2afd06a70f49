"""Rows of the pictures in documents."""

import json
from collections.abc import Collection, Sequence
from dataclasses import fields
from typing import Any

from sqlalchemy import Row, bindparam, delete, literal, select, update

from pincite.adapters.sql.batches import batches
from pincite.adapters.sql.tables import figures, picture_descriptions, removed_figures, removed_versions, versions
from pincite.adapters.sql.transaction import Transaction
from pincite.core.errors import NotFoundError
from pincite.core.figures import Figure, FigurePlace, PictureDescription
from pincite.core.ids import DocumentId, FigureId, VersionId

TABLES = ((figures, versions), (removed_figures, removed_versions))
"""Figures and what they belong to: of the documents that are there, and of removed ones."""

OF_VERSION = [
    select(shown)
    .where(shown.c.workspace_id == bindparam("own"), shown.c.version_id == bindparam("version_id"))
    .order_by(shown.c.number)
    for shown, _ in TABLES
]
OF_DOCUMENT = [
    select(shown)
    .join(read, shown.c.version_id == read.c.id)
    .where(shown.c.workspace_id == bindparam("own"), read.c.document_id == bindparam("document_id"))
    for shown, read in TABLES
]
ONE = [every.where(shown.c.id == bindparam("figure_id")) for every, (shown, _) in zip(OF_DOCUMENT, TABLES, strict=True)]
PARENT = select(versions.c.id).where(versions.c.workspace_id == bindparam("own"), versions.c.id == bindparam("version_id"))
DESCRIBED = (
    update(figures)
    .where(figures.c.workspace_id == bindparam("own"), figures.c.id == bindparam("figure"))
    .values(description=bindparam("written"))
)
OF_PICTURES = (
    picture_descriptions.c.workspace_id == bindparam("own"),
    picture_descriptions.c.sha256.in_(bindparam("hashes", expanding=True)),
)
KNOWN = select(picture_descriptions.c.sha256, picture_descriptions.c.text).where(
    *OF_PICTURES, picture_descriptions.c.model == bindparam("by"), picture_descriptions.c.asked == bindparam("in_version")
)
UNLEARNT = delete(picture_descriptions).where(
    *OF_PICTURES,
    *(
        ~select(literal(1))
        .select_from(shown)
        .where(shown.c.sha256 == picture_descriptions.c.sha256, shown.c.workspace_id == bindparam("own"))
        .exists()
        for shown, _ in TABLES
    ),
)


class SqlFigures:
    """Figures of the transaction's workspace."""

    def __init__(self, transaction: Transaction) -> None:
        self._tx = transaction

    async def add(self, found: Sequence[Figure]) -> None:
        """Insert figures. Raises `NotFoundError` without their version, `ConflictError` when an id is taken."""
        await self._tx.lock()
        for version_id in {figure.version_id for figure in found}:
            if await self._tx.row(PARENT, version_id=version_id) is None:
                raise NotFoundError("There is no such version of the document.")
        await self._tx.insert(figures, *map(_values, found))

    async def get(self, figure_id: FigureId, document_id: DocumentId) -> Figure | None:
        """Return one by id, if it is of some version of a document, or of one that is kept of a removed document."""
        found = [row for one in ONE if (row := await self._tx.row(one, figure_id=figure_id, document_id=document_id))]
        return _figure(found[0]) if found else None

    async def of_version(self, version_id: VersionId) -> list[Figure]:
        """Return the figures of a version by number, also of one that is kept of a removed document."""
        return [_figure(row) for every in OF_VERSION for row in await self._tx.rows(every, version_id=version_id)]

    async def describe(self, figure_id: FigureId, description: str) -> None:
        """Keep what a model wrote of a figure."""
        await self._tx.change(DESCRIBED, figure=figure_id, written=description)

    async def descriptions(self, hashes: Collection[str], *, model: str, asked: str) -> dict[str, str]:
        """Return what a model wrote, asked in one way, of pictures by the hashes of their bytes, of those that it described."""
        parts = batches(sorted(hashes))
        rows = [row for some in parts for row in await self._tx.rows(KNOWN, hashes=some, by=model, in_version=asked)]
        return {row.sha256: row.text for row in rows}

    async def learn(self, description: PictureDescription) -> bool:
        """Keep what a model wrote of a picture. False, and nothing changed, when it has described it already."""
        await self._tx.lock()
        model, asked = description.model, description.asked
        if await self.descriptions([description.sha256], model=model, asked=asked):
            return False
        await self._tx.insert(picture_descriptions, {each.name: getattr(description, each.name) for each in fields(description)})
        return True

    async def unlearn(self, hashes: Collection[str]) -> int:
        """Forget what models wrote of pictures that no figure of the workspace shows any more; return how many these were."""
        return sum([(await self._tx.change(UNLEARNT, hashes=some)).rowcount for some in batches(sorted(hashes))])

    async def blobs(self, document_id: DocumentId) -> set[str]:
        """Return the hashes of the bytes of a document's figures, in all its versions that are there or kept."""
        return {row.sha256 for every in OF_DOCUMENT for row in await self._tx.rows(every, document_id=document_id)}


def _values(figure: Figure) -> dict[str, Any]:
    place = figure.place
    return {
        "id": figure.id,
        "version_id": figure.version_id,
        "number": figure.number,
        "page": place.page,
        "box": json.dumps(place.box) if place.box else "",
        "source": place.source,
        "start_char": place.start,
        "end_char": place.end,
        "read_start": place.read[0],
        "read_end": place.read[1],
        "sha256": figure.sha256,
        "content_type": figure.content_type,
        "width": figure.width,
        "height": figure.height,
        "description": figure.description,
    }


def _figure(row: Row[Any]) -> Figure:
    x0, y0, x1, y1 = json.loads(row.box) if row.box else (0.0, 0.0, 0.0, 0.0)
    box = (x0, y0, x1, y1) if row.box else None
    return Figure(
        id=FigureId(row.id),
        version_id=VersionId(row.version_id),
        number=row.number,
        place=FigurePlace(row.start_char, row.end_char, row.page, box, row.source, (row.read_start, row.read_end)),
        sha256=row.sha256,
        content_type=row.content_type,
        width=row.width,
        height=row.height,
        description=row.description,
    )
