"""What a worker does with a job to summarise a document."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from pincite.core.documents import Reason
from pincite.core.errors import PinciteError
from pincite.core.ids import DocumentId, WorkspaceId
from pincite.core.jobs import Job, OutrankedCheck
from pincite.ingest.summarising import PRIORITY, Summaries
from pincite.ingest.turns import SLICE_S, GaveWayError

GAVE_UP = Reason("gave_up", "Summarising the document was tried three times and never came to an end. Try again.")
INTERNAL = Reason("internal", "Summarising the document failed. The log says more. The document is found as before.")


@dataclass(frozen=True)
class SummaryJobs:
    """What a worker does with a job to summarise a document, in the job's workspace. The document stays ready whatever happens."""

    summaries_of: Callable[[WorkspaceId], Summaries]

    async def run(self, job: Job, is_outranked: OutrankedCheck) -> int | None:
        """Make the summaries, unless nobody wants them any more. Returns the priority to continue with when others go first."""
        began = time.monotonic()

        async def gives_way() -> bool:
            return time.monotonic() - began > SLICE_S and await is_outranked(priority=job.priority, by_others=True)

        try:
            await self.summaries_of(job.workspace_id).make(*_told(job), gives_way=gives_way)
        except GaveWayError:
            return PRIORITY
        return None

    async def reopen(self, job: Job) -> None:
        """Let the attempt wait again."""
        await self.summaries_of(job.workspace_id).put_back(*_told(job))

    async def give_up(self, job: Job, error: PinciteError | None) -> None:
        """Let the attempt fail, with the reason where the document shows."""
        reason = Reason(error.code, error.message) if error else GAVE_UP if job.is_last_attempt else INTERNAL
        await self.summaries_of(job.workspace_id).give_up(*_told(job), reason)


def _told(job: Job) -> tuple[DocumentId, int]:
    return DocumentId(str(job.payload["document_id"])), int(job.payload["attempt"])
