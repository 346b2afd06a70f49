"""A parser that reads every file in a child process, so that a hostile or broken one fails alone."""

import asyncio
import os
import weakref
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock
from typing import Any, Generic, TypeVar

from pincite.adapters.parsers.content_types import PDF, WITH_PAGES
from pincite.adapters.parsers.limits import ParseLimits
from pincite.adapters.parsers.process import ChildProcess, refusal
from pincite.adapters.parsers.unpacked import UnpackedFiles
from pincite.adapters.parsers.wire import BadResult, decode_boxes, decode_document, decode_picture, decode_version
from pincite.core.documents import Box, PagePicture, ParsedDocument, SourceRun
from pincite.core.errors import NotFoundError, RefusedInput
from pincite.core.ports.parsing import ContainedFile, ParseProgress

_T = TypeVar("_T")

DRAWN_AT_ONCE = 2
"""Pages drawn side by side: one that takes long doesn't keep all others waiting."""


class IsolatedParser:
    """Implements `Parser`. `slots` files are parsed at once, each in its own child; boxes and pictures have children of their own.

    Children start when first needed (`warm` starts one ahead), serve `limits.files_per_child` files and end with this object or
    its process. Any event loop may use it, one after the other or several at once.
    """

    def __init__(self, limits: ParseLimits | None = None, *, slots: int = 1) -> None:
        self._limits = limits or ParseLimits()
        self._parsing = _Lane(self._limits, slots, "parse")
        self._boxing = _Lane(self._limits, 1, "boxes")
        self._drawing = _Lane(self._limits, DRAWN_AT_ONCE, "pictures")
        self._finalizer = weakref.finalize(self, _close_all, (self._parsing, self._boxing, self._drawing))

    async def parse(self, path: Path, *, name: str, on_progress: Callable[[ParseProgress], None] | None = None) -> ParsedDocument:
        """Read a file; see the port."""
        size_bytes = self._check_size(path)
        loop = asyncio.get_running_loop()

        def report(done: int, total: int) -> None:
            if on_progress and not loop.is_closed():
                loop.call_soon_threadsafe(on_progress, ParseProgress(done, total))

        request = {"task": "parse", "path": _absolute(path), "name": name}
        return await self._parsing.run(_Job(request, decode_document, size_bytes=size_bytes, on_progress=report))

    def _check_size(self, path: Path) -> int:
        try:
            size_bytes = path.stat().st_size
        except OSError as error:
            raise NotFoundError(f"There is no file {path.name!r} that can be read.") from error
        if not size_bytes:
            raise RefusedInput("The file is empty.", code="empty_file")
        if size_bytes > self._limits.file_bytes:
            most_mb = self._limits.file_bytes // 1_000_000
            raise RefusedInput(f"The file is larger than {most_mb:,} MB. Split it and add the parts.", code="too_large")
        return size_bytes

    async def unpack(self, path: Path, *, name: str, into: Path) -> list[ContainedFile]:
        """Write the files inside a file into a folder; see the port."""
        size_bytes = self._check_size(path)
        files = UnpackedFiles(into, most_bytes=self._limits.unpacked_bytes)
        request = {"task": "unpack", "path": _absolute(path), "name": name}
        try:
            return await self._parsing.run(_Job(request, files.named, size_bytes=size_bytes, on_piece=files.write))
        finally:
            files.close()

    async def version_of(self, parser: str) -> str | None:
        """Return the version that a parser has by now; see the port."""
        return await self._parsing.run(_Job({"task": "version", "parser": parser}, decode_version))

    async def boxes(self, path: Path, *, content_type: str, runs: Sequence[SourceRun]) -> list[list[Box]]:
        """Return the boxes of runs; see the port."""
        if content_type not in WITH_PAGES or not runs:
            return [[] for _ in runs]
        wanted = [(run.page, run.index, run.count) for run in runs]
        request = {"task": "boxes", "content_type": content_type, "path": _absolute(path), "runs": wanted}
        return await self._boxing.run(_Job(request, lambda value: decode_boxes(value, count=len(wanted))))

    async def picture(self, path: Path, *, content_type: str, page: int, width: int) -> PagePicture:
        """Draw a page; see the port. A page that takes longer than a file may be silent is refused (`timeout`)."""
        if content_type != PDF:
            raise NotFoundError(f"Pages of PDF files alone can be shown as pictures; this is {content_type}.", code="no_picture")
        request = {"task": "picture", "path": _absolute(path), "page": page, "width": width}
        drawn = await self._drawing.run(_Job(request, decode_picture))
        if isinstance(drawn, int):
            raise NotFoundError(f"There is no page {page}: the document has {drawn}.", code="page")
        return drawn

    def warm(self) -> None:
        """Start the child that computes boxes, in the background, so that the first quote doesn't wait for it."""
        self._boxing.warm()

    def close(self) -> None:
        """End all children."""
        self._finalizer()


def _absolute(path: Path) -> str:
    """Return a path that the child, which works elsewhere, finds; symbolic links stay as they are."""
    return os.path.abspath(path)


class _Job(Generic[_T]):
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


class _Lane:
    """Some children and as many threads that wait for them."""

    def __init__(self, limits: ParseLimits, slots: int, name: str) -> None:
        self._limits = limits
        self._threads = ThreadPoolExecutor(max_workers=slots, thread_name_prefix=f"pincite-{name}")
        self._idle: list[ChildProcess] = []
        self._jobs: set[_Job[Any]] = set()
        self._lock = Lock()

    async def run(self, job: _Job[_T]) -> _T:
        """Wait for a free child and for what it makes of a job. Cancelling stops the child."""
        self._jobs.add(job)
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, self._work, job)
        finally:
            job.cancel()
            self._jobs.discard(job)

    def _work(self, job: _Job[_T]) -> _T:
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


def _close_all(lanes: Sequence[_Lane]) -> None:
    for lane in lanes:
        lane.close()
