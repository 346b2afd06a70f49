"""Adds one file: what goes wrong with it becomes its outcome, so that the other files go on."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pincite.core.documents import Collection, Reason, Stage
from pincite.core.errors import ConflictError
from pincite.core.ids import DocumentId
from pincite.core.ports.models import EmbeddingModel
from pincite.ingest.folders import FileToAdd, unreadable
from pincite.ingest.ingestor import Arrival, Ingestor, Progress
from pincite.ingest.naming import paths_for, readable


@dataclass(frozen=True, slots=True)
class Added:
    """What became of one file: `stage` is `ready` or `failed`, and then `reason` says why.

    `document_id` is None when no document came of it: the file can't be read, or its path belongs to another one.
    """

    source: str
    document_id: DocumentId | None
    stage: Stage
    reason: Reason | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the outcome as the command line prints it."""
        return {
            "source": self.source,
            "document_id": self.document_id,
            "stage": self.stage.value,
            "reason": self.reason.code if self.reason else None,
            "message": self.reason.message if self.reason else None,
        }


async def add_file(
    ingestor: Ingestor,
    item: FileToAdd,
    *,
    collection: Collection,
    embedding: EmbeddingModel | None,
    on_progress: Callable[[str, Progress], None],
) -> Added:
    """Bring a file to its outcome. Raises `StoreError` and `UpstreamError` only: they would meet the next file too."""
    source = readable(str(item.file))
    if item.problem:
        return Added(source, None, Stage.FAILED, item.problem)
    try:
        paths = paths_for(item.file, item.path)
        arrival = Arrival(paths[0], item.address, item.file, place=item.place)
        document = await ingestor.receive(collection, arrival, free_paths=paths)
    except OSError as error:
        return Added(source, None, Stage.FAILED, unreadable(error, "file"))
    except ConflictError as error:
        return Added(source, None, Stage.FAILED, Reason("conflict", error.message))
    done = await ingestor.process(
        document, embedding, name=readable(item.file.name), on_progress=lambda progress: on_progress(source, progress)
    )
    return Added(source, done.id, done.stage, done.reason)
