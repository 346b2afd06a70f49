"""The services of an installation, bound to the workspace of whoever asks."""

import asyncio
from dataclasses import dataclass, field, replace

from pincite.answering.records import StoredQueryLog
from pincite.bootstrap import Services
from pincite.core.ids import WorkspaceId

PURGE_EVERY_S = 3600.0


@dataclass(frozen=True, slots=True)
class Workspaces:
    """Hands out services by workspace. They share the store, the models, the parser and the indexes."""

    own: Services
    _others: dict[WorkspaceId, Services] = field(default_factory=dict[WorkspaceId, Services])

    def of(self, workspace_id: WorkspaceId) -> Services:
        """Return the services that see and change one workspace alone."""
        if workspace_id == self.own.workspace_id:
            return self.own
        if workspace_id not in self._others:
            self._others[workspace_id] = _bound(self.own, workspace_id)
        return self._others[workspace_id]

    async def keep_purging(self) -> None:
        """Delete now, and every hour, what was kept of removed documents for long enough and what is left of erased ones."""
        while True:
            for each in (self.own, *self._others.values()):
                await each.keeper.try_to_purge()
                await each.eraser.try_to_finish()
            await asyncio.sleep(PURGE_EVERY_S)

    async def close(self) -> None:
        """Write what was noted for other workspaces, and close the services."""
        for each in self._others.values():
            await each.query_log.close()
        await self.own.close()


def _bound(services: Services, workspace_id: WorkspaceId) -> Services:
    jobs = services.ingest_jobs.within(workspace_id)
    receipts = replace(services.receipts, workspace_id=workspace_id)
    return replace(
        services,
        ingestor=jobs.ingestor,
        ingest_jobs=jobs,
        searcher=replace(services.searcher, workspace_id=workspace_id),
        reembedder=replace(services.reembedder, workspace_id=workspace_id),
        locator=replace(services.locator, workspace_id=workspace_id),
        pages=replace(services.pages, workspace_id=workspace_id),
        recorder=replace(services.recorder, workspace_id=workspace_id, receipts=receipts),
        query_log=StoredQueryLog(services.store, workspace_id, services.ingestor.metering),
        keeper=replace(services.keeper, workspace_id=workspace_id),
        eraser=replace(services.eraser, workspace_id=workspace_id),
        histories=replace(services.histories, workspace_id=workspace_id),
        receipts=receipts,
        standings=replace(services.standings, workspace_id=workspace_id),
        workspace_id=workspace_id,
    )
