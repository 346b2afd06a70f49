"""Backs an installation up into one file, and restores it from there."""

import hashlib
import shutil
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from tempfile import mkdtemp

from pincite.core.errors import ConflictError, NotFoundError, RefusedInput, StoreError
from pincite.core.ports.blobs import BlobStore, Part
from pincite.core.ports.upkeep import Archives, ArchiveWriter, Inventory, Member, StoreFile
from pincite.upkeep.manifest import (
    DATABASE,
    FORMAT,
    MANIFEST,
    MOST_KEY_BYTES,
    MOST_MANIFEST_BYTES,
    RECEIPT_KEY,
    Manifest,
    blob_name,
    digest_of,
    hash_in,
    load_manifest,
)

INDEX = "index"
STAGING = ".restore-"
_PARTS_AT_ONCE = 1000
_NAMED = 1000
"""Hashes of missing bytes whose documents are looked up."""


class Step(StrEnum):
    """What a backup or a restore is doing."""

    ROWS = "rows"
    FILES = "files"
    CHECKING = "checking"


@dataclass(frozen=True, slots=True)
class Headway:
    """How far a backup or a restore is: bytes done and in all (0 while unknown)."""

    step: Step
    done_bytes: int = 0
    total_bytes: int = 0


HeadwayListener = Callable[[Headway], None]


def unheard(headway: Headway) -> None:
    """Listen to nothing."""


@dataclass(frozen=True, slots=True)
class BackedUp:
    """A finished backup. `missing` names the documents whose files were missing or damaged, and so aren't in it."""

    path: Path
    size_bytes: int
    documents: int
    blobs: int
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Restored:
    """What was restored. `missing` counts files that the backup lacked."""

    home: Path
    created_at: str
    documents: int
    blobs: int
    missing: int = 0


@dataclass(frozen=True, slots=True)
class Backups:
    """Backup and restore of the installation in a home folder."""

    home: Path
    file: StoreFile
    blobs: BlobStore
    archives: Archives
    version: str

    async def backup(self, target: Path, *, overwrite: bool = False, on_headway: HeadwayListener = unheard) -> BackedUp:
        """Write one file with all rows as they are at one moment, and all bytes that they name; others may go on writing.

        Into a folder it goes under the name of the moment. An unfinished backup never has the name. Raises `ConflictError`
        (`exists`), `NotFoundError` for an empty home or a folder that isn't there, `StoreError` (`disk_full`, `unavailable`,
        `damaged`).
        """
        place = _place(target)
        if not self.file.path.exists():
            raise NotFoundError(f"There is nothing to back up: {self.home} holds no store.")
        async with self.blobs.hold(), self.archives.create(place, overwrite=overwrite) as archive:
            on_headway(Headway(Step.ROWS))
            await self.file.snapshot(archive.path)
            inventory = await self.file.inspect(archive.path, trusted=True)
            database = await archive.wrap(DATABASE)
            key_sha256 = await self._add_key(archive)
            members, missing = await self._add_blobs(archive, inventory.blobs, on_headway)
            manifest = Manifest(
                format=FORMAT,
                version=self.version,
                schema=inventory.schema,
                created_at=datetime.now(UTC).isoformat(timespec="seconds"),
                collections=inventory.collections,
                documents=inventory.documents,
                database_sha256=database.sha256,
                database_bytes=database.size_bytes,
                blobs=len(members),
                blobs_bytes=sum(member.part.size_bytes for member in members),
                blobs_sha256=digest_of(members),
                missing=tuple(missing),
                key_sha256=key_sha256,
            )
            await archive.finish(MANIFEST, manifest.dump())
        with suppress(StoreError):
            await self.file.note_backup(place.resolve())
        await self._delete_unnamed(inventory.blobs)
        named = await self.file.documents_with(missing[:_NAMED])
        return BackedUp(place, place.stat().st_size, inventory.documents, len(members), tuple(path for _, path in named))

    async def _delete_unnamed(self, hashes: Sequence[str]) -> None:
        """Delete bytes whose documents are gone. Those that can't be deleted now stay; what was asked for is done."""
        with suppress(StoreError):
            for first in range(0, len(hashes), _PARTS_AT_ONCE):
                async with self.file.unnamed(hashes[first : first + _PARTS_AT_ONCE]) as unnamed:
                    for sha256 in unnamed:
                        await self.blobs.delete(sha256)

    async def _add_key(self, archive: ArchiveWriter) -> str:
        """Append the key that signs receipts, if there is one, and return its hash."""
        path = self.home / RECEIPT_KEY
        try:
            sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
        except FileNotFoundError:
            return ""
        except OSError as error:
            raise StoreError(
                f"{path} can't be read ({error.strerror}), so the backup would lack it.", code="unavailable"
            ) from error
        return sha256 if await archive.add(RECEIPT_KEY, path, sha256=sha256) is not None else ""

    async def _add_blobs(
        self, archive: ArchiveWriter, hashes: Sequence[str], on_headway: HeadwayListener
    ) -> tuple[list[Member], list[str]]:
        """Append all bytes, and return what was appended and which hashes were missing or damaged."""
        members: list[Member] = []
        missing: list[str] = []
        done = 0
        for number, sha256 in enumerate(hashes):
            on_headway(Headway(Step.FILES, done, done * len(hashes) // number if number else 0))
            size = await self._add_blob(archive, sha256)
            if size is None:
                missing.append(sha256)
            else:
                done += size
                members.append(Member(blob_name(sha256), Part(0, size)))
        return members, missing

    async def _add_blob(self, archive: ArchiveWriter, sha256: str) -> int | None:
        try:
            path = await self.blobs.local_path(sha256)
        except NotFoundError:
            return None
        return await archive.add(blob_name(sha256), path, sha256=sha256)

    async def restore(self, file: Path, *, overwrite: bool = False, on_headway: HeadwayListener = unheard) -> Restored:
        """Put what a backup holds into the home, after checking all of it; the store is exchanged in one step.

        Killed at any moment, the home has the old store or the new one. Its indexes are made anew by the next search. Raises
        `RefusedInput` for a backup that is damaged or no backup, `ConflictError` (`not_empty`) when the home holds a store
        that isn't to be overwritten, `StoreError` (`newer_schema`, `store_in_use`, `disk_full`).
        """
        if not overwrite and not await self.file.is_empty():
            raise ConflictError(
                f"{self.home} already holds a store. Set PINCITE_HOME to another folder, or say --force to replace it.",
                code="not_empty",
            )
        members = await self.archives.members(file)
        manifest = await self._verified(file, members, on_headway)
        self._refuse_without_room(manifest)
        async with self._staging() as staging:
            copy = staging / DATABASE
            on_headway(Headway(Step.ROWS))
            await self.archives.extract(file, members[0].part, copy)
            _refuse_other(await self.file.inspect(copy, trusted=False), manifest, _blobs_of(members))
            await self._put_blobs(file, _blobs_of(members), manifest, on_headway)
            if manifest.key_sha256:
                await self.archives.extract(file, members[1].part, staging / RECEIPT_KEY)
            await self.file.install(copy, derived=self.home / INDEX)
            if manifest.key_sha256:
                self._install_key(staging / RECEIPT_KEY)
        await self._delete_unnamed([blob.sha256 async for blob in self.blobs.all()])
        return Restored(self.home, manifest.created_at, manifest.documents, manifest.blobs, len(manifest.missing))

    async def _verified(self, file: Path, members: Sequence[Member], on_headway: HeadwayListener) -> Manifest:
        """Check every member against its hash, and return the manifest."""
        _refuse_disorder(members)
        manifest = load_manifest(await self.archives.read(file, members[-1].part))
        self._refuse_newer(manifest)
        blobs = _blobs_of(members)
        if (len(members) - len(blobs) == 3) != bool(manifest.key_sha256):
            raise RefusedInput("The backup's manifest doesn't describe its key.", code="backup_refused")
        if (len(blobs), digest_of(blobs)) != (manifest.blobs, manifest.blobs_sha256):
            raise RefusedInput("Files are missing from the backup, or were added to it. Take another one.", code="backup_refused")
        done, total = 0, manifest.database_bytes + manifest.blobs_bytes
        for member in members[:-1]:
            on_headway(Headway(Step.CHECKING, done, total))
            wanted = hash_in(member.name) or (manifest.key_sha256 if member.name == RECEIPT_KEY else manifest.database_sha256)
            if await self.archives.digest(file, member.part) != wanted:
                raise RefusedInput(f"The backup is damaged: {member.name} has changed. Take another one.", code="backup_refused")
            done += member.part.size_bytes
        return manifest

    def _install_key(self, copy: Path) -> None:
        """Put the key that signs receipts in its place. Another one that is there is kept beside."""
        place = self.home / RECEIPT_KEY
        copy.chmod(0o600)
        if place.exists() and place.read_bytes() != copy.read_bytes():
            place.replace(place.with_name(f"{RECEIPT_KEY}.{hashlib.sha256(place.read_bytes()).hexdigest()[:16]}"))
        copy.replace(place)
        place.with_suffix(".pub").unlink(missing_ok=True)  # it is written again with the key's first use

    def _refuse_newer(self, manifest: Manifest) -> None:
        if manifest.schema not in self.file.schemas:
            raise StoreError(
                f"The backup was made by a newer version of Pincite ({manifest.version!a}, schema {manifest.schema!a}; this "
                f"version knows {self.file.schemas[-1]}). Upgrade Pincite, then restore again. Nothing was changed.",
                code="newer_schema",
            )

    def _refuse_without_room(self, manifest: Manifest) -> None:
        self.home.mkdir(parents=True, exist_ok=True)
        needed = manifest.database_bytes + manifest.blobs_bytes
        free = shutil.disk_usage(self.home).free
        if free < needed:
            raise StoreError(
                f"The backup needs {needed / 1e6:.0f} MB, and the disk of {self.home} has {free / 1e6:.0f} MB. Free some space, "
                "or set PINCITE_HOME to a folder on another disk. Nothing was changed.",
                code="disk_full",
            )

    @asynccontextmanager
    async def _staging(self) -> AsyncGenerator[Path]:
        """Give a folder on the home's disk, for what isn't in its place yet. What a killed restore left there goes too."""
        for left in self.home.glob(f"{STAGING}*"):
            shutil.rmtree(left, ignore_errors=True)
        staging = Path(mkdtemp(prefix=STAGING, dir=self.home))
        try:
            yield staging
        finally:
            shutil.rmtree(staging, ignore_errors=True)

    async def _put_blobs(self, file: Path, members: Sequence[Member], manifest: Manifest, on_headway: HeadwayListener) -> None:
        """Store the bytes. They harm nobody before rows name them: a restore that is killed leaves them for the next."""
        done = 0
        for first in range(0, len(members), _PARTS_AT_ONCE):
            on_headway(Headway(Step.FILES, done, manifest.blobs_bytes))
            some = members[first : first + _PARTS_AT_ONCE]
            await self.blobs.put_parts(file, [member.part for member in some])
            done += sum(member.part.size_bytes for member in some)


def _place(target: Path) -> Path:
    """Return the file of a backup: in a folder one with the moment in its name. Raises `NotFoundError` without the folder."""
    if target.is_dir():
        return target / f"pincite-{datetime.now(UTC):%Y%m%dT%H%M%SZ}.tar"
    if not target.parent.is_dir():
        raise NotFoundError(f"There is no folder {str(target.parent)!r}. Make it first.")
    return target


def _blobs_of(members: Sequence[Member]) -> Sequence[Member]:
    """Return the members between database and manifest, without the key that may come first."""
    has_key = len(members) > 2 and members[1].name == RECEIPT_KEY
    return members[2 if has_key else 1 : -1]


def _refuse_disorder(members: Sequence[Member]) -> None:
    """Refuse an archive that isn't a database, blobs in rising order, and a manifest: nothing else is ever written."""
    names = [member.name for member in members]
    blobs = [member.name for member in _blobs_of(members)]
    hashes = [hash_in(name) for name in blobs]
    if len(names) < 2 or names[0] != DATABASE or names[-1] != MANIFEST:
        raise RefusedInput("This is no backup of Pincite, or it is damaged.", code="backup_refused")
    if None in hashes or blobs != sorted(set(blobs)):
        raise RefusedInput("The archive holds files that no backup has. Nothing was taken from it.", code="backup_refused")
    if len(blobs) < len(members) - 2 and members[1].part.size_bytes > MOST_KEY_BYTES:
        raise RefusedInput("The backup's key is too large to be one.", code="backup_refused")
    if members[-1].part.size_bytes > MOST_MANIFEST_BYTES:
        raise RefusedInput("The backup's manifest is too large to be one.", code="backup_refused")


def _refuse_other(inventory: Inventory, manifest: Manifest, blobs: Sequence[Member]) -> None:
    """Refuse a database that names bytes which the backup neither has nor misses, or isn't the one described."""
    described = (manifest.schema, manifest.collections, manifest.documents)
    if (inventory.schema, inventory.collections, inventory.documents) != described:
        raise RefusedInput("The backup's manifest doesn't describe its database.", code="backup_refused")
    if set(inventory.blobs) != {hash_in(member.name) for member in blobs} | set(manifest.missing):
        raise RefusedInput("The backup lacks files that its database names.", code="backup_refused")
