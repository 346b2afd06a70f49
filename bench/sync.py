"""A folder of small files: its first synchronisation, the next one with nothing changed, and one after a few changes.

python bench/sync.py [--files N] [--words N]    10,000 files of 200 words by default
"""

import argparse
import asyncio
import random
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from report import keep, table

from pincite import Pincite, SyncReport
from pincite.ingest.sync_report import Outcome
from pincite.settings import load_settings

TOUCHED = 10
WORDS = [
    "notice",
    "term",
    "rent",
    "party",
    "lease",
    "clause",
    "month",
    "euro",
    "tenant",
    "owner",
    "repair",
    "deposit",
    "interest",
    "payment",
    "day",
    "court",
    "law",
    "key",
    "meter",
]


def write(folder: Path, files: int, words: int) -> list[Path]:
    """Make a tree of text files, a hundred in a folder, each with words of its own."""
    chance = random.Random(1)
    made: list[Path] = []
    for number in range(files):
        file = folder / f"{number // 100:03}" / f"{number:05}.txt"
        file.parent.mkdir(exist_ok=True)
        text = [f"{chance.choice(WORDS)}{'.' if place % 12 == 11 else ''}" for place in range(words)]
        file.write_text(f"Letter {number}. {' '.join(text)}\n")
        made.append(file)
    return made


def change(files: list[Path]) -> None:
    """Change ten files, move ten and delete ten."""
    step = len(files) // (3 * TOUCHED)
    chosen = files[:: max(1, step)][: 3 * TOUCHED]
    for file in chosen[:TOUCHED]:
        file.write_text(file.read_text() + "And a sentence more.\n")
    for file in chosen[TOUCHED : 2 * TOUCHED]:
        file.rename(file.with_name(f"moved {file.name}"))
    for file in chosen[2 * TOUCHED :]:
        file.unlink()


async def timed(home: Path, folder: Path) -> tuple[SyncReport, float, float]:
    """Synchronise with a client of its own; return the report, seconds by the clock, and seconds of this process's processor."""
    clock, processor = time.perf_counter(), time.process_time()
    async with Pincite(settings=replace(load_settings(), home=str(home))) as client:
        report = await client.sync_folders(folder)
    return report, time.perf_counter() - clock, time.process_time() - processor


async def without_embedding(root: Path, folder: Path) -> float:
    """Return the seconds of a first synchronisation by words alone: all but embedding."""
    clock = time.perf_counter()
    async with Pincite(settings=replace(load_settings(), home=str(root / "words"), embedding="none")) as client:
        await client.sync_folders(folder)
    return time.perf_counter() - clock


def counts(report: SyncReport) -> str:
    return ", ".join([*(f"{len(report.of(outcome))} {outcome.value}" for outcome in Outcome), f"{report.unchanged} unchanged"])


async def measure(files: int, words: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        folder = root / "letters"
        folder.mkdir()
        made = write(folder, files, words)
        first, first_s, first_cpu = await timed(root / "home", folder)
        again, again_s, again_cpu = await timed(root / "home", folder)
        change(made)
        few, few_s, few_cpu = await timed(root / "home", folder)
        words_s = await without_embedding(root, folder)
    rows = [
        ["first", counts(first), f"{first_s:.1f} s", f"{first_cpu:.1f} s"],
        ["again", counts(again), f"{again_s:.2f} s, {again_s / first_s:.2%} of the first", f"{again_cpu:.2f} s"],
        [f"after {TOUCHED} changed, {TOUCHED} moved, {TOUCHED} deleted", counts(few), f"{few_s:.2f} s", f"{few_cpu:.2f} s"],
        ["first, by words alone", "", f"{words_s:.1f} s, {words_s / first_s:.0%} of the first", ""],
    ]
    keep("sync", [f"{files:,} files of {words} words.", "", *table(["", "documents", "clock", "processor"], rows)])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--words", type=int, default=200)
    chosen = parser.parse_args()
    asyncio.run(measure(chosen.files, chosen.words))
