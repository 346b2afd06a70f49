"""How well a probability tells questions with an answer from those without one, and what a threshold costs. Pure."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

from pincite.evaluation.metrics import auc

STEPS = 20
CAUGHT = 0.7
"""The share of unanswerable questions at which false refusals are told."""
BINS = 10


@dataclass(frozen=True, slots=True)
class Point:
    """What a threshold does: questions whose probability is below `least` are refused.

    `coverage` is the share of questions that aren't, `risk` the share of those that have no answer, `caught` the share of
    unanswerable questions that are refused, `false_refusals` that of answerable ones.
    """

    least: float
    coverage: float
    risk: float
    caught: float
    false_refusals: float

    def as_dict(self) -> dict[str, float | None]:
        """Return the point as JSON."""
        return {name: None if math.isnan(value) else round(value, 4) for name, value in asdict(self).items()}


def point(least: float, answerable: Sequence[float], unanswerable: Sequence[float]) -> Point:
    """Return what one threshold does."""
    good, bad = (sum(score >= least for score in scores) for scores in (answerable, unanswerable))
    return Point(
        least,
        _share(good + bad, len(answerable) + len(unanswerable)),
        _share(bad, good + bad),
        1 - _share(bad, len(unanswerable)),
        1 - _share(good, len(answerable)),
    )


def curve(answerable: Sequence[float], unanswerable: Sequence[float]) -> tuple[Point, ...]:
    """Return the risk–coverage curve at even thresholds."""
    return tuple(point(step / STEPS, answerable, unanswerable) for step in range(STEPS + 1))


def figures(answerable: Sequence[float], unanswerable: Sequence[float], least: float) -> dict[str, float]:
    """Return AUC, what the threshold in use does, false refusals where 70% are caught, and the expected calibration error.

    The calibration error is that of a set with as many answerable as unanswerable questions.
    """
    used = point(least, answerable, unanswerable)
    at = point(_catching(unanswerable), answerable, unanswerable)
    return {
        "auc": auc(answerable, unanswerable),
        "caught": used.caught,
        "false_refusals": used.false_refusals,
        "false_refusals_at_70_caught": at.false_refusals,
        "calibration_error": sum(_errors(answerable, unanswerable)) if answerable and unanswerable else math.nan,
    }


def _catching(unanswerable: Sequence[float]) -> float:
    """Return the least threshold that refuses enough unanswerable questions."""
    if not unanswerable:
        return math.nan
    highest = sorted(unanswerable)[math.ceil(CAUGHT * len(unanswerable)) - 1]
    return math.nextafter(highest, math.inf)


def _errors(answerable: Sequence[float], unanswerable: Sequence[float]) -> Iterator[float]:
    for at in range(BINS):
        good, bad = ([score for score in scores if min(BINS - 1, int(score * BINS)) == at] for scores in (answerable, unanswerable))
        weights = len(good) / len(answerable) / 2, len(bad) / len(unanswerable) / 2
        said = sum(good) / len(answerable) / 2 + sum(bad) / len(unanswerable) / 2
        yield abs(said - weights[0]) if sum(weights) else 0.0


def _share(part: int, whole: int) -> float:
    return part / whole if whole else math.nan
