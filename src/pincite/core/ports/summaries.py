"""What writes summaries, and the rows of those that are kept."""

from collections.abc import Sequence
from typing import Protocol

from pincite.core.documents import Chunk
from pincite.core.ids import CollectionId, DocumentId, VersionId
from pincite.core.summaries import Summary, SummaryRun, WrittenSummary


class Summariser(Protocol):
    """Writes the summary of some passages. What it writes is generated text, never evidence."""

    @property
    def name(self) -> str:
        """Return the name of the model, which is shown and charged for."""
        ...

    @property
    def revision(self) -> str:
        """Return what changes with the way in which it is asked to write: earlier summaries aren't taken for its own then."""
        ...

    async def summarise(self, passages: Sequence[Chunk]) -> WrittenSummary:
        """Return the summary of passages, or of summaries of them. Raises `UpstreamError`, also for an empty one."""
        ...


class SummaryRows(Protocol):
    """Summaries of documents of the workspace, and the attempts to make them. They go with their document."""

    async def begin(self, document_id: DocumentId, version_id: VersionId) -> SummaryRun:
        """Return the next attempt, from 1, which waits to be done. Raises `NotFoundError` for an unknown document."""
        ...

    async def report(self, run: SummaryRun) -> None:
        """Keep how far an attempt is, but for its tokens. Changes nothing once a later one was begun."""
        ...

    async def count_tokens(self, document_id: DocumentId, *, input: int = 0, output: int = 0, embedded: int = 0) -> None:
        """Add to the tokens of a document's last attempt."""
        ...

    async def runs(self, document_ids: Sequence[DocumentId]) -> dict[DocumentId, SummaryRun]:
        """Return the last attempts of documents, of those that have one."""
        ...

    async def open_runs(self, collection_id: CollectionId) -> list[SummaryRun]:
        """Return the attempts of a collection that wait or are under way, by document."""
        ...

    async def put(self, document_id: DocumentId, summaries: Sequence[Summary]) -> None:
        """Keep summaries of a document, in place of those with the same key. Raises `NotFoundError` for an unknown document.

        Vectors are stored as float16.
        """
        ...

    async def known(self, keys: Sequence[str]) -> dict[str, Summary]:
        """Return what the workspace has under some keys, of whichever document."""
        ...

    async def of_document(self, document_id: DocumentId) -> list[Summary]:
        """Return the summaries that are kept of a document, by key."""
        ...

    async def keep(self, document_id: DocumentId, keys: Sequence[str]) -> None:
        """Forget the summaries of a document but for some."""
        ...
