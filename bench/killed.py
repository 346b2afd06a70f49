"""Workers killed at every stage, at random moments: how many documents end, how soon, and whether anything is done twice.

python bench/killed.py [MOMENTS [WITH_THE_OWN_LEASE [TRIES]]]    moments at each stage (50, 3), documents killed in every try (20)

Two workers, a provider that records what it is asked for, three new books and two files that fail for each moment; the worker that
has one of them at the stage is killed. Each moment is held to what the test `tests/e2e/test_killed_workers.py` asks; leases are of
one second, but for some moments a stage with the product's own.
"""

import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from statistics import median

from report import keep, table

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.e2e.killing import STAGES, Killing, Moment, killing

BAR_S = 45.0
HEADER = ["killed at", "moments", "job again in hand after, median", "longest", "all ended after, median", "longest"]


def main(moments: int = 50, own_moments: int = 3, tries: int = 20) -> None:
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        with killing(Path(folder) / "home") as house:
            took = _moments(house, moments)
            for n in range(tries):
                house.kill_each_try(f"tries{n}")
            ended = Counter(f"{each.stage.value}: {each.reason.code}" if each.reason else "ready" for each in house.documents())
            house.assert_as_after_a_clean_run(Path(folder) / "clean")
        with killing(Path(folder) / "own", lease_s=0) as house:
            own = _moments(house, own_moments)
    lines = [
        f"{moments} moments a stage, {time.monotonic() - began:.0f} s in all; {tries} more books were killed in every try.",
        f"{sum(ended.values())} documents: {', '.join(f'{count} {name}' for name, count in ended.most_common())}.",
        "All ended as their files must; each attempt has one row in the ledger, with each token counted once; no text with a",
        "stored vector was embedded again; passages, vectors and index are those of a clean run, once documents that were given up",
        f"were retried. {_in_hand(took)}",
        "",
        "With leases of one second:",
        "",
        *table(HEADER, _rows(took)),
        "",
        f"With the product's own of 30 seconds; until another worker has the job, the bar is {BAR_S:.0f} s:",
        "",
        *table(HEADER, _rows(own)),
    ]
    keep("killed", lines)
    assert all((moment.leased_again_s or 0) < BAR_S for each in own.values() for moment in each)


def _moments(house: Killing, moments: int) -> dict[str, list[Moment]]:
    found: dict[str, list[Moment]] = {}
    for stage in STAGES:
        found[stage.value] = [house.kill_at(stage, f"{stage.value}{n}") for n in range(moments)]
        print(f"{stage.value}: done", file=sys.stderr, flush=True)
    return found


def _in_hand(took: dict[str, list[Moment]]) -> str:
    at = Counter(moment.stage.value if moment.stage else "none" for each in took.values() for moment in each)
    return f"What the killed workers had in hand then was at: {', '.join(f'{name} {count}' for name, count in at.most_common())}."


def _rows(took: dict[str, list[Moment]]) -> list[list[str]]:
    rows: list[list[str]] = []
    for stage, each in took.items():
        leased = [moment.leased_again_s for moment in each if moment.leased_again_s is not None] or [0.0]
        settled = [moment.settled_s for moment in each]
        figures = [median(leased), max(leased), median(settled), max(settled)]
        rows.append([stage, str(len(each)), *(f"{figure:.1f} s" for figure in figures)])
    return rows


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
