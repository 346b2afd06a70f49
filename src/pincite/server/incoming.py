"""Uploaded files on their way in: a piece at a time to disk, bounded while they come."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from fastapi import UploadFile

from pincite.core.errors import RefusedInput, StoreError
from pincite.core.ports.blobs import BlobStore
from pincite.ingest.naming import plain_path, printable, readable

PIECE_BYTES = 1 << 20
MAX_NAME_CHARACTERS = 1000
SHOWN_CHARACTERS = 100
"""Longest beginning of a name, which is the client's to choose, that a refusal repeats."""


def accepted(file: UploadFile, *, most_bytes: int) -> str:
    """Return the path of the document that an upload becomes. Its name may be the way into a folder.

    Raises `RefusedInput` (`unnamed`, `path`, `too_large`).
    """
    name = file.filename or ""
    if not name.strip("/\\ "):
        raise RefusedInput("A file came without a name. Name it.", code="unnamed")
    path = plain_path(readable(name).replace("\\", "/"))
    if not path or "\0" in path or len(path) > MAX_NAME_CHARACTERS:
        raise RefusedInput(
            f"A file can't be kept under the name {printable(name)[:SHOWN_CHARACTERS]!r}. Take one like `minutes.md` or "
            f"`2024/minutes.md`: up to {MAX_NAME_CHARACTERS} characters, without `..` and NUL.",
            code="path",
        )
    if (file.size or 0) > most_bytes:
        raise RefusedInput(
            f"{printable(name)[:SHOWN_CHARACTERS]} has more than the {most_bytes:,} bytes that a file may have here. "
            "None of the files sent together was kept: send the others without it.",
            code="too_large",
        )
    return path


@asynccontextmanager
async def kept(file: UploadFile, blobs: BlobStore) -> AsyncGenerator[Path]:
    """Keep an upload in a file beside the blobs until the block ends.

    Raises `StoreError` when the disk is full.
    """
    async with blobs.scratch() as folder:
        path = folder / "upload"
        await _copy(file, path)
        yield path


async def _copy(file: UploadFile, path: Path) -> None:
    try:
        with await asyncio.to_thread(path.open, "wb") as target:
            while piece := await file.read(PIECE_BYTES):
                await asyncio.to_thread(target.write, piece)
    except OSError as error:
        raise StoreError(f"The upload can't be kept ({error.strerror}).", code="disk_full", retryable=True) from error
