"""Clients that leave before an answer that is sent whole is there."""

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, TypeVar

from starlette.types import Receive

T = TypeVar("T")

CLIENT_LEFT = 499
"""What the access log shows for a request whose client didn't wait (nginx's number; nobody receives it)."""


async def unless_left(receive: Receive, work: Coroutine[Any, Any, T]) -> T | None:
    """Return what the work returns. When the client leaves first the work is cancelled, and None is returned once it has ended."""
    doing, watching = asyncio.create_task(work), asyncio.create_task(_left(receive))
    try:
        await asyncio.wait({doing, watching}, return_when=asyncio.FIRST_COMPLETED)
        return doing.result() if doing.done() else None
    finally:
        for task in (doing, watching):
            task.cancel()
        with suppress(asyncio.CancelledError):
            await asyncio.wait({doing, watching})


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
