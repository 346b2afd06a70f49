"""Pictures in documents, in memory."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from pincite.adapters.memory.store_tables import Transaction
from pincite.core.errors import NotFoundError
from pincite.core.figures import Figure, PictureDescription
from pincite.core.ids import DocumentId, FigureId, VersionId


class MemoryFigures:
    """Figures of the transaction's workspace."""

    def __init__(self, transaction: Transaction) -> None:
        self._tx = transaction

    async def add(self, found: Sequence[Figure]) -> None:
        """Insert figures. Raises `NotFoundError` without their version, `ConflictError` when an id is taken."""
        tables, own = await self._tx.lock(), self._tx.workspace_id
        for figure in found:
            if tables.versions.get(own, figure.version_id) is None:
                raise NotFoundError("There is no such version of the document.")
            tables.figures.add(own, figure.id, figure)

    async def get(self, figure_id: FigureId, document_id: DocumentId) -> Figure | None:
        """Return one by id, if it is of some version of a document, or of one that is kept of a removed document."""
        return next((figure for figure in self._of_document(document_id) if figure.id == figure_id), None)

    async def of_version(self, version_id: VersionId) -> list[Figure]:
        """Return the figures of a version by number, also of one that is kept of a removed document."""
        return sorted((figure for figure in self._all() if figure.version_id == version_id), key=lambda figure: figure.number)

    async def describe(self, figure_id: FigureId, description: str) -> None:
        """Keep what a model wrote of a figure."""
        tables, own = await self._tx.lock(), self._tx.workspace_id
        if figure := tables.figures.get(own, figure_id):
            tables.figures.put(own, figure_id, replace(figure, description=description))

    async def descriptions(self, hashes: Collection[str], *, model: str, asked: str) -> dict[str, str]:
        """Return what a model wrote, asked in one way, of pictures by the hashes of their bytes, of those that it described."""
        known = self._tx.tables.descriptions.all(self._tx.workspace_id)
        found = (each for each in known if each.sha256 in hashes and (each.model, each.asked) == (model, asked))
        return {each.sha256: each.text for each in found}

    async def learn(self, description: PictureDescription) -> bool:
        """Keep what a model wrote of a picture. False, and nothing changed, when it has described it already."""
        tables = await self._tx.lock()
        if await self.descriptions([description.sha256], model=description.model, asked=description.asked):
            return False
        tables.descriptions.add(self._tx.workspace_id, description.id, description)
        return True

    async def unlearn(self, hashes: Collection[str]) -> int:
        """Forget what models wrote of pictures that no figure of the workspace shows any more; return how many these were."""
        tables, own = await self._tx.lock(), self._tx.workspace_id
        gone = set(hashes) - {figure.sha256 for figure in self._all()}
        return tables.descriptions.drop_where(own, lambda each: each.sha256 in gone)

    async def blobs(self, document_id: DocumentId) -> set[str]:
        """Return the hashes of the bytes of a document's figures, in all its versions that are there or kept."""
        return {figure.sha256 for figure in self._of_document(document_id)}

    def _of_document(self, document_id: DocumentId) -> list[Figure]:
        own, tables = self._tx.workspace_id, self._tx.tables
        read = (*tables.versions.all(own), *tables.removed_versions.all(own))
        versions = {version.id for version in read if version.document_id == document_id}
        return [figure for figure in self._all() if figure.version_id in versions]

    def _all(self) -> list[Figure]:
        own, tables = self._tx.workspace_id, self._tx.tables
        return [*tables.figures.all(own), *tables.removed_figures.all(own)]
