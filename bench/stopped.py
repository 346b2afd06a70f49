"""How soon a search finds what was just added while a stopped process holds the locks of the indexes. Acceptance: within 1 s.

Each round stops a holder of the lexical lock, the dense one, or both; adds a text; and times the search that finds it.
"""

import asyncio
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from report import keep, table

from pincite import Pincite

ROUNDS = 20
BAR_S = 1.0
HOLDER = """
import fcntl, os, signal, sys
locks = [open(path, "w") for path in sys.argv[1:]]
for lock in locks:
    fcntl.flock(lock, fcntl.LOCK_EX)
print("held", flush=True)
os.kill(os.getpid(), signal.SIGSTOP)
"""


@contextmanager
def stopped(*locks: Path) -> Generator[None]:
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, *map(str, locks)], stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    try:
        yield
    finally:
        holder.kill()
        holder.communicate()


def locks_of(home: Path, sides: tuple[str, ...]) -> list[Path]:
    return [next(home.glob(f"index/*/{side}")) / "lock" for side in sides]


async def seconds_to_find(client: Pincite, number: int) -> float:
    """Return how long the first search after adding took; infinity when it didn't find what was added."""
    await client.add_text(f"The zeppelin {number}x{number} lands on meadow {number}.", path=f"landing{number}.md")
    started = time.perf_counter()
    found = await client.search(f"zeppelin {number}x{number}", limit=3)
    elapsed = time.perf_counter() - started
    return elapsed if any(f"{number}x{number}" in source.text for source in found) else float("inf")


async def measure(home: Path, sides: tuple[str, ...]) -> list[float]:
    async with Pincite(home) as client:
        await seconds_to_find(client, 0)
        times: list[float] = []
        for number in range(1, ROUNDS + 1):
            with stopped(*locks_of(home, sides)):
                times.append(await seconds_to_find(client, number))
        return times


def main() -> None:
    rows: list[list[str]] = []
    for sides in (("lexical",), ("dense-*",), ("lexical", "dense-*")):
        with tempfile.TemporaryDirectory() as home:
            times = asyncio.run(measure(Path(home), sides))
        within = sum(elapsed <= BAR_S for elapsed in times)
        held = " and ".join(side.rstrip("-*") for side in sides)
        rows.append([held, f"{within} of {ROUNDS}", f"{statistics.median(times) * 1e3:.0f}", f"{max(times) * 1e3:.0f}"])
    keep("stopped", table(["lock held by a stopped process", "found within 1 s", "median ms", "most ms"], rows))


if __name__ == "__main__":
    main()
