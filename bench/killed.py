"""Workers killed at every stage, at random moments: how many documents end, how soon, and whether anything is done twice.

python bench/killed.py [MOMENTS [WITH_THE_OWN_LEASE]]    moments at each stage (50, 2)

Two workers, a provider that records what it is asked for, two new documents for each moment. Each moment is held to what the test
`tests/e2e/test_killed_workers.py` asks; leases are of one second, but for some moments a stage with the product's own.
"""

import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from report import keep, table

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.e2e.killing import STAGES, killing

MOMENTS = 50
OWN_LEASE_MOMENTS = 2
BAR_S = 45.0


def main(moments: int = MOMENTS, own_moments: int = OWN_LEASE_MOMENTS) -> None:
    rows: list[list[str]] = []
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        with killing(Path(folder) / "home") as house:
            took = {stage: [house.kill_at(stage, f"{stage.value}{n}") for n in range(moments)] for stage in STAGES}
            house.assert_as_after_a_clean_run(Path(folder) / "clean")
            documents = len(house.documents())
        with killing(Path(folder) / "own", lease_s=0) as house:
            own = {stage: [house.kill_at(stage, f"{stage.value}{n}") for n in range(own_moments)] for stage in STAGES}
    for stage in STAGES:
        times = [f"{median(took[stage]):.1f} s", f"{max(took[stage]):.1f} s", f"{max(own[stage]):.0f} s"]
        rows.append([stage.value, str(moments), *times])
    header = ["killed at", "moments", "both documents ready after, median", "longest", "longest with the lease of 30 s"]
    spent_s = time.monotonic() - began
    lines = [
        f"{moments} moments a stage, {spent_s:.0f} s in all. All {documents} documents ended ready; each attempt has one row",
        "in the ledger, with each token counted once; no text with a stored vector was embedded again; passages, vectors",
        f"and index are those of a clean run. With the product's own lease, at {own_moments} moments a stage, the bar",
        f"is {BAR_S:.0f} s until another worker has the job; what is told here is until it has read all, too.",
        "",
        *table(header, rows),
    ]
    keep("killed", lines)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
