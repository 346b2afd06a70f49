"""A canonical text as compact bytes: JSON for blocks and pages, packed columns for the runs, all of it deflated."""

import json
import struct
import sys
import zlib
from array import array
from collections.abc import Iterable
from dataclasses import astuple
from itertools import accumulate
from operator import attrgetter, sub

from pincite.core.documents import Block, BlockRole, CanonicalText, Page, SourceRun
from pincite.core.ocr import ReadWord

FORMAT = 1
WIDE_FORMAT = 2
"""As the other, with numbers of 64 bits: those of cells far down in a sheet need them."""

_TYPES = {FORMAT: "I", WIDE_FORMAT: "Q"}
_MOST = 0xFFFF_FFFF
_HEAD = struct.Struct("<BII")
_COLUMNS = ("start", "length", "page", "index", "count")


def encode(canonical: CanonicalText) -> bytes:
    """Return the bytes of a canonical text: format, lengths of JSON and text, JSON, text, then the runs by column."""
    blocks = [[b.role.value, b.start, b.end, b.page, b.level] for b in canonical.blocks]
    # A fifth value is written only where there is one: rows from before Bates numbers read the same.
    pages = [[p.number, p.label, p.width, p.height, *([p.bates] if p.bates else [])] for p in canonical.pages]
    words = {"words": list(map(astuple, canonical.words))} if canonical.words else {}
    about = json.dumps({"blocks": blocks, "pages": pages, **words}, separators=(",", ":")).encode()
    text = canonical.text.encode("utf-8", "surrogatepass")
    is_wide = any(run.index > _MOST or run.count > _MOST for run in canonical.runs)
    kind = WIDE_FORMAT if is_wide else FORMAT
    return zlib.compress(b"".join((_HEAD.pack(kind, len(about), len(text)), about, text, *_pack(canonical.runs, _TYPES[kind]))))


def decode(data: bytes) -> CanonicalText:
    """Return the canonical text that `encode` wrote."""
    whole = memoryview(zlib.decompress(data))
    kind, about_bytes, text_bytes = _HEAD.unpack_from(whole)
    text_at = _HEAD.size + about_bytes
    about = json.loads(bytes(whole[_HEAD.size : text_at]))
    return CanonicalText(
        text=str(whole[text_at : text_at + text_bytes], "utf-8", "surrogatepass"),
        blocks=tuple(Block(BlockRole(role), start, end, page, level) for role, start, end, page, level in about["blocks"]),
        pages=tuple(Page(*page) for page in about["pages"]),
        runs=_unpack(whole[text_at + text_bytes :], _TYPES[kind]),
        words=tuple(ReadWord(*word) for word in about.get("words", ())),
    )


def _pack(runs: tuple[SourceRun, ...], letter: str) -> Iterable[bytes]:
    # Starts rise, so their differences are small numbers that deflate to almost nothing.
    for name in _COLUMNS:
        column = list(map(attrgetter(name), runs))
        if name == "start":
            column = list(map(sub, column, [0, *column[:-1]]))
        yield _little_endian(array(letter, column)).tobytes()


def _unpack(data: memoryview, letter: str) -> tuple[SourceRun, ...]:
    size_bytes = len(data) // len(_COLUMNS)
    columns = [_column(data[size_bytes * i : size_bytes * (i + 1)], letter) for i in range(len(_COLUMNS))]
    return tuple(map(SourceRun, accumulate(columns[0]), *columns[1:]))


def _column(data: memoryview, letter: str) -> "array[int]":
    column: array[int] = array(letter)
    column.frombytes(data)
    return _little_endian(column)


def _little_endian(column: "array[int]") -> "array[int]":
    if sys.byteorder == "big":
        column.byteswap()
    return column
