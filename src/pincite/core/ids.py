"""Identifiers: UUIDv7 as text, so that they sort by the time they were made."""

import os
import time
from typing import NewType

WorkspaceId = NewType("WorkspaceId", str)
CollectionId = NewType("CollectionId", str)
DocumentId = NewType("DocumentId", str)
VersionId = NewType("VersionId", str)
ChunkId = NewType("ChunkId", str)
MessageId = NewType("MessageId", str)
TokenId = NewType("TokenId", str)
FigureId = NewType("FigureId", str)
JobId = NewType("JobId", str)
UsageId = NewType("UsageId", str)


def new_id() -> str:
    """Return a fresh UUIDv7 (RFC 9562, section 5.7) as 36 lower-case characters."""
    milliseconds = time.time_ns() // 1_000_000
    random = int.from_bytes(os.urandom(10), "big")
    value = (milliseconds & (1 << 48) - 1) << 80 | 0x7 << 76 | (random >> 64 & 0xFFF) << 64 | 0b10 << 62 | random & (1 << 62) - 1
    digits = f"{value:032x}"
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"
