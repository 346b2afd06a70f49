"""What backs an installation up, checks and mends it."""

from pincite.bootstrap.home import BLOBS, home_of
from pincite.bootstrap.services import Services
from pincite.core.ids import CollectionId
from pincite.ingest.rereading import Rereader
from pincite.settings import Settings
from pincite.upkeep.backups import INDEX, STAGING, Backups
from pincite.upkeep.checks import Checks
from pincite.upkeep.close_look import CloseLook
from pincite.upkeep.file_checks import AsideCheck, BytesCheck, MirrorCheck, StrayCheck
from pincite.upkeep.manifest import DATABASE
from pincite.upkeep.row_checks import DatabaseCheck, DocumentCheck, ParentCheck, QuoteCheck, ReceiptCheck, VectorCheck


def backups(settings: Settings) -> Backups:
    """Build what backs the installation up and restores it. The store isn't opened. Raises `StoreError` without a usable home."""
    from importlib.metadata import version

    from pincite.adapters.archives.tar import TarArchives
    from pincite.adapters.blobs.disk import DiskBlobs
    from pincite.adapters.sql.file import SqliteFile

    home = home_of(settings)
    return Backups(home, SqliteFile(home / DATABASE), DiskBlobs(home / BLOBS), TarArchives(), version("pincite"))


def checks(settings: Settings) -> Checks:
    """Build what checks that rows and files fit together. Raises `StoreError` without a usable home."""
    parts = backups(settings)
    return Checks(parts.file, parts.blobs)


def close_look(services: Services) -> CloseLook:
    """Build what looks closely at all that is kept, and mends it."""
    from pincite.adapters.blobs.care import DiskBlobCare
    from pincite.adapters.home.care import DiskHomeCare
    from pincite.adapters.index.care import vector_care, word_care
    from pincite.adapters.signing.ed25519 import check_signature
    from pincite.adapters.sql.care import SqliteCare

    home, file = services.settings.home_path, checks(services.settings).file
    rows, bytes_ = SqliteCare(home / DATABASE), DiskBlobCare(home / BLOBS)
    place = DiskHomeCare(home, staging=STAGING, index=INDEX, database=DATABASE)
    changes = services.changes
    mirrors = {"words": word_care(home / INDEX, changes), "vectors": vector_care(home / INDEX, changes)}
    rereader = Rereader(services.store, services.ingestor, services.workspace_id, services.models.embedding_of)

    async def embed(collection_id: CollectionId) -> int:
        async with services.store.open(services.workspace_id) as work:
            collection = await work.collections.get(collection_id)
        return await services.reembedder.complete(collection_id, services.models.embedding_of(collection) if collection else None)

    return CloseLook(
        (
            DatabaseCheck(rows, place),
            ParentCheck(rows),
            BytesCheck(file, rows, services.blobs, bytes_),
            StrayCheck(file, services.blobs, bytes_, place),
            DocumentCheck(rows, bytes_, rereader.read),
            VectorCheck(rows, embed),
            QuoteCheck(rows),
            ReceiptCheck(rows, check_signature),
            MirrorCheck(rows, place, mirrors),
            AsideCheck(place),
        )
    )
