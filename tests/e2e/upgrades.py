"""Opens stores of older schemas, run as a program: `upgrades.py together|killed FILE…`. Imports once, then forks for each file."""

import asyncio
import os
import random
import signal
import sys
import time
from pathlib import Path

from pincite.adapters.sql.store import open_store


def in_child(path: Path) -> int:
    """Open and close a store in a process of its own, and return its id."""
    child = os.fork()
    if child == 0:
        asyncio.run(open_store(path).close())
        os._exit(0)
    return child


def status(child: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def together(path: Path) -> list[int]:
    return [status(child) for child in [in_child(path), in_child(path)]]


def killed(path: Path, chance: random.Random) -> list[int]:
    child = in_child(path)
    time.sleep(chance.uniform(0, 0.3))
    os.kill(child, signal.SIGKILL)
    return [status(child)]


if __name__ == "__main__":
    dice = random.Random(5)
    for name in sys.argv[2:]:
        print(*(together(Path(name)) if sys.argv[1] == "together" else killed(Path(name), dice)), flush=True)
