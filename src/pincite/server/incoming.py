"""Uploaded files on their way in: a piece at a time to disk, bounded while they come."""

import asyncio
import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from fastapi import UploadFile

from pincite.core.errors import RefusedInput, StoreError

PIECE_BYTES = 1 << 20


@asynccontextmanager
async def kept(file: UploadFile, home: Path, *, most_bytes: int) -> AsyncGenerator[Path]:
    """Keep an upload in a file of the home folder until the block ends.

    Raises `RefusedInput` (`too_large`) for one of more than `most_bytes`, and `StoreError` when the disk is full.
    """
    path = await asyncio.to_thread(_temporary, home)
    try:
        await _copy(file, path, most_bytes)
        yield path
    finally:
        await asyncio.to_thread(path.unlink, missing_ok=True)


async def _copy(file: UploadFile, path: Path, most_bytes: int) -> None:
    size = 0
    try:
        with await asyncio.to_thread(path.open, "wb") as target:
            while piece := await file.read(PIECE_BYTES):
                size += len(piece)
                if size > most_bytes:
                    raise RefusedInput(f"{file.filename} is larger than {most_bytes:,} bytes.", code="too_large")
                await asyncio.to_thread(target.write, piece)
    except OSError as error:
        raise StoreError(f"The upload can't be kept ({error.strerror}).", code="disk_full", retryable=True) from error


def _temporary(home: Path) -> Path:
    with tempfile.NamedTemporaryFile(dir=home, prefix="upload-", delete=False) as taken:
        return Path(taken.name)
