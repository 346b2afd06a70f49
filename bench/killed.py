"""Workers killed at every stage, at random moments: how many documents end, how soon, and whether anything is done twice.

python bench/killed.py [MOMENTS [WITH_THE_OWN_LEASE [TRIES [STAGE …]]]]
    moments at each stage (50, 3), documents killed in every try (20), the stages (all); those of some are kept as killed-STAGE

Two workers, a provider that records what it is asked for, three new books and two files that fail for each moment; the worker that
has one of them at the stage is killed. Each moment is held to what the test `tests/e2e/test_killed_workers.py` asks; leases are of
one second, but for some moments a stage with the product's own.
"""

import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from report import keep, table

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.e2e.killing import STAGES, Killing, Moment, killing

from pincite.core.documents import Stage

BAR_S = 45.0
HEADER = ["killed at", "moments", "job again in hand after, median", "longest", "all ended after, median", "longest"]


@dataclass(frozen=True, slots=True)
class Found:
    """What came of the moments in one home, and how its documents ended."""

    moments: dict[str, list[Moment]]
    ended: Counter[str]


def main(moments: int = 50, own_moments: int = 3, tries: int = 20, *, some: Sequence[str] = ()) -> None:
    began = time.monotonic()
    stages = [Stage(each) for each in some] or STAGES
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(len(STAGES) + 2) as homes:
        # Side by side, each in a home of its own: most of the time somebody waits for a lease to be over.
        found = [homes.submit(at_stage, Path(folder), stage, moments) for stage in stages]
        tried = homes.submit(in_every_try, Path(folder), tries)
        owned = homes.submit(with_the_own_lease, Path(folder), stages, own_moments)
        took = {stage: each for one in found for stage, each in one.result().moments.items()}
        ended = sum((one.result().ended for one in [*found, tried]), Counter[str]())
        own = owned.result().moments
    lines = [
        f"{moments} moments a stage, {time.monotonic() - began:.0f} s in all; {tries} more books were killed in every try.",
        f"{sum(ended.values())} documents: {', '.join(f'{count} {name}' for name, count in ended.most_common())}.",
        "All ended as their files must; each attempt has one row in the ledger, with each token counted once; no text with a",
        "stored vector was embedded again; passages, vectors and index are those of a clean run, once documents that were given up",
        f"were retried. {_in_hand(took)} Load of the machine at the end: {os.getloadavg()[0]:.1f}.",
        "",
        "With leases of one second:",
        "",
        *table(HEADER, _rows(took)),
        "",
        f"With the product's own of 30 seconds; until another worker has the job, the bar is {BAR_S:.0f} s:",
        "",
        *table(HEADER, _rows(own)),
    ]
    keep("-".join(["killed", *some]), lines)
    assert all((moment.leased_again_s or 0) < BAR_S for each in own.values() for moment in each)


def at_stage(folder: Path, stage: Stage, moments: int) -> Found:
    """Kill workers at a stage, and compare what is left with a clean run."""
    with killing(folder / stage.value) as house:
        house.chance.seed(stage.value)
        took = [_told(house, stage, n) for n in range(moments)]
        return Found({stage.value: took}, _compared(house, folder / f"{stage.value}-clean"))


def in_every_try(folder: Path, tries: int) -> Found:
    """Kill whoever reads a book, as often as it may be tried."""
    with killing(folder / "tries") as house:
        for n in range(tries):
            house.kill_each_try(f"tries{n}")
        return Found({}, _compared(house, folder / "tries-clean") if tries else Counter())


def with_the_own_lease(folder: Path, stages: Sequence[Stage], moments: int) -> Found:
    """Kill workers at each stage that have the product's own lease."""
    with killing(folder / "own", lease_s=0) as house:
        took = {stage.value: [_told(house, stage, n) for n in range(moments)] for stage in stages}
        return Found(took, _compared(house, folder / "own-clean") if moments else Counter())


def _told(house: Killing, stage: Stage, n: int) -> Moment:
    moment = house.kill_at(stage, f"{stage.value}{n}")
    print(f"{house.home.name} {stage.value} {n}: {moment}", file=sys.stderr, flush=True)
    return moment


def _compared(house: Killing, clean: Path) -> Counter[str]:
    ended = Counter(f"{each.stage.value}: {each.reason.code}" if each.reason else "ready" for each in house.documents())
    house.assert_as_after_a_clean_run(clean)
    return ended


def _in_hand(took: dict[str, list[Moment]]) -> str:
    at = Counter(moment.stage.value if moment.stage else "none" for each in took.values() for moment in each)
    return f"What the killed workers had in hand then was at: {', '.join(f'{name} {count}' for name, count in at.most_common())}."


def _rows(took: dict[str, list[Moment]]) -> list[list[str]]:
    rows: list[list[str]] = []
    for stage, each in took.items():
        if not each:
            continue
        leased = [moment.leased_again_s for moment in each if moment.leased_again_s is not None] or [0.0]
        settled = [moment.settled_s for moment in each]
        figures = [median(leased), max(leased), median(settled), max(settled)]
        rows.append([stage, str(len(each)), *(f"{figure:.1f} s" for figure in figures)])
    return rows


if __name__ == "__main__":
    main(*map(int, sys.argv[1:4]), some=sys.argv[4:])
