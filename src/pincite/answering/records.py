"""Keeps answers in the store."""

from dataclasses import dataclass

from pincite.core.answers import AnswerRecord
from pincite.core.ids import WorkspaceId
from pincite.core.ports.store import Store


@dataclass(frozen=True, slots=True)
class StoredRecorder:
    """A `Recorder` over the workspace's rows."""

    store: Store
    workspace_id: WorkspaceId

    async def record(self, record: AnswerRecord) -> None:
        """Store the answer in a transaction of its own, opened when the model has finished."""
        async with self.store.open(self.workspace_id) as work:
            await work.answers.add(record)
            await work.commit()
