"""The real files of `../shared/corpus`, as its manifest describes them."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from report import need_shared

from pincite.adapters.parsers.pdf import read_pdf
from pincite.core.errors import RefusedInput


def rows_of_manifest(suffixes: set[str]) -> list[dict[str, Any]]:
    """Return the manifest's rows of files with these endings, its facts unpacked under `facts`."""
    lines = need_shared("corpus", "MANIFEST.tsv").read_text(encoding="utf-8").splitlines()
    header = lines[0].split("\t")
    rows = [dict(zip(header, line.split("\t"), strict=False)) for line in lines[1:]]
    return [row | {"facts": json.loads(row["facts_json"] or "{}")} for row in rows if Path(row["file"]).suffix in suffixes]


@dataclass(frozen=True)
class Entry:
    """A file and what is known of it (`phrase`, `page`, `boxes_first4words`)."""

    path: Path
    facts: dict[str, Any]


def readable_pdfs() -> list[Entry]:
    """Return the PDFs that should be read and have a text layer."""
    rows = [row for row in rows_of_manifest({".pdf"}) if row["expected"] == "ready"]
    found = [Entry(need_shared("corpus", row["file"]), row["facts"]) for row in rows]
    return [entry for entry in found if _has_text(entry.path)]


def _has_text(path: Path) -> bool:
    try:
        read_pdf(str(path), max_pages=1000, max_chars=10_000_000)
    except RefusedInput:
        return False
    return True
