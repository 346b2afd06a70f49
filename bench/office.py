"""DOCX and PPTX: what each reader loses and gets wrong, what large files cost, how hostile ones end.

python bench/office.py

Other parsers live in an environment of their own: make .venv/peers/office.stamp
"""

import asyncio
import html
import json
import re
import resource
import subprocess
import sys
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from manifest import rows_of_manifest
from office_samples import KINDS, long_table, prose, write_docx
from report import keep, need_shared, table

from pincite.adapters.parsers.isolation import IsolatedParser
from pincite.adapters.parsers.limits import ParseLimits
from pincite.adapters.parsers.media import read_file
from pincite.core.errors import RefusedInput

PEER_PYTHON = Path(".venv/peers/office/bin/python")
PEERS = ("office-oxide", "python-docx", "python-pptx")
OURS = "pincite"
HOSTILE = ("bomb_300mb", "bomb_lying_size", "deep_tables", "billion_laughs", "quadratic", "truncated", "encrypted")
_TEXT_PARTS = re.compile(r"word/document\.xml|ppt/(?:slides/slide|notesSlides/notesSlide)\d+\.xml|word/(?:foot|end)notes\.xml")
_TEXTS = re.compile(r"<(?:w|a|m):t(?: [^>]*)?>([^<]*)<")


def own_text(path: Path) -> str:
    bounds = {"max_pages": 1000, "max_chars": 20_000_000, "max_depth": 100, "max_unpacked_bytes": 1 << 29}
    try:
        return read_file(str(path), name=path.name, on_page=lambda done, total: None, **bounds).canonical.text
    except RefusedInput as error:
        return f"refused: {error.code}"


def texts(reader: str, paths: Sequence[Path]) -> dict[Path, str]:
    """Return what a reader makes of files; an error is told in place of the text."""
    if reader == OURS:
        return {path: own_text(path) for path in paths}
    command = [str(PEER_PYTHON), "bench/peers/office.py", reader, *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    records = [json.loads(line) for line in done.stdout.splitlines()]
    return {Path(record["path"]): record["text"] or f"refused: {record['problem']}" for record in records}


def letters_in(path: Path) -> Counter[str]:
    """Count the letters and digits of all text elements, those of alternatives for old programs apart."""
    found: Counter[str] = Counter()
    with zipfile.ZipFile(path) as archive:
        for name in filter(_TEXT_PARTS.match, archive.namelist()):
            xml = re.sub(r"<mc:Fallback>.*?</mc:Fallback>", "", archive.read(name).decode(), flags=re.DOTALL)
            found.update(re.findall(r"\w", html.unescape("".join(_TEXTS.findall(xml)))))
    return found


def losses() -> list[str]:
    """Letters of each file of the corpus that a reader loses."""
    named = [row["file"] for row in rows_of_manifest({".docx", ".pptx"}) if row["expected"] == "ready"]
    paths = [need_shared("corpus", name) for name in named]
    read = {
        reader: texts(reader, [path for path in paths if not reader.startswith("python-") or path.suffix[1:] in reader])
        for reader in (OURS, *PEERS)
    }
    rows: list[list[str]] = []
    for path in paths:
        known = letters_in(path)
        rows.append([path.name, str(known.total()), *(_lost(known, read[reader].get(path)) for reader in (OURS, *PEERS))])
    return table(["letters lost", "in the file", OURS, *PEERS], rows)


def _lost(known: Counter[str], text: str | None) -> str:
    if text is None:
        return ""
    return text if text.startswith("refused") else str((known - Counter(re.findall(r"\w", text))).total())


def kinds(folder: Path) -> list[str]:
    """Whether each reader reads a kind as Word prints it: what is printed once, what isn't printed not at all."""
    paths = {name: write_docx(folder / f"{name}.docx", kind.body) for name, kind in KINDS.items()}
    readers = (OURS, "office-oxide", "python-docx")
    read = {reader: texts(reader, list(paths.values())) for reader in readers}
    rows: list[list[str]] = []
    for name, kind in KINDS.items():
        found = [read[reader][paths[name]] for reader in readers]
        right = [text.count(kind.printed) == 1 and (not kind.unprinted or kind.unprinted not in text) for text in found]
        rows.append([name, *("yes" if is_right else "no" for is_right in right)])
    sums = [sum(row[column] == "yes" for row in rows) for column in range(1, 4)]
    return table(["as Word prints it", *readers], [*rows, ["together", *(f"{count} of {len(rows)}" for count in sums)]])


def costs(folder: Path) -> list[str]:
    """Processor time and memory of a child that reads a large file and ends."""
    rows: list[list[str]] = []
    for name, body in (("24,000 paragraphs", prose(24_000)), ("a table of 10,000 rows", long_table(10_000))):
        path = write_docx(folder / "large.docx", body)
        command = [sys.executable, __file__, "--read", str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        chars, cpu_s, peak_mb = json.loads(done.stdout)
        rows.append([name, f"{len(body) / 1e6:.0f}", f"{chars / 1e6:.1f}", f"{cpu_s:.1f}", f"{peak_mb:.0f}"])
    return table(["file", "MB of XML", "million characters", "CPU s", "peak MB"], rows)


def read_alone(path: str) -> None:
    """Read a file in this process and print what it cost, for `costs`."""
    sys.setrecursionlimit(4000)
    start = time.process_time()
    chars = len(own_text(Path(path)))
    print(json.dumps([chars, time.process_time() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000]))


async def hostile() -> list[str]:
    parser = IsolatedParser(ParseLimits())
    rows: list[list[str]] = []
    paths = [need_shared("attacks", "files", "office", f"{name}.docx") for name in HOSTILE]
    for path in [*paths, need_shared("corpus", "deep_50k_tables.docx")]:
        start = time.perf_counter()
        try:
            ending = f"read, {len((await parser.parse(path, name=path.name)).canonical.text)} characters"
        except RefusedInput as error:
            ending = f"refused: {error.code}"
        rows.append([path.name, ending, f"{time.perf_counter() - start:.2f}"])
    parser.close()
    return table(["file", "ending", "s"], rows)


def main() -> None:
    if sys.argv[1:2] == ["--read"]:
        read_alone(sys.argv[2])
        return
    if not PEER_PYTHON.exists():
        raise SystemExit("The other parsers aren't installed: make .venv/peers/office.stamp")
    with tempfile.TemporaryDirectory() as folder:
        parts = [losses(), kinds(Path(folder)), costs(Path(folder)), asyncio.run(hostile())]
    keep("office", [line for part in parts for line in (*part, "")])


main()
