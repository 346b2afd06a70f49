"""Checks of the database: its file, its rows, documents, vectors, quotes."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import ClassVar

from pincite.core.errors import PinciteError
from pincite.core.ids import CollectionId, DocumentId
from pincite.core.ports.care import BlobCare, BrokenDocument, Counted, HomeCare, KeptVectors, RowCare
from pincite.core.ports.signer import SignatureCheck
from pincite.upkeep.close_look import Found, failed, named, sound, warning

RESTORE = "Restore a backup (`pincite restore`), or move PINCITE_HOME away and add the documents again."
ADD_AGAIN = "Add these files again."
LEAST_FREE_BYTES = 1_000_000_000


@dataclass(frozen=True)
class DatabaseCheck:
    """The database's file, read from end to end."""

    rows: RowCare
    home: HomeCare
    name: ClassVar[str] = "database"

    async def look(self, counted: Counted) -> Found:
        """Say what the database finds wrong with its own file."""
        damage = await self.rows.damage()
        if damage:
            return failed(self.name, f"The file is damaged ({damage[0]}). {RESTORE}")
        return sound(self.name, f"{await self.home.store_bytes() / 1e6:.1f} MB, sound")

    async def mend(self, counted: Counted) -> list[str]:
        """Make the database's own indexes anew: of a damaged file, they alone are made from other parts of it."""
        await self.rows.rebuild_indexes()
        return [] if await self.rows.damage() else ["The database's indexes were made anew."]


@dataclass(frozen=True)
class ParentCheck:
    """Rows that belong to others."""

    rows: RowCare
    name: ClassVar[str] = "parents"

    async def look(self, counted: Counted) -> Found:
        """Name the tables with rows that belong to nothing."""
        lone = await self.rows.parentless()
        if not lone:
            return sound(self.name, "each row has what it belongs to")
        tables = ", ".join(f"{count} of {table}" for table, count in sorted(lone.items()))
        return failed(self.name, f"Rows without what they belong to: {tables}. {RESTORE}")

    async def mend(self, counted: Counted) -> list[str]:
        """Delete those that are made from others; what may be all that is left of a document stays."""
        count = await self.rows.drop_parentless()
        return [f"{count} rows that belong to nothing were deleted; they held nothing of their own."] if count else []


@dataclass(frozen=True)
class DocumentCheck:
    """The text of each document, and its passages in it. What is broken is read again from the document's bytes."""

    rows: RowCare
    blobs: BlobCare
    read_again: Callable[[DocumentId], Awaitable[str]]
    """Reads a document again; returns "" or why it failed."""
    name: ClassVar[str] = "texts"

    async def look(self, counted: Counted) -> Found:
        """Name the documents whose text or passages are missing or don't agree."""
        broken = await self.rows.broken_documents(counted)
        if not broken:
            return sound(self.name, "each document's passages stand in its text")
        names = [f"{document.path} ({document.why})" for document in broken]
        return failed(
            self.name, f"{len(broken)} documents are broken: {named(names)}. `--repair` reads them again, or: {ADD_AGAIN}"
        )

    async def mend(self, counted: Counted) -> list[str]:
        """Read them again, as far as their bytes are there and whole."""
        done: list[str] = []
        broken = await self.rows.broken_documents(counted)
        for number, document in enumerate(broken):
            counted(number, len(broken))
            if await self._is_read(document):
                done.append(document.path)
        return [f"{len(done)} documents were read again from their bytes: {named(done)}."] if done else []

    async def _is_read(self, document: BrokenDocument) -> bool:
        if await self.blobs.digest(document.sha256) != document.sha256:
            return False
        try:
            return not await self.read_again(document.id)
        except PinciteError:
            return False


@dataclass(frozen=True)
class VectorCheck:
    """The vectors of each collection."""

    rows: RowCare
    embed: Callable[[CollectionId], Awaitable[int]]
    """Embeds what lacks its vector, forgets vectors of other models, and returns how many texts were embedded.

    Raises `ModelChangedError`.
    """
    name: ClassVar[str] = "vectors"

    async def look(self, counted: Counted) -> Found:
        """Count passages without a vector, and vectors that are of no use."""
        found = await self.rows.vectors()
        bad = [kept for kept in found if kept.lacking or kept.unfit]
        if bad:
            told = [f"{kept.name}: {kept.lacking} passages have none, {kept.unfit} have one of another size" for kept in bad]
            return failed(self.name, f"{named(told)}. `--repair` embeds them with the collection's model.")
        spare = [f"{kept.name}: {kept.spare}" for kept in found if kept.spare]
        if spare:
            return warning(self.name, f"There are vectors of models that a collection doesn't have: {named(spare)}.")
        return sound(self.name, "each passage of a ready document has its own")

    async def mend(self, counted: Counted) -> list[str]:
        """Embed what is missing, and delete what is of no use."""
        done: list[str] = []
        for kept in await self.rows.vectors():
            if kept.lacking or kept.unfit or kept.spare:
                done += await self._mended(kept)
        return done

    async def _mended(self, kept: KeptVectors) -> list[str]:
        if kept.unfit:
            await self.rows.drop_unfit(kept.id)
        texts = await self.embed(kept.id)
        count = kept.lacking + kept.unfit
        done = [f"{kept.name}: {count} passages have their vectors again ({texts} texts embedded)."] if count else []
        return done + ([f"{kept.name}: {kept.spare} vectors of other models were deleted."] if kept.spare else [])


@dataclass(frozen=True)
class QuoteCheck:
    """The quotes of stored answers, against what was committed to when they were given."""

    rows: RowCare
    name: ClassVar[str] = "quotes"

    async def look(self, counted: Counted) -> Found:
        """Count the quotes that have changed."""
        count = await self.rows.broken_quotes()
        if not count:
            return sound(self.name, "those of stored answers are as they were given")
        return failed(self.name, f"{count} quotes of stored answers have changed since they were given. Restore a backup.")

    async def mend(self, counted: Counted) -> list[str]:
        """Do nothing: there is no other copy of them."""
        return []


@dataclass(frozen=True)
class ReceiptCheck:
    """The receipts of stored answers: signatures and chain."""

    rows: RowCare
    is_signed: SignatureCheck
    name: ClassVar[str] = "receipts"

    async def look(self, counted: Counted) -> Found:
        """Count the receipts that have changed or don't follow each other."""
        count = await self.rows.broken_receipts(self.is_signed)
        if not count:
            return sound(self.name, "all are as they were signed, each after the one before")
        return failed(
            self.name, f"{count} receipts have changed since they were signed, or are missing before one. Restore a backup."
        )

    async def mend(self, counted: Counted) -> list[str]:
        """Do nothing: a signature can't be mended."""
        return []
