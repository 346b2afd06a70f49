"""The public face of the library: documents in, cited answers out."""

from pathlib import Path

from pincite.client.blocking import SyncPincite
from pincite.client.installation import Installation
from pincite.client.opened import DEFAULT_COLLECTION
from pincite.client.receipts import check_receipt
from pincite.core.ports.models import ChatModel
from pincite.ingest.adding import Added
from pincite.retrieval.find import Found
from pincite.settings import Settings
from pincite.upkeep.backups import BackedUp, HeadwayListener, Restored

__all__ = [
    "DEFAULT_COLLECTION",
    "Added",
    "BackedUp",
    "Found",
    "HeadwayListener",
    "Pincite",
    "Restored",
    "SyncPincite",
    "check_receipt",
]


class Pincite(Installation):
    """An installation, opened for one collection. Use as an async context manager, or `Pincite.sync()` without async.

    `home` holds everything (default: PINCITE_HOME). `llm` replaces the configured chat model. `surface` names the caller in the
    log of questions.
    """

    @staticmethod
    def sync(
        home: str | Path | None = None,
        *,
        collection: str = DEFAULT_COLLECTION,
        llm: ChatModel | None = None,
        settings: Settings | None = None,
    ) -> "SyncPincite":
        """Return the same installation with plain, blocking methods."""
        return SyncPincite(Pincite(home, collection=collection, llm=llm, settings=settings))
