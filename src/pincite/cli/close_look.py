"""What `pincite doctor --deep` does: runs the close look and draws how far it is."""

import asyncio
import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pincite.settings import Settings
    from pincite.upkeep.close_look import CheckListener, Found


def close_look_at(settings: "Settings", *, repair: bool, quiet: bool) -> "list[Found]":
    """Return what each check of the close look found, with `repair` after mending. Raises `StoreError` for what can't be opened."""

    async def look() -> "list[Found]":
        from pincite.bootstrap import close_look
        from pincite.client import Pincite

        async with Pincite(settings=settings) as client:
            looking = close_look(client.services)
            with _bar(quiet) as listen:
                return [found async for found in looking.run(repair=repair, on_progress=listen)]

    return asyncio.run(look())


@contextmanager
def _bar(quiet: bool) -> "Generator[CheckListener]":
    """Give a listener that draws one bar with the name of the check; nothing is drawn when standard error is no terminal."""
    if quiet or not sys.stderr.isatty():
        yield lambda check, done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description:<10}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task("", total=None)
        yield lambda check, done, total: bars.update(task, description=check, completed=done, total=total or None)
