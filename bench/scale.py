"""Speed of search at 10,000 and 100,000 chunks, with the shares of its parts, bare loops and other engines in the same run.

`python bench/scale.py [--sizes 10000,100000] [--million] [--no-peers] [--keep FOLDER]`; needs `../shared/evals`. Each store is
filled, measured and left by a process of its own. `--million` adds a million chunks (about 6 GB of disk and half an hour).
With `--no-peers` the figures go to `scale-alone.md`, with `--million` to `scale-million.md`, so that a kept run beside other
engines stays.
"""

import argparse
import asyncio
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
from report import keep, table
from searching import Measured, Timing, measure
from stores import FOLDERS, NOISE, REPLACED, document_of, fill, load_material, text_of, vector_rounds

HERE = Path(__file__).parent
PEERS = HERE.parent / ".venv/peers/search/bin/python"
A_CHUNK_BYTES = 7_000
"""Disk that a chunk takes in the store and its mirrors, with room to spare."""
MILLION = 1_000_000
BARS = {"hybrid": 8.0, "dense side": 5.0}
PEERS_UP_TO = 100_000


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--sizes", default="10000,100000")
    options.add_argument("--million", action="store_true")
    options.add_argument("--no-peers", action="store_true")
    options.add_argument("--keep", type=Path, help="keep the stores in this folder, and use those that are there")
    options.add_argument("--fill", nargs=2, metavar=("FOLDER", "SIZE"), help=argparse.SUPPRESS)
    options.add_argument("--measure", metavar="FOLDER", help=argparse.SUPPRESS)
    options.add_argument("--export", nargs=2, metavar=("FOLDER", "SIZE"), help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.fill:
        print(json.dumps(asyncio.run(filled(Path(given.fill[0]), int(given.fill[1])))))
    elif given.measure:
        print(json.dumps(asyncio.run(measure(Path(given.measure)))))
    elif given.export:
        asyncio.run(export(Path(given.export[0]), int(given.export[1])))
    else:
        sizes = [int(size) for size in given.sizes.split(",")] + ([MILLION] if given.million else [])
        with tempfile.TemporaryDirectory(prefix="pincite-scale-") as scratch:
            name = "scale-million" if given.million else "scale-alone" if given.no_peers else "scale"
            run(sizes, given.keep or Path(scratch), peers=not given.no_peers, name=name)


def run(sizes: list[int], folder: Path, *, peers: bool, name: str) -> None:
    lines = about()
    if peers and not PEERS.exists():
        lines += ["The other engines aren't installed (`make .venv/peers/search.stamp` says why), so they weren't measured.", ""]
    for size in sizes:
        place = folder / str(size)
        if shutil.disk_usage(folder).free < size * A_CHUNK_BYTES:
            lines += [f"No room for {size:,} chunks: they take {size * A_CHUNK_BYTES / 1e9:.1f} GB of disk.", ""]
            continue
        built = place / "built.json"
        if not built.exists():
            place.mkdir(parents=True)
            built.write_text(json.dumps(child("--fill", str(place), str(size))))
        lines += report(size, json.loads(built.read_text()), child("--measure", str(place)))
        if peers and PEERS.exists() and size <= PEERS_UP_TO:
            lines += report_peers(size, place)
    keep(name, lines)


def child(*arguments: str) -> Any:
    """Run this file as another process and return what it prints last, as JSON."""
    done = subprocess.run([sys.executable, __file__, *arguments], stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


async def filled(folder: Path, size: int) -> dict[str, float]:
    material = await load_material()
    return {"passages": len(material.passages), **(await fill(folder, size, material))}


async def export(folder: Path, size: int) -> None:
    """Write the texts, documents and vectors of a store for engines that can't read it."""
    material = await load_material()
    np.save(folder / "vectors.npy", np.concatenate(list(vector_rounds(material, size))))
    with (folder / "texts.jsonl").open("w", encoding="utf-8") as file:
        for row in range(size):
            document, path = document_of(row)
            title = material.passages[row % len(material.passages)].title
            text = f"{title}\n{text_of(material, row)}"
            file.write(json.dumps({"row": row, "document": document, "folder": path.split("/")[0], "text": text}) + "\n")


def about() -> list[str]:
    noise = (
        f"Passages of `../shared/evals` with their vectors (multilingual-e5-small, 384), repeated with noise: vectors moved by "
        f"{NOISE} of their length along the difference of two others, {REPLACED:.0%} of the words exchanged. Ten passages a "
        f"document, {FOLDERS} folders. Questions are those of the sets."
    )
    return [
        "Milliseconds a question, without embedding it. Processor time of all threads counts; the clock also tells how busy the",
        "machine was.",
        "",
        noise,
        "",
    ]


def report(size: int, built: dict[str, float], found: Measured) -> list[str]:
    load = found["load"]
    filled_in = ", ".join(f"{part} {seconds / size * 1e6:.0f}" for part, seconds in built.items() if part != "passages")
    about_it = (
        f"{built['passages']:,} real passages, {found['questions']} questions. Processor time to fill, µs a chunk: {filled_in}. "
        f"Opening and the first search: {load['cpu_s']:.2f} s of processor time, {load['wall_s']:.2f} s on the clock. "
        f"Memory of its own after the searches: {load['anonymous_mb']:.0f} MB."
    )
    return [
        f"## {size:,} chunks",
        "",
        about_it,
        "",
        *table(["whole search", *HEADER], [row(name, timing) for name, timing in found["search"].items()]),
        "",
        *table(["part of a hybrid search", *HEADER], [row(name, timing) for name, timing in found["parts"].items()]),
        "",
        *table(["bare loop", *HEADER], [row(name, timing) for name, timing in found["bare"].items()]),
        "",
        *table(["bar", "", ""], bars(found)),
        "",
    ]


HEADER = ["CPU mean", "CPU p50", "CPU p95", "clock p50", "clock p95"]


def row(name: str, timing: Timing) -> list[str]:
    figures = (timing["cpu_mean"], timing["cpu_p50"], timing["cpu_p95"], timing["wall_p50"], timing["wall_p95"])
    return [name, *(f"{figure:.2f}" for figure in figures)]


def bars(found: Measured) -> list[list[str]]:
    hybrid = mean(found["search"][name]["cpu_mean"] for name in ("hybrid", "hybrid, again"))
    dense = found["parts"]["dense side"]["cpu_mean"]
    narrowed = [found["search"][name]["cpu_mean"] for name in ("hybrid, 1% by folder", "hybrid, 1% by documents")]
    checks = [
        (f"hybrid, both passes, CPU ≤ {BARS['hybrid']:.0f} ms", f"{hybrid:.2f}", hybrid <= BARS["hybrid"]),
        (f"dense side, CPU ≤ {BARS['dense side']:.0f} ms", f"{dense:.2f}", dense <= BARS["dense side"]),
        ("a 1% filter is no slower than none", " and ".join(f"{figure:.2f}" for figure in narrowed), max(narrowed) <= hybrid),
        *(
            (f"dense recall@10 ≥ .99 when {limit} hits are asked for", f"{share:.4f}", share >= 0.99)
            for limit, share in found["recall"].items()
        ),
    ]
    return [[name, figure, "met" if met else "MISSED"] for name, figure, met in checks]


def report_peers(size: int, folder: Path) -> list[str]:
    """Run other engines over the same texts, vectors and questions, in their environment."""
    if not (folder / "vectors.npy").exists():
        subprocess.run([sys.executable, __file__, "--export", str(folder), str(size)], check=True, stdout=subprocess.DEVNULL)
    rows: list[list[str]] = []
    for engine in ("lancedb", "llamaindex"):
        done = subprocess.run([PEERS, HERE / "peers/search.py", engine, folder], stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            rows.append([engine, "failed", *[""] * 8])
            continue
        about_it, *results = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        for result in results:
            rows.append(peer_row(about_it, result))
    header = ["engine", "questions", *HEADER, "dense recall@10", "to load, s CPU", "memory, MB"]
    return [*table(header, rows), ""]


def peer_row(about_it: dict[str, Any], result: dict[str, Any]) -> list[str]:
    recall = result.get("recall")
    return [
        f"{about_it['name']}: {result['name']}",
        str(result["questions"]),
        *row("", result["timing"])[1:],
        f"{recall:.3f}" if recall is not None else "–",
        f"{result['load_cpu_s']:.1f}",
        f"{result['memory_mb']:.0f}",
    ]


if __name__ == "__main__":
    main()
