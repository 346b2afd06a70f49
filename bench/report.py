"""Keeps a bench's figures: printed, and written with date and machine to `bench/results/`."""

import datetime
import os
import platform
from pathlib import Path

RESULTS = Path(__file__).parent / "results"
SHARED = Path(__file__).parent.parent.parent / "shared"


def need_shared(*parts: str) -> Path:
    """Return a path below `../shared`, or end with a clear message."""
    path = SHARED.joinpath(*parts)
    if not path.exists():
        raise SystemExit(f"../shared/{'/'.join(parts)} is missing: this bench needs it.")
    return path


def machine() -> str:
    """Return what the figures were measured on."""
    return f"{os.cpu_count()} cores, {platform.machine()}, {platform.system()}, Python {platform.python_version()}"


def keep(name: str, lines: list[str]) -> None:
    """Print a report and write it to `bench/results/NAME.md`."""
    text = "\n".join([f"# {name}", "", f"{datetime.date.today().isoformat()}, {machine()}", "", *lines, ""])
    print(text)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.md").write_text(text, encoding="utf-8")


def table(header: list[str], rows: list[list[str]]) -> list[str]:
    """Return a Markdown table."""
    return ["| " + " | ".join(header) + " |", "|" + "---|" * len(header), *("| " + " | ".join(row) + " |" for row in rows)]
