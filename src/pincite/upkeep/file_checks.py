"""Checks of files: the bytes of documents, what nobody names, index mirrors, and what killed processes left."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar
from urllib.parse import unquote, urlsplit

from pincite.core.errors import StoreError
from pincite.core.ports.blobs import BlobStore
from pincite.core.ports.care import BlobCare, Counted, HomeCare, MirrorCare, RowCare
from pincite.core.ports.upkeep import StoreFile
from pincite.upkeep.close_look import Found, failed, named, sound, warning

OLD_S = 24 * 3600.0
"""What nobody names, or what isn't finished, is left alone for so long: somebody may be about to."""
_AT_ONCE = 500


@dataclass(frozen=True)
class BytesCheck:
    """The bytes of each document and version: there, and as they were."""

    file: StoreFile
    rows: RowCare
    blobs: BlobStore
    care: BlobCare
    name: ClassVar[str] = "files"

    async def look(self, counted: Counted) -> Found:
        """Name the documents whose bytes are missing or have changed."""
        missing, damaged = await self._lost(counted)
        if not missing and not damaged:
            return sound(self.name, "each is there, and as it was stored")
        told = [
            f"{len(hashes)} {what} ({await self._paths(hashes)})"
            for hashes, what in ((missing, "missing"), (damaged, "changed"))
            if hashes
        ]
        return failed(
            self.name, f"Files are lost: {', '.join(told)}. Add these files again; until then they are searched and quoted."
        )

    async def mend(self, counted: Counted) -> list[str]:
        """Store again those whose original still lies where it came from, with the same bytes."""
        missing, damaged = await self._lost(counted)
        done: list[str] = []
        for sha256, address in await self.rows.origins([*missing, *damaged]):
            original = _path_of(address)
            if original and sha256 not in done and await self._is_stored(original, sha256):
                done.append(sha256)
        return [f"{len(done)} files were stored again from where they came from: {await self._paths(done)}."] if done else []

    async def _is_stored(self, original: Path, sha256: str) -> bool:
        if await self.care.digest_of(original) != sha256:
            return False
        try:
            return (await self.blobs.put_file(original)).sha256 == sha256
        except (OSError, StoreError):
            return False

    async def _lost(self, counted: Counted) -> tuple[list[str], list[str]]:
        there = {blob.sha256: blob.size_bytes async for blob in self.blobs.all()}
        wanted = await self.file.named()
        total, done = sum(there.get(sha256, 0) for sha256 in wanted), 0
        damaged: list[str] = []
        for sha256 in wanted:
            if sha256 in there:
                counted(done, total)
                done += there[sha256]
                if await self.care.digest(sha256) != sha256:
                    damaged.append(sha256)
        return [sha256 for sha256 in wanted if sha256 not in there], damaged

    async def _paths(self, hashes: list[str]) -> str:
        return named(sorted({path for _, path in await self.file.documents_with(hashes[:_AT_ONCE])}))


@dataclass(frozen=True)
class StrayCheck:
    """Stored bytes that no row names, and files that were never finished."""

    file: StoreFile
    blobs: BlobStore
    care: BlobCare
    home: HomeCare
    old_s: float = OLD_S
    name: ClassVar[str] = "strays"

    async def look(self, counted: Counted) -> Found:
        """Count them. What is young may be on its way."""
        strays, left = await self._strays(), await self._left()
        strangers = [path.name for path in await self.care.strangers()]
        told = [f"{len(strays)} stored files that no document names"] if strays else []
        told += [f"{len(left)} that were never finished ({named([path.name for path in left])})"] if left else []
        told += [f"{len(strangers)} in blobs/ that aren't Pincite's ({named(strangers)}): move them away"] if strangers else []
        return warning(self.name, f"{'; '.join(told)}.") if told else sound(self.name, "there are none")

    async def mend(self, counted: Counted) -> list[str]:
        """Delete them. Nobody can come to name bytes meanwhile, and what isn't ours stays."""
        done: list[str] = []
        gone = await self._delete(await self._strays())
        if gone:
            done.append(f"{gone} stored files that no document names were deleted.")
        left = await self.home.remove(await self._left())
        return done + ([f"{left} files that were never finished were deleted."] if left else [])

    async def _strays(self) -> list[str]:
        known = set(await self.file.named())
        found = [blob.sha256 async for blob in self.blobs.all() if blob.sha256 not in known]
        return [sha256 for sha256 in found if await self.care.age_s(sha256) >= self.old_s]

    async def _left(self) -> list[Path]:
        return [*await self.care.leftovers(older_s=self.old_s), *await self.home.leftovers(older_s=self.old_s)]

    async def _delete(self, strays: list[str]) -> int:
        gone = 0
        for first in range(0, len(strays), _AT_ONCE):
            async with self.file.unnamed(strays[first : first + _AT_ONCE]) as unnamed:
                for sha256 in unnamed:
                    gone += await self.blobs.delete(sha256)
        return gone


@dataclass(frozen=True)
class MirrorCheck:
    """The mirrors that searches use, against the rows."""

    rows: RowCare
    home: HomeCare
    mirrors: Mapping[str, MirrorCare]
    name: ClassVar[str] = "index"

    async def look(self, counted: Counted) -> Found:
        """Name the collections whose mirrors differ, and index folders of collections that are gone."""
        told = [
            f"{kept.name}, {kind}: {' '.join(faults)}"
            for kept in await self.rows.vectors()
            for kind, care in self.mirrors.items()
            if (faults := await care.faults(kept.space, counted))
        ]
        if told:
            return failed(self.name, f"Mirrors differ from the database. {named(told)} `--repair` makes them anew.")
        orphans = await self._orphans()
        if orphans:
            return warning(self.name, f"There are folders of {len(orphans)} collections that are gone.")
        return sound(self.name, "the mirrors hold what the database does")

    async def mend(self, counted: Counted) -> list[str]:
        """Make mirrors anew, and delete those of collections that are gone: all of it is made from the database."""
        done: list[str] = []
        for kept in await self.rows.vectors():
            for kind, care in self.mirrors.items():
                if await care.faults(kept.space, counted) and await care.rebuild(kept.space):
                    done.append(f"The mirror of {kept.name} by {kind} was made anew.")
        gone = await self.home.remove(await self._orphans())
        return done + ([f"The index folders of {gone} collections that are gone were deleted."] if gone else [])

    async def _orphans(self) -> list[Path]:
        return await self.home.orphans({kept.id for kept in await self.rows.vectors()})


@dataclass(frozen=True)
class AsideCheck:
    """Databases that a restore put aside."""

    home: HomeCare
    name: ClassVar[str] = "aside"

    async def look(self, counted: Counted) -> Found:
        """Name them."""
        names = [path.name for path in await self.home.set_aside()]
        if not names:
            return sound(self.name, "no damaged store is kept")
        return warning(self.name, f"A restore kept a damaged store: {named(names)}. Delete it when you don't need it any more.")

    async def mend(self, counted: Counted) -> list[str]:
        """Do nothing: whether it is still of use, a person decides."""
        return []


def _path_of(address: str) -> Path | None:
    """Return the file that an address names, None for other addresses."""
    parts = urlsplit(address)
    return Path(unquote(parts.path)) if parts.scheme == "file" and not parts.netloc else None
