"""Event streams over ASGI: search before the first byte, tokens coalesced, silence broken by comments, one terminal event.

The wire format is that of the HTML Standard, section 9.2 (server-sent events), restricted to `event: NAME`, one `data: JSON`
and LF.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress
from typing import Any, Protocol

import orjson
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from pincite.core.answers import AnswerEvent, DoneChunk, SourcesChunk, TokenChunk
from pincite.core.errors import PinciteError
from pincite.server.middleware import body_sender

WINDOW_S = 0.025
"""Tokens that follow one another faster travel together; the first after a pause goes at once."""
PING_S = 15.0
"""Silence after which a comment tells that the stream is alive."""
STALLED_S = 60.0
"""A client that takes nothing for so long counts as gone."""
MAX_HELD_CHARACTERS = 32_768
"""Text that waits for a slow reader; from there on the model waits too."""

HEADERS = (
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-cache, no-transform"),
    (b"x-accel-buffering", b"no"),
)
PING = b": ping\n\n"

_log = logging.getLogger("pincite.server")


class Dialect(Protocol):
    """How the events of an answer are written on one endpoint."""

    def start(self, event: SourcesChunk) -> bytes:
        """Return what is sent before any text."""
        ...

    def token(self, text: str) -> bytes:
        """Return a piece of text."""
        ...

    def done(self, event: DoneChunk) -> bytes:
        """Return the end of an answer: its terminal event is the last."""
        ...

    def failed(self) -> bytes:
        """Return the terminal event of an answer that failed, with a fixed sentence."""
        ...


def frame(name: str, data: Any) -> bytes:
    """Return one event. Line separators that only Unicode knows are escaped: some clients would break the line there."""
    return b"event: %b\ndata: %b\n\n" % (name.encode(), json_line(data))


def json_line(data: Any) -> bytes:
    """Return JSON on one line."""
    line = orjson.dumps(data)
    if b"\xe2\x80" in line:
        line = line.replace(b"\xe2\x80\xa8", b"\\u2028").replace(b"\xe2\x80\xa9", b"\\u2029")
    return line.replace(b"\xc2\x85", b"\\u0085") if b"\xc2\x85" in line else line


class Streams:
    """The streams that are open in this process: how many may be, and how all of them end."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._open: set[EventStream] = set()
        self._reserved = 0
        self.stopping = False

    @property
    def is_full(self) -> bool:
        """Say whether another stream is one too many."""
        return self._reserved >= self._most

    def __len__(self) -> int:
        return len(self._open)

    def reserve(self) -> None:
        """Take a place before the search begins."""
        self._reserved += 1

    def release(self) -> None:
        """Give a place back."""
        self._reserved -= 1

    def add(self, stream: "EventStream") -> None:
        """Know a stream that has begun."""
        self._open.add(stream)

    def drop(self, stream: "EventStream") -> None:
        """Forget a stream that has ended."""
        self._open.discard(stream)

    def stop(self) -> None:
        """End every open stream with its terminal event; later ones end at once."""
        self.stopping = True
        for stream in list(self._open):
            stream.stop()


class EventStream(Response):
    """The response that carries one answer. The place reserved in `streams` is given back when it ends, however it ends."""

    def __init__(
        self, first: SourcesChunk, events: AsyncGenerator[AnswerEvent, None], dialect: Dialect, *, streams: Streams, request_id: str
    ) -> None:
        self.status_code = 200
        self.background = None
        self.raw_headers = list(HEADERS)
        self._first = first
        self._events = events
        self._dialect = dialect
        self._streams = streams
        self._request_id = request_id
        self._task: asyncio.Task[None] | None = None
        self._cancelled_by: str | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the answer. A client that leaves, and a server that stops, end it."""
        self._streams.add(self)
        try:
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            wire = Wire(body_sender(scope, send), self._dialect.token, on_stalled=self._leave)
            # A task of its own: each event wakes the whole chain of awaits above it, and here that is a short one.
            self._task = asyncio.create_task(self._run(wire))
            # Servers tell of a disconnect also when the response has been sent.
            while (await receive())["type"] != "http.disconnect":
                pass
            self._leave()
            await self._task
        finally:
            self._leave()
            self._streams.drop(self)
            self._streams.release()
            await self._events.aclose()

    def stop(self) -> None:
        """End the stream with a terminal event, because the server stops."""
        self._interrupt("stop")

    async def _run(self, wire: "Wire") -> None:
        try:
            await wire.write(self._dialect.start(self._first))
            if self._streams.stopping:
                await wire.end(self._dialect.failed())
            else:
                await self._pump(wire)
        except asyncio.CancelledError:
            if self._cancelled_by == "stop":
                await self._events.aclose()
                await wire.end(self._dialect.failed())
        finally:
            wire.close()

    async def _pump(self, wire: "Wire") -> None:
        try:
            end = await self._forward(wire)
        except PinciteError as error:
            _log.warning("Generation failed (%s), request %s", error.code, self._request_id)
            end = self._dialect.failed()
        except Exception:  # noqa: BLE001 - the door: whatever went wrong, the client gets its terminal event
            _log.exception("Generation failed, request %s", self._request_id)
            end = self._dialect.failed()
        await wire.end(end)

    async def _forward(self, wire: "Wire") -> bytes:
        async for event in self._events:
            if isinstance(event, TokenChunk):
                await wire.token(event.text)
            elif isinstance(event, DoneChunk):
                return self._dialect.done(event)
        return self._dialect.failed()

    def _leave(self) -> None:
        self._interrupt("left")

    def _interrupt(self, why: str) -> None:
        if self._cancelled_by is None and self._task is not None and not self._task.done():
            self._cancelled_by = why
            self._task.cancel()


class Wire:
    """Writes to one client: tokens together when they come fast, comments when none come.

    One coroutine calls it. While a flush of its own is under way tokens are only held, so that sends never overlap.
    """

    def __init__(self, send: Send, frame_of: Callable[[str], bytes], *, on_stalled: Callable[[], None]) -> None:
        self._send = send
        self._frame_of = frame_of
        self._on_stalled = on_stalled
        self._loop = asyncio.get_running_loop()
        self._held: list[str] = []
        self._held_characters = 0
        self._last = self._loop.time()
        self._sending_since: float | None = None
        self._flush_at: asyncio.TimerHandle | None = None
        self._flushing: asyncio.Task[None] | None = None
        self._alive = self._loop.call_later(PING_S, self._check)

    async def token(self, text: str) -> None:
        """Send a piece of text now, or with those that follow within the window."""
        now = self._loop.time()
        if self._flushing is None and not self._held and now - self._last >= WINDOW_S:
            # As `write` does, without another coroutine: this line runs for every token of every stream.
            self._last = self._sending_since = now
            await self._send({"type": "http.response.body", "body": self._frame_of(text), "more_body": True})
            self._sending_since = None
            return
        self._held.append(text)
        self._held_characters += len(text)
        if self._flushing is None and self._flush_at is None:
            self._flush_at = self._loop.call_at(self._last + WINDOW_S, self._start_flush)
        if self._held_characters > MAX_HELD_CHARACTERS:
            await self._settle()

    async def end(self, data: bytes) -> None:
        """Send what is held, then the terminal event, and close the body."""
        await self._settle()
        self._alive.cancel()
        await self.write(data, more=False)

    async def write(self, data: bytes, *, more: bool = True) -> None:
        """Send bytes at once."""
        self._last = self._sending_since = self._loop.time()
        await self._send({"type": "http.response.body", "body": data, "more_body": more})
        self._sending_since = None

    def close(self) -> None:
        """Stop the timers, and a flush that is under way."""
        self._alive.cancel()
        if self._flush_at:
            self._flush_at.cancel()
        if self._flushing:
            self._flushing.cancel()

    async def _settle(self) -> None:
        """Wait for a flush under way, then send what is held."""
        if self._flush_at:
            self._flush_at.cancel()
            self._flush_at = None
        if self._flushing:
            await asyncio.wait({self._flushing})
        await self._flush()

    def _start_flush(self) -> None:
        self._flush_at = None
        self._flushing = self._loop.create_task(self._flush())
        self._flushing.add_done_callback(self._flushed)

    def _flushed(self, task: asyncio.Task[None]) -> None:
        self._flushing = None
        # A client that is gone shows at the next write and in the watcher.
        with suppress(asyncio.CancelledError):
            task.exception()
        if self._held and self._flush_at is None and not self._alive.cancelled():
            self._flush_at = self._loop.call_at(self._last + WINDOW_S, self._start_flush)

    async def _flush(self) -> None:
        if self._held:
            text, self._held, self._held_characters = "".join(self._held), [], 0
            await self.write(self._frame_of(text))

    def _check(self) -> None:
        """Look whether the stream is silent, or its client takes nothing."""
        now = self._loop.time()
        if self._sending_since is not None and now - self._sending_since >= STALLED_S:
            self._on_stalled()
            return
        if self._sending_since is None and self._flushing is None and now - self._last >= PING_S - WINDOW_S:
            self._flushing = self._loop.create_task(self.write(PING))
            self._flushing.add_done_callback(self._flushed)
        self._alive = self._loop.call_at(max(self._last + PING_S, now + 1), self._check)
