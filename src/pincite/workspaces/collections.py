"""Collections as callers name them: which they may read, and whether the documents they name can be searched."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from pincite.core.documents import Collection, EmbeddingSpec
from pincite.core.errors import ConflictError, ForbiddenError, NotFoundError, UsageError
from pincite.core.evidence import Scope
from pincite.core.ids import CollectionId, DocumentId, WorkspaceId, new_id
from pincite.core.policies import Policy
from pincite.core.ports.store import Store, UnitOfWork

MAX_NAME_CHARACTERS = 200


@dataclass(frozen=True)
class Collections:
    """The collections of one workspace."""

    store: Store
    workspace_id: WorkspaceId

    async def all(self) -> list[Collection]:
        """Return all, by name."""
        async with self.store.open(self.workspace_id) as work:
            return await work.collections.list()

    async def one(self, collection_id: CollectionId) -> Collection:
        """Return one. Raises `NotFoundError`."""
        async with self.store.open(self.workspace_id) as work:
            found = await work.collections.get(collection_id)
        if found is None:
            raise NotFoundError("There is no such collection.", code="collection")
        return found

    async def make(
        self, name: str, embedding: EmbeddingSpec | None, *, summaries: bool = False, policy: Policy = Policy.FLAG
    ) -> Collection:
        """Make a collection that freezes an embedding model. Raises `UsageError`, and `ConflictError` when the name is taken."""
        made = Collection(
            CollectionId(new_id()),
            self.workspace_id,
            name_of(name),
            embedding,
            datetime.now(UTC),
            summaries=summaries,
            policy=policy,
        )
        async with self.store.open(self.workspace_id) as work:
            await work.collections.add(made)
            await work.commit()
        return made

    async def rename(self, collection_id: CollectionId, name: str) -> Collection:
        """Give one another name, and return it. Raises `NotFoundError`, `UsageError`; `ConflictError` when another one has it."""
        async with self.store.open(self.workspace_id) as work:
            renamed = await work.collections.rename(collection_id, name_of(name))
            await work.commit()
        return renamed

    async def use_policy(self, collection_id: CollectionId, policy: Policy) -> Collection:
        """Say what is done with claims that one's documents don't support, and return it. Raises `NotFoundError`."""
        async with self.store.open(self.workspace_id) as work:
            changed = await work.collections.use_policy(collection_id, policy)
            await work.commit()
        return changed

    async def scope(self, collection: Collection) -> Scope:
        """Count a collection's documents by state."""
        async with self.store.open(self.workspace_id) as work:
            return await work.collections.scope(collection.id)

    async def chosen(self, collection_ids: Sequence[CollectionId]) -> list[Collection]:
        """Return those named. Raises `ForbiddenError`, the same for one that doesn't exist and one that may not be read."""
        async with self.store.open(self.workspace_id) as work:
            found = [await work.collections.get(collection_id) for collection_id in dict.fromkeys(collection_ids)]
        chosen = [collection for collection in found if collection]
        if len(chosen) < len(found):
            raise ForbiddenError("You can't read this collection, or there is none with this id.", code="collection")
        return chosen

    async def require_searchable(self, collections: Sequence[Collection], document_ids: Sequence[DocumentId]) -> None:
        """Raise `NotFoundError` for a document that is in none of the collections, `ConflictError` for one without a version."""
        known = {collection.id for collection in collections}
        async with self.store.open(self.workspace_id) as work:
            for document_id in dict.fromkeys(document_ids):
                await _require_searchable(work, document_id, known)


def name_of(text: str) -> str:
    """Return the name that a text gives a collection, without blanks around it. Raises `UsageError` for what is none."""
    name = text.strip()
    if not name or len(name) > MAX_NAME_CHARACTERS or any(c == "\0" or "\ud800" <= c <= "\udfff" for c in name):
        raise UsageError(
            f"A collection's name has up to {MAX_NAME_CHARACTERS} characters and is not blank. Take one such as `contracts`.",
            code="collection_name",
        )
    return name


async def _require_searchable(work: UnitOfWork, document_id: DocumentId, known: set[CollectionId]) -> None:
    document = await work.documents.get(document_id)
    if document is None or document.collection_id not in known:
        raise NotFoundError(f"There is no document {document_id} where you search.", code="document")
    if document.version_id is None:
        why = f" {document.reason.message}" if document.reason else " Wait until it is ready."
        raise ConflictError(f"{document.path} can't be searched yet.{why}", code="not_ready")
