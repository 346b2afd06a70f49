"""Cold starts of the command line, as processes: help, search, and the sample question on a second run; and what is installed.

Wall times depend on the machine and on what else it does; they are kept with date and machine, never tested.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from report import keep, table

RUNS = 7


def seconds(home: str, *arguments: str) -> float:
    """Return the wall time of one process."""
    started = time.perf_counter()
    environment = os.environ | {"PINCITE_HOME": home}
    subprocess.run([sys.executable, "-m", "pincite", *arguments], env=environment, capture_output=True, check=True)
    return time.perf_counter() - started


def installed_mb() -> float:
    """Return the size of the environment that runs this."""
    return sum(path.lstat().st_size for path in Path(sys.prefix).rglob("*") if path.is_file() and not path.is_symlink()) / 1e6


def main() -> None:
    rows: list[list[str]] = []
    with tempfile.TemporaryDirectory() as home:
        first = seconds(home, "sample")
        for name, bar, arguments in (
            ("pincite --help", "< 0.5", ("--help",)),
            ("pincite search", "≤ 1.5", ("search", "typewriter", "-c", "samples")),
            ("pincite sample, again", "< 5", ("sample",)),
        ):
            times = [seconds(home, *arguments) for _ in range(RUNS)]
            rows.append([name, f"{min(times):.2f}", f"{statistics.median(times):.2f}", f"{max(times):.2f}", bar])
    rows.append(["pincite sample, first", "", f"{first:.2f}", "", ""])
    rows.append(["environment with development tools, MB", "", f"{installed_mb():.0f}", "", ""])
    keep("cold", table(["", "least s", "median s", "most s", "bar"], rows))


if __name__ == "__main__":
    main()
