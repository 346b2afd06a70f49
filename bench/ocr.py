"""OCR on scans whose text is known: pages of the corpus, printed at 200 dots an inch, skewed by a degree, with noise on them.

Wrong letters (CER), boxes of quotes beside those of the file itself, doubtful and wrong words, seconds a page, memory of the child,
 and how late the parent's event loop came meanwhile. `python bench/ocr.py [rapidocr|tesseract]`
"""

import asyncio
import math
import os
import re
import sys
import tempfile
import time
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any, cast

import numpy as np
import pypdfium2
from PIL import Image, ImageFilter
from report import keep, need_shared, table

from pincite.bootstrap.reading import parser_of
from pincite.core.documents import Box, CanonicalText
from pincite.core.ocr import is_doubtful
from pincite.core.ports.parsing import Parser
from pincite.settings import load_settings

PAGES = [
    ("pdflatex-outline.pdf", 3),
    ("fake-memo.pdf", 1),
    ("multi_page.pdf", 2),
    ("tracemonkey.pdf", 4),
    ("REPAIR-2022-INV-001_multipage.pdf", 1),
]
"""Plain print, a memo, lists, two columns of nine points, a form. On each of them the order of the text is beyond doubt."""
DPI, DEGREES, NOISE, SPECKS = 200, 1.0, 12.0, 0.001
WORDS_A_QUOTE, MOST_QUOTES, NEAR = 4, 60, 6
_ALIKE = str.maketrans("’‘“”–—−", "''\"\"---")


@dataclass
class Result:
    name: str
    letters: int = 0
    wrong: int = 0
    seconds: float = 0.0
    cpu_s: float = 0.0
    edges: list[float] = field(default_factory=list[float])
    unsure: Counter[tuple[bool, bool]] = field(default_factory=Counter[tuple[bool, bool]])


def scan(path: Path, number: int, target: Path) -> tuple[float, float]:
    """Write a page as a scanner would, and return its size in points."""
    document = cast("Any", pypdfium2.PdfDocument(path))
    page = document[number - 1]
    size: tuple[float, float] = page.get_size()
    image = cast("Image.Image", page.render(scale=DPI / 72).to_pil()).convert("L")
    document.close()
    image = image.rotate(DEGREES, resample=Image.Resampling.BICUBIC, fillcolor=255).filter(ImageFilter.GaussianBlur(0.6))
    random = np.random.default_rng(7)
    pixels = np.asarray(image).astype(np.float32) + random.normal(0, NOISE, (image.height, image.width))
    specks = random.random(pixels.shape)
    pixels[specks < SPECKS], pixels[specks > 1 - SPECKS] = 0, 255
    Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8)).save(target, "PDF", resolution=DPI)
    return size


def on_page(canonical: CanonicalText, number: int) -> str:
    """Return the text that stands on a page, in order."""
    return " ".join(canonical.text[run.start : run.start + run.length] for run in canonical.runs if run.page == number)


def plain(text: str) -> str:
    """Return the letters that count: without white space and the bars of tables, signs that look alike as one."""
    return re.sub(r"[\s|]+", "", unicodedata.normalize("NFKC", text).translate(_ALIKE))


def distance(one: str, other: str) -> int:
    """Return how many letters must be changed, added or left out (Levenshtein), by rows of a matrix."""
    codes = np.array([ord(letter) for letter in other])
    row = np.arange(len(other) + 1)
    steps = np.arange(len(other) + 1)
    for number, letter in enumerate(one, start=1):
        new = np.empty_like(row)
        new[0] = number
        new[1:] = np.minimum(row[1:] + 1, row[:-1] + (codes != ord(letter)))
        row = np.minimum.accumulate(new - steps) + steps
    return int(row[-1])


def rotated(box: Box, size: tuple[float, float]) -> Box:
    """Return the box around a box that was turned with its page."""
    angle, (x, y) = math.radians(DEGREES), (size[0] / 2, size[1] / 2)
    corners = [(px - x, py - y) for px in (box.x0, box.x1) for py in (box.y0, box.y1)]
    xs = [x + px * math.cos(angle) + py * math.sin(angle) for px, py in corners]
    ys = [y - px * math.sin(angle) + py * math.cos(angle) for px, py in corners]
    return Box(min(xs), min(ys), max(xs), max(ys))


def quotes(text: str) -> Iterator[re.Pattern[str]]:
    """Yield phrases of a text that stand in it once."""
    words = text.split()
    for start in range(0, len(words) - WORDS_A_QUOTE, WORDS_A_QUOTE):
        phrase = words[start : start + WORDS_A_QUOTE]
        pattern = re.compile(r"\s+".join(map(re.escape, phrase)))
        if len(" ".join(phrase)) > 12 and len(pattern.findall(text)) == 1:
            yield pattern


def read_boxes(canonical: CanonicalText, start: int, end: int) -> list[Box]:
    words = [word for run in canonical.runs_within(start, end) for word in canonical.words_of(run)]
    return [Box(word.x0, word.y0, word.x1, word.y1) for word in words]


def around(boxes: list[Box]) -> Box:
    return Box(min(b.x0 for b in boxes), min(b.y0 for b in boxes), max(b.x1 for b in boxes), max(b.y1 for b in boxes))


async def compare_boxes(
    parser: Parser, path: Path, number: int, size: tuple[float, float], read: CanonicalText, result: Result
) -> None:
    """Compare quotes of one line: by how much the edge that is furthest off stands off."""
    source = await parser.parse(path, name=path.name)
    compared = len(result.edges)
    for pattern in quotes(source.canonical.text):
        if len(result.edges) - compared == MOST_QUOTES:
            break
        here, there = pattern.search(source.canonical.text), pattern.search(read.text)
        if not here or not there:
            continue
        runs = source.canonical.runs_within(*here.span())
        if {run.page for run in runs} != {number}:
            continue
        groups = await parser.boxes(path, content_type=source.content_type, runs=runs)
        wanted = [rotated(box, size) for group in groups for box in group]
        found = read_boxes(read, *there.span())
        one_line = max(b.y1 for b in wanted) - min(b.y0 for b in wanted) < 2.2 * (wanted[0].y1 - wanted[0].y0)
        if found and one_line:
            truth, seen = around(wanted), around(found)
            result.edges.append(max(abs(a - b) for a, b in zip(truth.as_list(), seen.as_list(), strict=True)))


def count_doubts(truth: str, read: CanonicalText, result: Result) -> None:
    """Count words by whether they are doubtful and whether the page has them."""
    known = Counter(plain(word) for word in truth.split())
    letters = plain(truth)
    for block in read.blocks:
        for run in read.runs_within(block.start, block.end):
            text = read.text[run.start : run.start + run.length]
            for word in read.words_of(run):
                seen = plain(text[max(0, word.index - run.index) : word.index - run.index + word.count])
                if seen and run.length == run.count:
                    result.unsure[is_doubtful(word.confidence), seen in known or seen in letters] += 1
                    if not (seen in known or seen in letters):
                        print(f"    {seen!r} {word.confidence:.2f}")


async def measure(parser: Parser, name: str, number: int, folder: Path, late: list[float]) -> Result:
    path, target = need_shared("corpus", name), folder / f"{name}.scan.pdf"
    size = scan(path, number, target)
    truth = on_page((await parser.parse(path, name=name)).canonical, number)
    ticking = asyncio.create_task(gaps(late))
    begun, spent = time.perf_counter(), children_cpu_s()
    read = (await parser.parse(target, name="scan.pdf")).canonical
    result = Result(f"{name} p. {number}", seconds=time.perf_counter() - begun, cpu_s=children_cpu_s() - spent)
    ticking.cancel()
    one, other = plain(truth), plain(on_page(read, 1))
    result.letters, result.wrong = len(one), distance(one, other)
    await compare_boxes(parser, path, number, size, read, result)
    count_doubts(truth, read, result)
    print(f"{result.name}: {result.wrong} of {result.letters}, {result.seconds:.1f} s", flush=True)
    return result


async def gaps(found: list[float]) -> None:
    """Note how late each tick of the event loop comes."""
    while True:
        begun = time.perf_counter()
        await asyncio.sleep(0.02)
        found.append(time.perf_counter() - begun - 0.02)


def children() -> list[Path]:
    """Return the folders in `/proc` of the children that run."""
    lists = [task.read_text() for task in Path("/proc/self/task").glob("*/children")]
    return [Path("/proc", number) for numbers in lists for number in numbers.split()]


def peaks_mb() -> list[int]:
    """Return the peak resident memory of each child."""
    statuses = [(child / "status").read_text() for child in children()]
    return sorted(int(status.partition("VmHWM:")[2].split()[0]) // 1024 for status in statuses)


def children_cpu_s() -> float:
    """Return the processor time that the children took, with the programs that they waited for."""
    ticks = [(child / "stat").read_text().rpartition(")")[2].split()[11:15] for child in children()]
    return sum(int(number) for numbers in ticks for number in numbers) / os.sysconf("SC_CLK_TCK")


async def main(engine: str) -> None:
    late: list[float] = []
    parser = parser_of(load_settings({}, ocr=engine))
    with tempfile.TemporaryDirectory(prefix="pincite-ocr-") as folder:
        results = [await measure(parser, name, number, Path(folder), late) for name, number in PAGES]
    peaks = peaks_mb()
    parser.close()
    keep("ocr" if engine == "rapidocr" else f"ocr-{engine}", report(engine, results, late, peaks))


def report(engine: str, results: list[Result], late: list[float], peaks: list[int]) -> list[str]:
    rows = [
        [
            each.name,
            f"{each.letters:,}",
            f"{each.wrong / each.letters:.4f}",
            f"{each.seconds:.1f}",
            f"{each.cpu_s:.1f}",
            f"{len(each.edges)}",
            f"{median(each.edges):.1f}" if each.edges else "–",
            f"{max(each.edges):.1f}" if each.edges else "–",
        ]
        for each in results
    ]
    edges = sorted(edge for each in results for edge in each.edges)
    letters, wrong = sum(each.letters for each in results), sum(each.wrong for each in results)
    unsure = sum((each.unsure for each in results), Counter[tuple[bool, bool]]())
    late.sort()
    near = sum(edge <= NEAR for edge in edges)
    worst = max(each.wrong / each.letters for each in results)
    header = ["page", "letters", "CER", "seconds", "CPU s", "quotes", "furthest edge, median (pt)", "worst (pt)"]
    doubtful, missed = unsure[True, True] + unsure[True, False], unsure[False, False]
    return [
        f"{engine}; scans at {DPI} dots an inch, skewed by {DEGREES} degree, blurred, with noise of {NOISE:.0f} of 255 and specks",
        "",
        *table(header, rows),
        "",
        f"CER over all letters {wrong / letters:.4f} (bar .02), worst page {worst:.4f}",
        f"quotes of one line whose every edge stands within {NEAR} pt of the file's own, turned: {near} of {len(edges)} (bar: all)",
        f"words {unsure.total()}; doubtful {doubtful}, of which wrong {unsure[True, False]}; wrong and not doubtful {missed}",
        f"peak resident memory of the children (MB): {', '.join(map(str, peaks))} (bar: under 1,000 for OCR)",
        f"the parent's event loop came late by {1000 * late[int(0.95 * len(late))]:.1f} ms (p95), {1000 * late[-1]:.0f} ms (most)",
    ]


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else "rapidocr"))
