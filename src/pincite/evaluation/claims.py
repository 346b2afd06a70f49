"""How often verdicts are right: judged claims beside the texts they cite."""

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pincite.answering.alignment import Side
from pincite.answering.verify import Verifier
from pincite.core.answers import Verdict
from pincite.evaluation.datasets import JudgedClaim
from pincite.evaluation.metrics import auc, quantile
from pincite.evaluation.runs import Report
from pincite.language.detect import detect

EVEN = 0.5
BINS = 10


@dataclass(frozen=True, slots=True)
class Judged:
    """A claim that was judged: what people said of it, what came out, and how long it took."""

    supported: bool
    support: float
    verdict: Verdict
    ms: float
    group: str


def measure_claims(claims: Sequence[JudgedClaim], verifier: Verifier) -> Report:
    """Judge each claim by all texts it cites, and return the figures, per group where the set has groups.

    A claim that wasn't checked counts as even.
    """
    judged = [_judge(claim, verifier) for claim in claims]
    report = _report(judged)
    groups = dict.fromkeys(one.group for one in judged)
    if len(groups) > 1:
        report.by.update({group: _report([one for one in judged if one.group == group]) for group in groups})
    return report


def _judge(claim: JudgedClaim, verifier: Verifier) -> Judged:
    began = time.process_time()
    sides = [Side(f"{entry.title}\n{entry.text}".strip(), detect(entry.text)) for entry in claim.cited]
    found = verifier.check(claim.text, sides, detect(claim.text), question=claim.question)
    support = EVEN if found.support is None else found.support
    return Judged(claim.supported, support, found.verdict, (time.process_time() - began) * 1000, claim.group)


def _report(judged: Sequence[Judged]) -> Report:
    times = [one.ms for one in judged]
    return Report("claims", "", len(judged), _figures(judged), quantile(times, 0.5), quantile(times, 0.95))


def _figures(judged: Sequence[Judged]) -> dict[str, float]:
    true, false = [one for one in judged if one.supported], [one for one in judged if not one.supported]
    sensitivity = _share([one.support > EVEN for one in true])
    specificity = _share([one.support <= EVEN for one in false])
    said = [one for one in judged if one.verdict is Verdict.SUPPORTED]
    return {
        "balanced_accuracy": (sensitivity + specificity) / 2,
        "macro_f1": _macro_f1(judged),
        "auc": auc([one.support for one in true], [one.support for one in false]),
        "sensitivity": sensitivity,
        "specificity": specificity,
        "supported_precision": _share([one.supported for one in said]),
        "supported_recall": _share([one.verdict is Verdict.SUPPORTED for one in true]),
        "calibration_error": sum(_errors(judged)) / len(judged) if judged else math.nan,
        "not_checked": _share([one.verdict is Verdict.NOT_CHECKED for one in judged]),
    }


def _share(values: Sequence[bool]) -> float:
    return sum(values) / len(values) if values else math.nan


def _macro_f1(judged: Sequence[Judged]) -> float:
    return sum(_f1(judged, label=label) for label in (True, False)) / 2


def _f1(judged: Sequence[Judged], *, label: bool) -> float:
    right = sum(one.supported == label == (one.support > EVEN) for one in judged)
    wrong = sum((one.supported == label) != ((one.support > EVEN) == label) for one in judged)
    return 2 * right / (2 * right + wrong) if right + wrong else math.nan


def _errors(judged: Sequence[Judged]) -> Iterator[float]:
    """Yield per bin how far support is from the share of supported claims, times their number (expected calibration error)."""
    bins: dict[int, list[Judged]] = {}
    for one in judged:
        bins.setdefault(min(BINS - 1, int(one.support * BINS)), []).append(one)
    for found in bins.values():
        yield abs(sum(one.support for one in found) - sum(one.supported for one in found))
