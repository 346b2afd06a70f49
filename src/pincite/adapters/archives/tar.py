"""Tar archives, written and read without surprises: plain files under short names, and nothing else is taken.

Written by hand, header by header, for two reasons. A first member is wrapped in place: the file that holds it gets a header put
before it. And an archive that is read may come from an enemy: links, devices, sparse files, extended headers and long names, the
ways out of a folder, aren't followed but refused.
"""

import asyncio
import errno
import hashlib
import os
import time
from collections.abc import AsyncGenerator, Generator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from tarfile import AREGTYPE, BLOCKSIZE, GNU_FORMAT, REGTYPE, HeaderError, TarInfo
from typing import BinaryIO
from uuid import uuid4

from pincite.core.errors import ConflictError, RefusedInput, StoreError
from pincite.core.ports.blobs import Part
from pincite.core.ports.upkeep import Digest, Member

_PIECE_BYTES = 1 << 20
_END = bytes(2 * BLOCKSIZE)
PARTIAL = ".pincite-partial-"
ABANDONED_S = 24 * 3600.0
"""After this time an archive still being written is taken for one that a killed process left."""


class TarArchives:
    """An `Archives` of tar files."""

    def __init__(self, writer: "type[TarWriter] | None" = None) -> None:
        self._writer = writer or TarWriter

    @asynccontextmanager
    async def create(self, target: Path, *, overwrite: bool) -> AsyncGenerator["TarWriter"]:
        """Begin an archive. What isn't finished when the block ends is deleted.

        Raises `ConflictError` (`exists`) when the name is taken, `StoreError` (`disk_full`, `unavailable`).
        """
        if not overwrite:
            _refuse_taken(target)
        partial = target.with_name(f".{target.name}{PARTIAL}{uuid4().hex[:8]}")
        with _translated(target):
            _sweep(target.parent)
            os.close(os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        try:
            yield self._writer(partial, target, overwrite=overwrite)
        finally:
            with suppress(OSError):
                partial.unlink(missing_ok=True)

    async def members(self, file: Path) -> list[Member]:
        """Return the members in order. Raises `RefusedInput` for what isn't an archive of plain files, whole to its end."""
        return await asyncio.to_thread(lambda: list(_members(file)))

    async def read(self, file: Path, part: Part) -> bytes:
        """Return a small part of a file."""
        return await asyncio.to_thread(lambda: b"".join(_pieces(file, part)))

    async def digest(self, file: Path, part: Part) -> str:
        """Return the SHA-256 of a part of a file."""
        return await asyncio.to_thread(_digest, file, part)

    async def extract(self, file: Path, part: Part, target: Path) -> None:
        """Write a part of a file to a new file, durably. Raises `StoreError` (`disk_full`, `unavailable`)."""
        await asyncio.to_thread(_extract, file, part, target)


class TarWriter:
    """An archive that is being written under another name, and takes its own when it is whole."""

    def __init__(self, partial: Path, target: Path, *, overwrite: bool) -> None:
        self.path = partial
        self._target = target
        self._overwrite = overwrite

    async def wrap(self, name: str) -> Digest:
        """Make all that the file holds so far its first member, in place."""
        return await asyncio.to_thread(self._wrap, name)

    async def add(self, name: str, file: Path, *, sha256: str) -> int | None:
        """Append a file and return its size; None, and nothing appended, when it can't be read or has another hash."""
        return await asyncio.to_thread(self._add, name, file, sha256)

    async def finish(self, name: str, data: bytes) -> None:
        """Append the last member, bring everything to disk and give the archive its name."""
        await asyncio.to_thread(self._finish, name, data)

    def _wrap(self, name: str) -> Digest:
        """Move all bytes on by one header, front to back: what a piece displaces is carried to the next."""
        with _translated(self._target), self.path.open("r+b") as archive:
            size, place, digest = archive.seek(0, os.SEEK_END), 0, hashlib.sha256()
            carried = _header(name, size)
            while piece := _piece_at(archive, place):
                digest.update(piece)
                carried += piece
                archive.seek(place)
                archive.write(carried[: len(piece)])
                carried = carried[len(piece) :]
                place += len(piece)
            archive.seek(place)
            archive.write(carried + bytes(_padded(size) - size))
        return Digest(digest.hexdigest(), size)

    def _add(self, name: str, file: Path, sha256: str) -> int | None:
        try:
            source = file.open("rb")
        except OSError:
            return None
        with source, _translated(self._target), self.path.open("ab") as archive:
            begin, size = archive.tell(), os.fstat(source.fileno()).st_size
            archive.write(_header(name, size))
            written, digest = 0, hashlib.sha256()
            while piece := _readable(source, min(_PIECE_BYTES, size - written)):
                digest.update(piece)
                archive.write(piece)
                written += len(piece)
            if written != size or digest.hexdigest() != sha256:
                archive.truncate(begin)
                return None
            archive.write(bytes(_padded(size) - size))
        return size

    def _finish(self, name: str, data: bytes) -> None:
        with _translated(self._target):
            with self.path.open("ab") as archive:
                archive.write(_header(name, len(data)) + data + bytes(_padded(len(data)) - len(data)) + _END)
                archive.flush()
                os.fsync(archive.fileno())
            if self._overwrite:
                self.path.replace(self._target)
            else:
                self._take_free_name()
            _sync_folder(self._target.parent)

    def _take_free_name(self) -> None:
        """Give the archive its name unless something has got it meanwhile."""
        try:
            os.link(self.path, self._target)
        except FileExistsError as error:
            raise _taken(self._target) from error
        except OSError:  # a file system without hard links
            _refuse_taken(self._target)
            self.path.rename(self._target)


def _header(name: str, size: int) -> bytes:
    info = TarInfo(name)
    info.size, info.mode = size, 0o600
    return info.tobuf(GNU_FORMAT)


def _members(file: Path) -> Iterator[Member]:
    with _opened(file) as archive:
        size, place = archive.seek(0, os.SEEK_END), 0
        while any(header := _header_at(archive, place)):
            info = _info(header)
            if info.type not in (REGTYPE, AREGTYPE) or info.linkname:
                raise RefusedInput(f"The archive holds something that is no plain file ({info.name!a}).", code="backup_refused")
            start = place + BLOCKSIZE
            if not 0 <= info.size <= size - start:
                raise _cut_off()
            yield Member(info.name, Part(start, info.size))
            place = start + _padded(info.size)


def _header_at(archive: BinaryIO, place: int) -> bytes:
    archive.seek(place)
    header = archive.read(BLOCKSIZE)
    if len(header) < BLOCKSIZE:
        raise _cut_off()
    return header


def _info(header: bytes) -> TarInfo:
    try:
        return TarInfo.frombuf(header, "utf-8", "strict")
    except (HeaderError, UnicodeDecodeError) as error:
        raise RefusedInput(
            "This is not a backup, or it is damaged: no archive can be read from it.", code="backup_refused"
        ) from error


def _padded(size: int) -> int:
    return -(-size // BLOCKSIZE) * BLOCKSIZE


def _piece_at(archive: BinaryIO, place: int) -> bytes:
    archive.seek(place)
    return archive.read(_PIECE_BYTES)


def _readable(source: BinaryIO, size: int) -> bytes:
    """Read on; what a broken disk doesn't give ends the file."""
    try:
        return source.read(size)
    except OSError:
        return b""


def _pieces(file: Path, part: Part) -> Iterator[bytes]:
    with _opened(file) as archive:
        archive.seek(part.start)
        left = part.size_bytes
        while piece := archive.read(min(_PIECE_BYTES, left)):
            yield piece
            left -= len(piece)


def _digest(file: Path, part: Part) -> str:
    digest = hashlib.sha256()
    for piece in _pieces(file, part):
        digest.update(piece)
    return digest.hexdigest()


def _extract(file: Path, part: Part, target: Path) -> None:
    with _translated(target), target.open("xb") as extracted:
        for piece in _pieces(file, part):
            extracted.write(piece)
        extracted.flush()
        os.fsync(extracted.fileno())


@contextmanager
def _opened(file: Path) -> Generator[BinaryIO]:
    try:
        with file.open("rb") as archive:
            yield archive
    except OSError as error:
        raise RefusedInput(f"{file} can't be read ({error.strerror}). Name a backup that can.", code="unreadable") from error


def _cut_off() -> RefusedInput:
    return RefusedInput("The backup is cut off: its end is missing. Take another one.", code="backup_refused")


def _taken(target: Path) -> ConflictError:
    return ConflictError(f"{target} is already there. Name another file, or say --force to overwrite it.", code="exists")


def _refuse_taken(target: Path) -> None:
    if os.path.lexists(target):
        raise _taken(target)


def _sweep(folder: Path) -> None:
    for path in folder.glob(f".*{PARTIAL}*"):
        with suppress(FileNotFoundError):  # another process may be sweeping too
            if path.stat().st_mtime < time.time() - ABANDONED_S:
                path.unlink()


def _sync_folder(folder: Path) -> None:
    with suppress(PermissionError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextmanager
def _translated(target: Path) -> Generator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise StoreError(
                f"There is no room for {target}. Free some space, or name a file on another disk.", code="disk_full"
            ) from error
        raise StoreError(
            f"{target} can't be written ({error.strerror}). Check the folder and its permissions.", code="unavailable"
        ) from error
