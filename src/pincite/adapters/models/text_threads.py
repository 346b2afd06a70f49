"""Threads that compute one vector per text, with questions kept apart from passages."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Event

from pincite.core.ports.models import Vector


class TextThreads:
    """Passages are computed on `workers` threads; a question has its own thread and never waits behind passages."""

    def __init__(self, embed: Callable[[str], Vector], *, workers: int = 2) -> None:
        self._embed = embed
        self._workers = workers
        self._passages = ThreadPoolExecutor(workers, "embed-passages")
        self._questions = ThreadPoolExecutor(1, "embed-question")

    async def passages(self, texts: Sequence[str]) -> list[Vector]:
        """Return one vector per text, in order. A caller that is cancelled stops the work at the next text."""
        vectors: list[Vector] = [()] * len(texts)
        # The workers draw from one iterator, which the interpreter lock makes safe.
        waiting = iter(enumerate(texts))
        stopped = Event()

        def work() -> None:
            for position, text in waiting:
                if stopped.is_set():
                    return
                vectors[position] = self._embed(text)

        loop = asyncio.get_running_loop()
        try:
            await asyncio.gather(*(loop.run_in_executor(self._passages, work) for _ in range(min(self._workers, len(texts)))))
        finally:
            stopped.set()
        return vectors

    async def question(self, text: str) -> Vector:
        """Return the vector of one text."""
        return await asyncio.get_running_loop().run_in_executor(self._questions, self._embed, text)
