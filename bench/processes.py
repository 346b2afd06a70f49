"""Memory of the indexes when several processes search one store: what is mapped and shared, and what each has for itself.

python bench/processes.py [CHUNKS] [FOLDER]   100,000 chunks by default; FOLDER keeps the store between runs

Each process searches questions by vector, by words, both ways and with filters. Counted is, over all processes together,

- the share of each in the index's mapped files (the sum of `Pss` in `smaps`, which counts a page once however many map it), and
- what it took for itself beside a process that doesn't open the index: the growth of anonymous memory (`Pss_Anon`) since the
  same searches were made in it with indexes that name any rows. Before, it searched a small store in the same ways, so that
  neither libraries nor the database's cache count.

The bar: four processes take at most 1.2 times what one takes.
"""

import asyncio
import gc
import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Collection, Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from report import keep, table
from stores import BenchStore, chunk_id_of, fill, load_material, open_filled

from pincite.core.evidence import Filter, Query, Strategy
from pincite.core.ids import DocumentId
from pincite.core.ports.index import IndexHit, IndexSpace, LexicalResult
from pincite.core.ports.models import Vector
from pincite.language.bm25 import question_tokens
from pincite.retrieval.searcher import Searcher

CHUNKS = 100_000
SMALL = 600
PROCESSES = 4
BAR = 1.2
MB = 1_000_000
EVERY = 3
"""Of the questions each so manieth is asked."""


@dataclass(frozen=True)
class Taken:
    """Bytes of one process: its share of mapped index files by kind, and what it took for itself."""

    dense: int
    lexical: int
    own: int

    @property
    def all(self) -> int:
        return self.dense + self.lexical + self.own


@dataclass(frozen=True)
class AnyRows:
    """Both indexes at once, without one: they name rows that anybody might, so that the rest of a search has its work."""

    chunks: int
    languages: Collection[str] = ()

    def _hits(self, seed: object, limit: int) -> list[IndexHit]:
        draw = random.Random(repr(seed))
        return [IndexHit(chunk_id_of(draw.randrange(self.chunks)), 1 - place / 1000) for place in range(limit)]

    async def follow(self, space: IndexSpace, *, through: int | None = None) -> None:
        """Nothing to do."""

    async def retain(self, space: IndexSpace) -> None:
        """Nothing to do."""


class AnyDense(AnyRows):
    async def search(
        self, space: IndexSpace, vector: Vector, *, limit: int, documents: Collection[DocumentId] | None = None
    ) -> list[IndexHit]:
        return self._hits(vector[0], limit)


class AnyLexical(AnyRows):
    async def search(
        self, space: IndexSpace, text: str, *, limit: int, documents: Collection[DocumentId] | None = None
    ) -> LexicalResult:
        question_tokens(text, self.languages)  # the stems of a question are kept, with an index or without
        return LexicalResult(tuple(self._hits(text, limit)), 1.0)


def languages_of(folder: Path) -> Collection[str]:
    [state] = folder.glob("index/*/lexical/state.json")
    return json.loads(state.read_text())["langs"].keys()


async def search_everything(bench: BenchStore, searcher: Searcher) -> None:
    """Search in every way, one after the other: searches at once hold passages of their own each, with an index or without."""
    filters = [Filter(), Filter(path_prefix="folder-07/"), Filter(path_prefix="folder-07/document-000007.txt")]
    for text in bench.questions[::EVERY]:
        for strategy in Strategy:
            for chosen in filters:
                await searcher.retrieve(Query(text, (bench.space.collection_id,), chosen, strategy=strategy))


def anonymous() -> int:
    gc.collect()
    lines = Path("/proc/self/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss_Anon:"))


def mapped(folder: Path) -> dict[str, int]:
    """Return the process's share of the mapped files below a folder, by kind."""
    found = {"dense": 0, "lexical": 0}
    kind = ""
    for line in Path("/proc/self/smaps").read_text().splitlines():
        words = line.split()
        if "-" in words[0] and not words[0].endswith(":"):
            path = words[5] if len(words) > 5 else ""
            kind = next((name for name in found if f"/{name}" in path and path.startswith(str(folder))), "")
        elif kind and words[0] == "Pss:":
            found[kind] += int(words[1]) * 1024
    return found


async def worker(folder: Path, small: Path, chunks: int) -> None:
    """One searching process. It goes on when it reads a line, and says what it has taken when all processes have searched."""
    async with open_filled(small) as bench:
        await search_everything(bench, bench.searcher)
    async with open_filled(folder) as bench:
        any_rows = replace(bench.searcher, dense=AnyDense(chunks), lexical=AnyLexical(chunks, languages_of(folder)))
        for _ in range(2):
            await search_everything(bench, any_rows)
        before = anonymous()
        await asyncio.to_thread(input)
        await search_everything(bench, bench.searcher)
        print("searched", flush=True)
        await asyncio.to_thread(input)
        print(json.dumps({**mapped(folder), "own": anonymous() - before}), flush=True)
        await asyncio.to_thread(input)


@contextmanager
def workers(count: int, *arguments: str) -> Generator[list["subprocess.Popen[str]"]]:
    command = [sys.executable, __file__, "worker", *arguments]
    started = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(count)]
    try:
        yield started
    finally:
        for process in started:
            process.kill()
            process.communicate()


def say(process: "subprocess.Popen[str]") -> None:
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()


def heard(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        raise SystemExit("A searching process ended.")
    return line


def measure(count: int, folder: Path, small: Path, chunks: int) -> list[Taken]:
    with workers(count, str(folder), str(small), str(chunks)) as started:
        for process in started:
            say(process)
        for process in started:
            heard(process)
        taken: list[Taken] = []
        for process in started:
            say(process)
            taken.append(Taken(**json.loads(heard(process))))
    return taken


def made(folder: Path, chunks: int) -> Path:
    """Return a folder with a store of so many chunks, made unless it is there."""
    if not (folder / "questions.npy").exists():
        folder.mkdir(parents=True, exist_ok=True)
        material = asyncio.run(load_material())
        asyncio.run(fill(folder, chunks, material))
    asyncio.run(follow(folder))
    return folder.resolve()


async def follow(folder: Path) -> None:
    async with open_filled(folder) as bench:
        await bench.dense.follow(bench.space)
        await bench.lexical.follow(bench.space)


def report(chunks: int, one: list[Taken], four: list[Taken]) -> None:
    def row(name: str, taken: list[Taken]) -> list[str]:
        sums = [sum(getattr(each, part) for each in taken) for part in ("dense", "lexical", "own", "all")]
        return [name, *(f"{value / MB:.1f} MB" for value in sums)]

    ratio = sum(each.all for each in four) / sum(each.all for each in one)
    lines = table(
        ["", "vectors, mapped", "words, mapped", "for itself", "together"],
        [row("1 process", one), row(f"{PROCESSES} processes", four)],
    )
    each = ", ".join(f"{process.own / MB:.1f}" for process in four)
    verdict = "met" if ratio <= BAR else "MISSED"
    keep(
        "processes",
        [
            f"{chunks:,} chunks, 99 questions searched by vector, by words, both ways, without and with two filters.",
            "",
            *lines,
            "",
            f"For itself each of the {PROCESSES}: {each} MB. Ratio {ratio:.2f} (at most {BAR}: {verdict}).",
        ],
    )


def main(arguments: list[str]) -> None:
    if arguments[:1] == ["worker"]:
        asyncio.run(worker(Path(arguments[1]), Path(arguments[2]), int(arguments[3])))
        return
    chunks = int(arguments[0]) if arguments else CHUNKS
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(arguments[1]) if len(arguments) > 1 else Path(scratch) / "store"
        folder, small = made(folder, chunks), made(Path(scratch) / "small", SMALL)
        report(chunks, measure(1, folder, small, chunks), measure(PROCESSES, folder, small, chunks))


if __name__ == "__main__":
    main(sys.argv[1:])
