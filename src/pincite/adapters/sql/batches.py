"""Long lists cut into parts that one statement takes."""

from collections.abc import Iterator, Sequence
from typing import TypeVar

IDS_PER_STATEMENT = 1000

T = TypeVar("T")


def batches(items: Sequence[T]) -> Iterator[list[T]]:
    """Yield the items in order, as many at a time as go into one statement."""
    return (list(items[at : at + IDS_PER_STATEMENT]) for at in range(0, len(items), IDS_PER_STATEMENT))
