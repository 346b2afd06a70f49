"""Real files end to end through the command line: outcome, page of a phrase by search and by ask, boxes by show --find.

python bench/corpus.py [NAME …]
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from manifest import rows_of_manifest
from report import keep, need_shared, table

KINDS = {".pdf", ".docx", ".pptx", ".html", ".md", ".txt", ".eml", ".csv", ".epub", ".msg", ".xlsx", ".json", ".xml", ".png"}
TOLERANCE_POINTS = 2.0


def pincite(home: str, *arguments: str) -> tuple[int, Any]:
    environment = os.environ | {"PINCITE_HOME": home}
    done = subprocess.run(
        [sys.executable, "-m", "pincite", *arguments, "--json"],
        capture_output=True,
        text=True,
        env=environment,
        timeout=900,
        check=False,
    )
    return done.returncode, json.loads(done.stdout or "null") or {"stderr": done.stderr}


def outcome_fits(row: dict[str, Any], added: dict[str, Any]) -> bool:
    got = added["stage"] if added["stage"] == "ready" else f"failed:{added['reason']}"
    return row["expected"] == "ready_or_failed" or got == row["expected"]


def page_of(row: dict[str, Any]) -> int:
    """Return the page or slide that the phrase of a row stands on."""
    return row["facts"].get("page") or row["facts"]["slide"]


def page_of_search(home: str, row: dict[str, Any], document_id: str) -> int | None:
    _, found = pincite(home, "search", row["facts"]["phrase"], "--document", document_id)
    return found["hits"][0]["page_from"] if found.get("hits") else None


def pages_of_ask(home: str, row: dict[str, Any], document_id: str) -> list[int]:
    _, answer = pincite(home, "ask", row["facts"]["phrase"], "--document", document_id)
    quotes = [quote for citation in answer.get("citations", []) for quote in citation["quotes"]]
    return [span["page"] for quote in quotes for span in quote["spans"]]


def worst_box(home: str, row: dict[str, Any], document_id: str) -> float | None:
    """Return how far the found boxes of the phrase's first four words lie from the known ones, at the best page."""
    known = row["facts"].get("boxes_first4words")
    if not known:
        return None
    words = " ".join(row["facts"]["phrase"].split()[:4])
    _, shown = pincite(home, "show", document_id, "--find", words)
    spans = [span for found in shown.get("found", []) for span in found["spans"] if span["page"] == page_of(row)]
    distances = [distance(span["boxes"], known) for span in spans]
    return min(distances, default=float("inf"))


def distance(found: list[list[float]], known: list[list[float]]) -> float:
    if len(found) != len(known):
        return float("inf")
    return max(abs(a - b) for left, right in zip(found, known, strict=True) for a, b in zip(left, right, strict=True))


def main() -> None:
    names = set(sys.argv[1:])
    rows = [row for row in rows_of_manifest(KINDS) if not names or row["file"] in names]
    with tempfile.TemporaryDirectory() as home:
        started = time.perf_counter()
        code, result = pincite(home, "add", *(str(need_shared("corpus", row["file"])) for row in rows))
        took = time.perf_counter() - started
        parent_mb = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1000
        if "documents" not in result:
            raise SystemExit(f"`add` ended with code {code} and no list of documents: {result}")
        added = {Path(item["source"]).name: item for item in result["documents"]}
        lines: list[list[str]] = []
        counts = {"outcome": [0, 0], "search": [0, 0], "ask": [0, 0], "boxes": [0, 0]}
        for row in rows:
            item = added[row["file"]]
            fits = outcome_fits(row, item)
            counts["outcome"][0] += fits
            counts["outcome"][1] += 1
            cells = [row["file"], row["expected"], item["reason"] or item["stage"], "ok" if fits else "DIFFERS", "", "", ""]
            if item["stage"] == "ready" and row["facts"].get("phrase"):
                page = page_of(row)
                searched = page_of_search(home, row, item["document_id"])
                asked = pages_of_ask(home, row, item["document_id"])
                box = worst_box(home, row, item["document_id"])
                for name, good in (("search", searched == page), ("ask", page in asked[:1])):
                    counts[name][0] += good
                    counts[name][1] += 1
                cells[4:6] = [f"{searched}/{page}", f"{asked}/{page}"]
                if box is not None:
                    counts["boxes"][0] += box <= TOLERANCE_POINTS
                    counts["boxes"][1] += 1
                    cells[6] = f"{box:.2f}"
            lines.append(cells)
    summary = [f"{name}: {good} of {all_}" for name, (good, all_) in counts.items()]
    summary += [f"`add` ended with code {code} after {took:.0f} s; largest process {parent_mb:.0f} MB"]
    header = ["file", "expected", "got", "", "search page", "ask pages", "box distance pt"]
    keep("corpus" if not names else "corpus-part", [*summary, "", *table(header, lines)])


main()
