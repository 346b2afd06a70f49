"""Messages between the parser and its child: a length, then JSON. Nothing that arrives can run code."""

import json
import os
import select
import time

_HEADER_BYTES = 8
_CHUNK_BYTES = 1 << 20


class ChannelClosed(Exception):
    """The other side has gone."""


class FrameTooLarge(Exception):
    """The other side announced more bytes than it may send."""


class WaitedTooLong(Exception):
    """No whole message came before the deadline."""


def write_frame(fd: int, message: object) -> None:
    """Write one message. Raises `ChannelClosed` when nobody reads any more."""
    body = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    view = memoryview(len(body).to_bytes(_HEADER_BYTES, "big") + body)
    try:
        while view:
            view = view[os.write(fd, view[:_CHUNK_BYTES]) :]
    except BrokenPipeError as error:
        raise ChannelClosed from error


def read_frame(fd: int, *, max_bytes: int, deadline: float | None = None) -> object:
    """Read one message; `deadline` is on `time.monotonic()`.

    Raises `ChannelClosed`, `WaitedTooLong`, `FrameTooLarge`, or `ValueError` when the bytes are no JSON.
    """
    size = int.from_bytes(_read_exactly(fd, _HEADER_BYTES, deadline=deadline), "big")
    if size > max_bytes:
        raise FrameTooLarge
    try:
        return json.loads(_read_exactly(fd, size, deadline=deadline))
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def _read_exactly(fd: int, size: int, *, deadline: float | None) -> bytes:
    parts: list[bytes] = []
    while size:
        if deadline is not None:
            _wait_until_readable(fd, deadline)
        part = os.read(fd, min(size, _CHUNK_BYTES))
        if not part:
            raise ChannelClosed
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _wait_until_readable(fd: int, deadline: float) -> None:
    poll = select.poll()
    poll.register(fd, select.POLLIN)
    if not poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
        raise WaitedTooLong
