"""Hearing that the process is asked to end, before the server waits for its connections to close."""

import asyncio
import signal
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import FrameType
from typing import Any

_ENDING = (signal.SIGTERM, signal.SIGINT)


@contextmanager
def hearing_the_end(tell: Callable[[], None]) -> Generator[None]:
    """Call `tell` in the event loop at SIGTERM and SIGINT, then whatever handled them before.

    uvicorn stops applications only when all connections are closed, which streams that nobody ends would hold open. Outside
    the main thread, where no handler can be set, nothing is heard.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    loop = asyncio.get_running_loop()
    before = {number: signal.getsignal(number) for number in _ENDING}

    def handle(number: int, stack: FrameType | None) -> None:
        loop.call_soon_threadsafe(tell)
        then: Any = before[signal.Signals(number)]
        if callable(then):
            then(number, stack)

    for number in _ENDING:
        signal.signal(number, handle)
    try:
        yield
    finally:
        for number, then in before.items():
            signal.signal(number, then)
