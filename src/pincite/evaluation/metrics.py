"""Measures of ranking and of telling two classes apart. Pure."""

import math
from collections.abc import Mapping, Sequence


def ndcg(ranking: Sequence[str], relevant: Mapping[str, float], k: int = 10) -> float:
    """Return nDCG@k with linear gains (Järvelin & Kekäläinen 2002), as trec_eval and BEIR compute it."""
    gain = sum(relevant.get(item, 0.0) / math.log2(rank + 2) for rank, item in enumerate(ranking[:k]))
    ideal = sum(value / math.log2(rank + 2) for rank, value in enumerate(sorted(relevant.values(), reverse=True)[:k]))
    return gain / ideal if ideal else 0.0


def recall(ranking: Sequence[str], relevant: Mapping[str, float], k: int) -> float:
    """Return the share of the relevant items among the first k."""
    return len(set(ranking[:k]) & set(relevant)) / len(relevant) if relevant else 0.0


def reciprocal_rank(ranking: Sequence[str], relevant: Mapping[str, float]) -> float:
    """Return 1 / rank of the first relevant item, 0 when there is none."""
    return next((1 / rank for rank, item in enumerate(ranking, 1) if item in relevant), 0.0)


def auc(positives: Sequence[float], negatives: Sequence[float]) -> float:
    """Return the area under the ROC curve: how often a positive scores above a negative, ties counting half. NaN without both."""
    if not positives or not negatives:
        return math.nan
    labelled = sorted([(score, True) for score in positives] + [(score, False) for score in negatives])
    total, position = 0.0, 0
    while position < len(labelled):
        end = position
        while end < len(labelled) and labelled[end][0] == labelled[position][0]:
            end += 1
        total += (position + 1 + end) / 2 * sum(label for _, label in labelled[position:end])
        position = end
    count = len(positives)
    return (total - count * (count + 1) / 2) / (count * len(negatives))


def quantile(values: Sequence[float], share: float) -> float:
    """Return the value that `share` (0–1) of the values don't exceed; 0 for none."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


def mean(values: Sequence[float]) -> float:
    """Return the mean; 0 for none."""
    return sum(values) / len(values) if values else 0.0
