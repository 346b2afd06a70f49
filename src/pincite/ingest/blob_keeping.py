"""Bytes and the rows that name them: how often bytes are stored again, and how those that no row names any more go."""

from collections.abc import Collection as Many
from itertools import islice

from pincite.core.ids import WorkspaceId
from pincite.core.ports.blobs import BlobStore
from pincite.core.ports.store import Store

KEEP_ATTEMPTS = 5
"""How often bytes are stored again that somebody else's removal took away before our row named them."""

FORGET_BATCH = 100
"""Files deleted under one lock of the store."""


async def forget(store: Store, blobs: BlobStore, workspace_id: WorkspaceId, hashes: Many[str]) -> set[str]:
    """Delete bytes that nothing has any more, under the store's lock: no row can come to name them meanwhile.

    What models wrote of pictures among them goes, too. Return those that stay although no row names them, as somebody holds the
    blobs.
    """
    stayed: set[str] = set()
    left = iter(sorted(hashes))
    while batch := list(islice(left, FORGET_BATCH)):
        async with store.open(workspace_id) as work:
            await work.lock()
            for sha256 in batch:
                if not await work.versions.blob_in_use(sha256) and not await blobs.delete(sha256):
                    stayed.add(sha256)
            if await work.figures.unlearn(batch):
                await work.commit()
    return stayed
