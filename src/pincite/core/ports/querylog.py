"""Keeping a log of the questions."""

from typing import Protocol

from pincite.core.querylog import LoggedQuery


class QueryLog(Protocol):
    """Takes note of questions without making anybody wait."""

    def note(self, query: LoggedQuery) -> None:
        """Take note of a question that has ended. Returns at once; the row is written soon after, or when the log is closed."""
        ...

    async def close(self) -> None:
        """Write what was noted and not written yet."""
        ...
