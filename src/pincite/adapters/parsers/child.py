"""The child process: reads one file after another, answers in JSON, and may be killed at any time.

Started as `python -c` with two pipes as standard input and output; see `process.py`. Imports stay few: a person may be waiting
for the boxes of a quote.
"""

import os
import sys
import time
from _thread import start_new_thread
from collections import deque
from collections.abc import Callable
from signal import SIGKILL
from threading import Semaphore
from typing import Any

from pincite.adapters.parsers.content_types import IMAGE_TYPES, SLIDES
from pincite.adapters.parsers.frames import ChannelClosed, read_frame, write_frame
from pincite.core.errors import RefusedInput

_MAX_REQUEST_BYTES = 64 * 1024 * 1024
_PROGRESS_EVERY_S = 0.1
_RECURSION_LIMIT = 4000


def serve() -> None:
    """Answer requests from standard input until it closes."""
    requests, replies = os.dup(0), os.dup(1)
    _silence()
    waiting: deque[Any] = deque()
    arrived = Semaphore(0)
    start_new_thread(_listen, (requests, waiting, arrived))
    sys.setrecursionlimit(_RECURSION_LIMIT)
    write_frame(replies, {"ready": True})
    while True:
        arrived.acquire()
        request = waiting.popleft()
        try:
            write_frame(replies, _answer(request, replies))
        except ChannelClosed:
            return


def _listen(requests: int, waiting: "deque[Any]", arrived: Semaphore) -> None:
    """Pass requests on. When the parent is gone, so is this process, whatever it is doing."""
    try:
        while True:
            waiting.append(read_frame(requests, max_bytes=_MAX_REQUEST_BYTES))
            arrived.release()
    except (ChannelClosed, ValueError, OSError):
        if os.getpgrp() == os.getpid():
            # With the program that it may wait for.
            os.killpg(os.getpid(), SIGKILL)
        os._exit(0)


def _silence() -> None:
    """Keep what libraries print away from the pipes."""
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)


def _answer(request: dict[str, Any], replies: int) -> dict[str, object]:
    try:
        # Before the limits: a module imported for the first time may be written to its cache.
        perform = _performer(request, replies)
        _limit(request["limits"])
        return {"result": perform(request)}
    except RefusedInput as error:
        return {"refused": [error.code, error.message]}
    except MemoryError:
        return {"refused": ["memory", ""]}
    except RecursionError:
        return {"refused": ["too_deep", ""]}
    except FileNotFoundError:
        return {"missing": True}
    except ChannelClosed:
        raise
    except Exception as error:  # noqa: BLE001 - the door of the child: whatever a library raises over a broken file is a reason, not an end
        return {"refused": ["memory" if lacks_memory(error) else "corrupt", ""], "detail": type(error).__name__}


def lacks_memory(error: BaseException) -> bool:
    """Say whether an error means that no memory was left. Libraries say so in errors of their own, and put others around them."""
    cause: BaseException | None = error
    while cause:
        said = str(cause).casefold()
        if isinstance(cause, MemoryError) or "alloc" in said or "insufficient memory" in said:
            return True
        cause = cause.__cause__ or cause.__context__
    return False


def _limit(limits: dict[str, Any]) -> None:
    """Bound this process for the next file: address space, processor time from now on, no files written, no core dump."""
    import resource

    used = resource.getrusage(resource.RUSAGE_SELF)
    cpu_s = int(used.ru_utime + used.ru_stime + limits["cpu_s"]) + 1
    _set(resource.RLIMIT_CPU, cpu_s)
    _set(resource.RLIMIT_AS, int(limits["memory_bytes"]))
    if limits["data_bytes"]:
        _set(resource.RLIMIT_DATA, int(limits["data_bytes"]))
    if limits["nice"]:
        os.setpriority(os.PRIO_PROCESS, 0, int(limits["nice"]))
    _set(resource.RLIMIT_CORE, 0)
    _set(resource.RLIMIT_FSIZE, 0)


def _set(kind: int, value: int) -> None:
    import resource

    hard = resource.getrlimit(kind)[1]
    resource.setrlimit(kind, (value if hard == resource.RLIM_INFINITY else min(value, hard), hard))


def _performer(request: dict[str, Any], replies: int) -> "Callable[[dict[str, Any]], object]":
    match request["task"]:
        case "boxes":
            return _boxes(request["content_type"])
        case "picture":
            return _picture(request["content_type"])
        case "recognise" | "lay_out":
            return _ocr(request)
        case "version":
            version = _version_of(request["parser"])
            return lambda _: version
        case "unpack" | "pictures":
            return _unpack(replies) if request["task"] == "unpack" else _pictures(replies)
        case _:
            return _parse(replies)


def _ocr(request: dict[str, Any]) -> "Callable[[dict[str, Any]], object]":
    if request["task"] == "recognise":
        from pincite.adapters.parsers.ocr_pages import recognise

        return recognise(request["engine"])
    from pincite.adapters.parsers.ocr_layout import lay_out

    return lambda request: lay_out(request["pages"], max_chars=request["limits"]["text_chars"])


def _version_of(parser: str) -> str | None:
    """Return the `VERSION` in the module of a parser, which has its name; None where there is none."""
    from importlib import import_module

    module = "plain_text" if parser == "text" else parser
    if not module.isidentifier():
        return None
    try:
        return str(import_module(f"pincite.adapters.parsers.{module}").VERSION)
    except (ImportError, AttributeError):
        return None


def _picture(content_type: str) -> "Callable[[dict[str, Any]], object]":
    if content_type in IMAGE_TYPES:
        from pincite.adapters.parsers.images import image_picture

        return lambda request: image_picture(
            request["path"], request["page"], request["width"], max_pixels=request["limits"]["pixels"]
        )
    from pincite.adapters.parsers.pdf_pictures import pdf_picture

    return lambda request: pdf_picture(request["path"], request["page"], request["width"])


def _boxes(content_type: str) -> "Callable[[dict[str, Any]], object]":
    if content_type in SLIDES:
        from pincite.adapters.parsers.office import office_boxes

        return lambda request: office_boxes(request["path"], request["runs"])
    from pincite.adapters.parsers.pdf_boxes import pdf_boxes

    return lambda request: pdf_boxes(request["path"], request["runs"])


def _parse(replies: int) -> "Callable[[dict[str, Any]], object]":
    from pincite.adapters.parsers.media import read_file
    from pincite.adapters.parsers.wire import encode_document

    def parse(request: dict[str, Any]) -> object:
        limits = request["limits"]
        document = read_file(
            request["path"],
            name=request["name"],
            max_pages=limits["pages"],
            max_chars=limits["text_chars"],
            max_depth=limits["depth"],
            max_unpacked_bytes=limits["unpacked_bytes"],
            max_pixels=limits["pixels"],
            on_page=_Progress(replies).report,
        )
        return encode_document(document)

    return parse


def _unpack(replies: int) -> "Callable[[dict[str, Any]], object]":
    from base64 import b64encode

    from pincite.adapters.parsers.unpacking import unpack_file

    def write(number: int, piece: bytes) -> None:
        write_frame(replies, {"piece": [number, b64encode(piece).decode("ascii")]})

    def unpack(request: dict[str, Any]) -> object:
        most_bytes = request["limits"]["unpacked_bytes"]
        taken = unpack_file(request["path"], name=request["name"], max_unpacked_bytes=most_bytes, write=write)
        return [[each.name, each.code, each.message] for each in taken]

    return unpack


def _pictures(replies: int) -> "Callable[[dict[str, Any]], object]":
    from base64 import b64encode

    from pincite.adapters.parsers.figure_pictures import take_pictures
    from pincite.adapters.parsers.wire import decode_place

    def write(number: int, piece: bytes) -> None:
        write_frame(replies, {"piece": [number, b64encode(piece).decode("ascii")]})

    def take(request: dict[str, Any]) -> object:
        places = [decode_place(place, length=1 << 40) for place in request["places"]]
        most_bytes = request["limits"]["unpacked_bytes"]
        return take_pictures(request["path"], name=request["name"], places=places, max_unpacked_bytes=most_bytes, write=write)

    return take


class _Progress:
    """Tells the parent about pages, not more often than a person can see. A repeated last page says: still at work."""

    def __init__(self, replies: int) -> None:
        self._replies = replies
        self._last_s = 0.0

    def report(self, done: int, total: int) -> None:
        now = time.monotonic()
        if now - self._last_s >= _PROGRESS_EVERY_S:
            self._last_s = now
            write_frame(self._replies, {"progress": [done, total]})
