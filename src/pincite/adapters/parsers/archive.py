"""ZIP archives from strangers: what is in them is told first, and unpacking stops at a bound.

Sizes that an archive declares are not believed; the bytes that really come out are counted.
"""

import os
import struct
import zipfile
import zlib
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import IO

from pincite.core.errors import RefusedInput

_CHUNK_BYTES = 65_536
_MAX_ENTRIES = 20_000
_MAX_DIRECTORY_BYTES = 8 * 1024 * 1024
_MAX_RATIO = 200
_FREE_OF_RATIO_BYTES = 16 * 1024 * 1024
_END_BYTES = 22
_END_WITHIN_BYTES = 65_535 + _END_BYTES
_LOCAL_HEADER_BYTES = 30
_IS_ENCRYPTED = 0x1
_DAMAGE = (zipfile.BadZipFile, NotImplementedError, ValueError, IndexError, EOFError, OSError, struct.error, zlib.error)


class Archive:
    """An open ZIP archive. `max_bytes` bounds what is unpacked from it in all.

    Names are compared without regard to case, as office programs do; a backslash is a slash. Raises `RefusedInput` (`corrupt`,
    `encrypted`, `too_large`), here and when parts are read.
    """

    def __init__(self, file: IO[bytes], *, max_bytes: int) -> None:
        with _refusing_damage():
            _check_directory(file)
            self._zip = zipfile.ZipFile(file)
        infos = self._zip.infolist()
        _check_entries(infos)
        self._entries = {_normal(info.filename): info for info in reversed(infos) if not info.is_dir()}
        self._max_bytes = max_bytes
        self._produced_bytes = 0

    def __contains__(self, name: str) -> bool:
        return _normal(name) in self._entries

    def names(self) -> list[str]:
        """Return the names of all parts, in lower case."""
        return list(self._entries)

    def chunks(self, name: str) -> Iterator[bytes]:
        """Yield a part piece by piece, which takes little memory. Raises `KeyError` when there is none, `RefusedInput`."""
        yield from self.pieces(self._entries[_normal(name)])

    def infos(self) -> list[zipfile.ZipInfo]:
        """Return all entries as they are listed, also folders and those of equal names."""
        return self._zip.infolist()

    def pieces(self, info: zipfile.ZipInfo) -> Iterator[bytes]:
        """Yield the bytes of an entry piece by piece. Raises `RefusedInput`."""
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise RefusedInput("The file is packed in a way that isn't read. Pack or save it again.", code="corrupt")
        # What is declared is not believed, but a file that calls itself too large is taken at its word.
        if info.file_size > min(self._max_bytes, _bound(info)):
            raise _too_large()
        produced_bytes = 0
        with _refusing_damage(), self._zip.open(info) as part:
            while piece := part.read(_CHUNK_BYTES):
                produced_bytes += len(piece)
                self._count(len(piece))
                if produced_bytes > _bound(info):
                    raise _too_large()
                yield piece

    def read(self, name: str, *, max_bytes: int) -> bytes:
        """Return a small part as a whole. Raises `KeyError`, `RefusedInput`."""
        pieces: list[bytes] = []
        size_bytes = 0
        for piece in self.chunks(name):
            size_bytes += len(piece)
            if size_bytes > max_bytes:
                raise _too_large()
            pieces.append(piece)
        return b"".join(pieces)

    def _count(self, size_bytes: int) -> None:
        self._produced_bytes += size_bytes
        if self._produced_bytes > self._max_bytes:
            raise _too_large()


def _bound(info: zipfile.ZipInfo) -> int:
    return max(_FREE_OF_RATIO_BYTES, _MAX_RATIO * info.compress_size)


@contextmanager
def _refusing_damage() -> Generator[None]:
    try:
        yield
    except _DAMAGE as error:
        raise RefusedInput(
            "The file is damaged or cut off: it can't be unpacked. Copy or download it again, or save it again.", code="corrupt"
        ) from error


def _too_large() -> RefusedInput:
    return RefusedInput(
        "Unpacked, the file is far larger than a document may be. Split it, or save it again from its program.",
        code="too_large",
    )


def _normal(name: str) -> str:
    return name.replace("\\", "/").lstrip("/").lower()


def _check_directory(file: IO[bytes]) -> None:
    """Refuse a table of contents that would take long to read, or that isn't there. Its size stands at the end of the file."""
    size_bytes = file.seek(0, os.SEEK_END)
    file.seek(max(0, size_bytes - _END_WITHIN_BYTES))
    tail = file.read()
    at = tail.rfind(b"PK\x05\x06")
    if at < 0 or len(tail) - at < _END_BYTES:
        raise zipfile.BadZipFile
    (directory_bytes,) = struct.unpack_from("<L", tail, at + 12)
    # A directory of 64 bits declares its size elsewhere and 2^32 - 1 here. No office document needs one.
    if directory_bytes > _MAX_DIRECTORY_BYTES:
        raise _too_many()


def _check_entries(infos: list[zipfile.ZipInfo]) -> None:
    if len(infos) > _MAX_ENTRIES:
        raise _too_many()
    if any(info.flag_bits & _IS_ENCRYPTED for info in infos):
        raise RefusedInput("The file is protected by a password. Add a copy without a password.", code="encrypted")
    ordered = sorted(infos, key=lambda info: info.header_offset)
    for one, following in pairwise(ordered):
        # Parts that share bytes are how a small file unpacks to a very large one.
        if one.header_offset + _LOCAL_HEADER_BYTES + one.compress_size > following.header_offset:
            raise RefusedInput("The parts of the file overlap, as in no file of an office program. Save it again.", code="corrupt")


def _too_many() -> RefusedInput:
    return RefusedInput("The file is made of far more parts than an office document has.", code="too_large")
