"""Children that work side by side, and the requests on their way to them."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import Any, Generic, TypeVar

from pincite.adapters.parsers.limits import ParseLimits
from pincite.adapters.parsers.process import ChildProcess, refusal
from pincite.adapters.parsers.wire import BadResult

_T = TypeVar("_T")


class Job(Generic[_T]):
    """One request on its way. Whoever stops waiting for it interrupts its child."""

    def __init__(
        self,
        request: Mapping[str, object],
        decode: Callable[[object], _T],
        *,
        size_bytes: int = 0,
        on_progress: Callable[[int, int], None] | None = None,
        on_piece: Callable[[int, bytes], None] | None = None,
    ) -> None:
        self._request = request
        self._on_piece = on_piece
        self._decode = decode
        self._size_bytes = size_bytes
        self._on_progress = on_progress
        self._lock = Lock()
        self._child: ChildProcess | None = None
        self._cancelled = False

    def perform(self, child: ChildProcess, limits: ParseLimits) -> _T:
        """Have a child do the work, blocking. Raises `RefusedInput`, `NotFoundError`."""
        with self._lock:
            if self._cancelled:
                raise refusal("timeout")
            self._child = child
        try:
            reply = child.ask(
                self._request, limits=limits, size_bytes=self._size_bytes, on_progress=self._on_progress, on_piece=self._on_piece
            )
            return self._decode(reply)
        except BadResult as error:
            child.interrupt()
            raise refusal("crashed") from error
        finally:
            with self._lock:
                self._child = None

    def cancel(self) -> None:
        """Stop the child, if one is at work."""
        with self._lock:
            self._cancelled = True
            if self._child:
                self._child.interrupt()


class Lane:
    """Some children and as many threads that wait for them."""

    def __init__(self, limits: ParseLimits, slots: int, name: str) -> None:
        self._limits = limits
        self._threads = ThreadPoolExecutor(max_workers=slots, thread_name_prefix=f"pincite-{name}")
        self._idle: list[ChildProcess] = []
        self._jobs: set[Job[Any]] = set()
        self._lock = Lock()

    async def run(self, job: Job[_T]) -> _T:
        """Wait for a free child and for what it makes of a job. Cancelling stops the child."""
        self._jobs.add(job)
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, self._work, job)
        finally:
            job.cancel()
            self._jobs.discard(job)

    def _work(self, job: Job[_T]) -> _T:
        child = self._take()
        try:
            return job.perform(child, self._limits)
        finally:
            self._give_back(child)

    def _take(self) -> ChildProcess:
        with self._lock:
            while self._idle:
                child = self._idle.pop()
                if child.is_alive:
                    return child
                child.close()
        return ChildProcess()

    def _give_back(self, child: ChildProcess) -> None:
        if child.is_alive and not child.is_worn and child.files_read < self._limits.files_per_child:
            with self._lock:
                self._idle.append(child)
        else:
            child.close()

    def warm(self) -> None:
        """Start a child ahead of its first request."""
        self._threads.submit(lambda: self._give_back(self._take()))

    def close(self) -> None:
        """End the children and the threads."""
        for job in list(self._jobs):
            job.cancel()
        self._threads.shutdown(wait=True, cancel_futures=True)
        while self._idle:
            self._idle.pop().close()


def close_all(lanes: Sequence[Lane]) -> None:
    """End the children of all lanes."""
    for lane in lanes:
        lane.close()
