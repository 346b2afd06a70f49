"""Documents by number and back, also where different ones have one hash."""

import zlib
from collections.abc import Sequence

import pytest

from pincite.adapters.index.matrix_documents import MatrixDocuments, records_of
from pincite.core.errors import StoreError
from pincite.core.ids import DocumentId, new_id

TWINS = ("plumless", "buckeroo")


def table(*names: str) -> MatrixDocuments:
    return MatrixDocuments(records_of(list(map(DocumentId, names))))


def numbers(documents: MatrixDocuments, names: Sequence[str]) -> dict[str, int]:
    return {**documents.numbers(list(map(DocumentId, names)))}


def test_documents_are_numbered_in_their_order() -> None:
    names = [new_id() for _ in range(300)]
    documents = table(*names)
    assert len(documents) == 300
    assert numbers(documents, names) == {name: number for number, name in enumerate(names)}
    assert documents.ids([7, 0, 299]) == [names[7], names[0], names[299]]


def test_what_is_not_there_has_no_number() -> None:
    assert numbers(table(), ["a"]) == {}
    assert numbers(table("a", "b"), []) == {}
    assert numbers(table("a", "b"), ["b", "c", "x" * 65]) == {"b": 1}


def test_documents_of_one_hash_are_told_apart() -> None:
    assert zlib.crc32(TWINS[0].encode()) == zlib.crc32(TWINS[1].encode())
    assert numbers(table("a", *TWINS, "z"), TWINS) == {TWINS[0]: 1, TWINS[1]: 2}
    assert numbers(table(TWINS[0], "z"), TWINS) == {TWINS[0]: 0}
    assert numbers(table("z", TWINS[1]), TWINS[:1]) == {}


def test_an_id_that_does_not_fit_is_refused() -> None:
    assert table("ü" * 32).ids([0]) == ["ü" * 32]
    with pytest.raises(StoreError, match="longer than 64"):
        table("ü" * 33)
