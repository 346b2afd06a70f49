"""Reading a document again from the bytes that are kept of it."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from pincite.core.documents import Collection, Stage
from pincite.core.errors import NotFoundError
from pincite.core.ids import DocumentId, WorkspaceId
from pincite.core.ports.models import EmbeddingModel
from pincite.core.ports.store import Store
from pincite.ingest.ingestor import Ingestor
from pincite.ingest.queueing import begin


@dataclass(frozen=True, slots=True)
class Rereader:
    """Makes a document's text, chunks and vectors anew; what is searched meanwhile is what was there before."""

    store: Store
    ingestor: Ingestor
    workspace_id: WorkspaceId
    embedding_of: Callable[[Collection], EmbeddingModel | None]

    async def read(self, document_id: DocumentId) -> str:
        """Read a document again, and return "" or why it failed.

        Raises `NotFoundError`, and what `Ingestor.process` raises.
        """
        async with self.store.open(self.workspace_id) as work:
            await work.lock()
            document = await work.documents.get(document_id)
            collection = await work.collections.get(document.collection_id) if document else None
            if document is None or collection is None:
                raise NotFoundError("There is no such document.")
            embedding = self.embedding_of(collection)
            document = replace(document, stage=Stage.PENDING, reason=None)
            await work.documents.save(document)
            await begin(work, self.ingestor.metering, document)
            await work.commit()
        done = await self.ingestor.process(document, embedding, title=document.title, is_anew=True)
        return done.reason.message if done.reason else ""
