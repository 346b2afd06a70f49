"""Keeping finished answers."""

from typing import Protocol

from pincite.core.answers import AnswerRecord


class Recorder(Protocol):
    """Stores an answer with the passages it cites, so that they never change afterwards."""

    async def record(self, record: AnswerRecord) -> None:
        """Store one answer. Raises `StoreError`."""
        ...
