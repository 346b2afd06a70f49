"""The threads that search."""

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")

_MOST = 4


class SearchThreads:
    """A few threads for searches alone, no more than there are processors.

    Each keeps the memory that a search once took, 2 to 3 MB at 100,000 chunks. Were searches spread over the threads that wait for
    files and rows, every process would keep that several times.
    """

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(min(_MOST, os.cpu_count() or 1), thread_name_prefix="pincite-search")

    async def run(self, search: Callable[[], T]) -> T:
        """Return what a search returns, or raise what it raises."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, search)
