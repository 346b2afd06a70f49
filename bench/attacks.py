"""Hostile files through the command line: does each end as its manifest says, with a reason of its kind, and nothing hang or crash?

python bench/attacks.py
"""

import csv
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

from report import keep, need_shared, table

SAYS: dict[str, set[str]] = {
    "archive_depth": {"too_deep"},
    "archive_entries": {"too_large"},
    "archive_path": {"corrupt", "unsupported"},
    "archive_ratio": {"too_large", "corrupt", "unsupported"},
    "corrupt": {"corrupt"},
    "empty_file": {"empty_file"},
    "encrypted": {"encrypted"},
    "image_too_large": {"too_large"},
    "no_text": {"no_text"},
    "stream_ratio": {"too_large"},
    "too_deep": {"too_deep"},
    "too_many_columns": {"too_large"},
    "type_mismatch": {"unsupported", "no_text"},
    "unsupported_type": {"unsupported"},
    "xml_entity": {"corrupt"},
    "xml_external": {"corrupt"},
}
"""Our codes that tell a person what the manifest's kind of reason names."""


def main() -> None:
    folder = need_shared("attacks", "files")
    with (folder / "MANIFEST.tsv").open(encoding="utf-8") as lines:
        rows = [row for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE) if (folder / row["path"]).is_file()]
    with tempfile.TemporaryDirectory() as home:
        started = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-m", "pincite", "add", *(str(folder / row["path"]) for row in rows), "--json"],
            capture_output=True,
            text=True,
            env=os.environ | {"PINCITE_HOME": home},
            check=False,
        )
        took = time.perf_counter() - started
    found = {item["source"]: item for item in json.loads(done.stdout)["documents"]}
    largest_mb = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1000
    lines_: list[list[str]] = []
    ends = reasons = refused = 0
    for row in rows:
        item = found[str(folder / row["path"])]
        is_ready = item["stage"] == "ready"
        fits = {"parse": is_ready, "reject": not is_ready}.get(row["expected"], True)
        says = row["expected"] != "reject" or item["reason"] in SAYS.get(row["reason_kind"], set[str]())
        ends += fits
        refused += row["expected"] == "reject"
        reasons += says and row["expected"] == "reject"
        verdict = "ok" if fits and says else "DIFFERS"
        lines_.append([row["path"], row["expected"], row["reason_kind"], item["reason"] or item["stage"], verdict])
    summary = [
        f"ends as expected: {ends} of {len(rows)}",
        f"refused with a reason of the kind expected: {reasons} of {refused}",
        f"`add` ended with code {done.returncode} after {took:.0f} s; largest process {largest_mb:.0f} MB",
    ]
    keep("attacks", [*summary, "", *table(["file", "expected", "kind of reason", "got", ""], lines_)])


main()
