"""The documents of a dense mirror by number, mapped like its rows: a mapping in memory would be each process's own."""

from collections.abc import Collection, Iterable, Sequence
from functools import cached_property
from typing import Any, TypeAlias
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from pincite.core.errors import StoreError
from pincite.core.ids import DocumentId

ID_BYTES = 64
DOCUMENT = np.dtype([("name", f"S{ID_BYTES}"), ("key", "<u4")])
"""A document's id and a hash to find it by. Its place is its number."""

Numbers: TypeAlias = NDArray[np.intp]
Records: TypeAlias = NDArray[Any]
"""Records of `DOCUMENT`."""


class MatrixDocuments:
    """Numbers of documents, and back. Of its own it has 8 bytes a document, from the first look for a number on."""

    def __init__(self, records: Records) -> None:
        self._records = records

    def __len__(self) -> int:
        return len(self._records)

    def ids(self, numbers: Sequence[int] | NDArray[Any]) -> list[DocumentId]:
        """Return the documents of some numbers."""
        names: list[bytes] = self._records["name"][numbers].tolist()
        return [DocumentId(name.decode()) for name in names]

    def among(self, documents: Collection[DocumentId]) -> Numbers:
        """Return the numbers of those documents that are known, in no order."""
        return self._look([document.encode() for document in documents])[1]

    def numbers(self, documents: Collection[DocumentId]) -> dict[DocumentId, int]:
        """Return the numbers of those documents that are known, by document."""
        asked = list(documents)
        places, numbers = self._look([document.encode() for document in asked])
        return {asked[place]: number for place, number in zip(places.tolist(), numbers.tolist(), strict=True)}

    def _look(self, names: list[bytes]) -> tuple[Numbers, Numbers]:
        """Return the places of known names, and their numbers."""
        wanted, keys = np.array(names, np.bytes_), np.array(list(map(crc32, names)), np.uint32)
        order, known = self._by_key
        first, last = np.searchsorted(known, keys, "left"), np.searchsorted(known, keys, "right")
        found: list[tuple[Numbers, Numbers]] = []
        for step in range(int((last - first).max(initial=0))):  # more than one where different documents have one hash
            places = np.flatnonzero(first + step < last)
            numbers = order[first[places] + step].astype(np.intp)
            same = self._records["name"][numbers] == wanted[places]
            found.append((places[same], numbers[same]))
        none = np.zeros(0, np.intp)
        return np.concatenate([none, *(places for places, _ in found)]), np.concatenate([none, *(numbers for _, numbers in found)])

    @cached_property
    def _by_key(self) -> tuple[NDArray[np.int32], NDArray[np.uint32]]:
        """Return numbers in the order of their hashes, and these."""
        keys = np.ascontiguousarray(self._records["key"])
        order = np.argsort(keys, kind="stable").astype(np.int32)
        return order, keys[order]


def records_of(documents: Iterable[DocumentId]) -> Records:
    """Return records of documents. Raises `StoreError` for an id that doesn't fit one."""
    ids = list(documents)
    records = np.zeros(len(ids), DOCUMENT)
    records["name"] = [_fitting(document) for document in ids]
    records["key"] = [crc32(document.encode()) for document in ids]
    return records


def _fitting(document: DocumentId) -> bytes:
    name = document.encode()
    if len(name) > ID_BYTES:
        raise StoreError(f"The document id {document!r} is longer than {ID_BYTES} bytes.")
    return name
