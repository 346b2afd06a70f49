"""Fit the verifier's weights, and say in five folds how good they are.

`tools/train_verifier.py` calls it with the pairs that it compared. Trees and a line share the work: gradient boosting and logistic
regression (scikit-learn), each over all features. Folds are grouped by cited text, translations of one text together. Sets and
classes weigh as `WEIGHTS` says. Nothing but the seed is drawn.
"""

import datetime
import json
import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

np: Any = import_module("numpy")
sklearn: Any = import_module("sklearn")
ensemble: Any = import_module("sklearn.ensemble")
linear_model: Any = import_module("sklearn.linear_model")
metrics: Any = import_module("sklearn.metrics")
preprocessing: Any = import_module("sklearn.preprocessing")

RESULT = Path(__file__).parents[1] / "results/verifier.md"
TARGET = Path(__file__).parents[2] / "src/pincite/answering/verifier.json"
JUDGED = ("attributionbench", "scifact-verify", "summedits", "begin-wow")
SUITES = ("rewritten", "verbatim", "tables")
WEIGHTS = {
    "attributionbench": 3.0,
    "scifact-verify": 1.2,
    "summedits": 0.6,
    "begin-wow": 0.5,
    "rewritten": 2.0,
    "verbatim": 0.6,
    "tables": 1.0,
}
TREES: dict[str, Any] = {
    "max_iter": 300,
    "learning_rate": 0.05,
    "max_leaf_nodes": 16,
    "min_samples_leaf": 20,
    "l2_regularization": 5,
    "max_features": 0.2,
    "early_stopping": False,
}
SEED = 0
LINE = 0.3
"""The line's share of a claim's figure."""
STRENGTH = 0.1
PRECISION = 0.9


def main(path: Path, *, is_report: bool) -> None:
    """Report folds; unless that is all, fit on everything and write."""
    data: list[dict[str, Any]] = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    names = sorted(data[0]["features"])
    inputs = np.array([[row["features"].get(name, 0.0) for name in names] for row in data])
    labels = np.array([row["true"] for row in data])
    sets = np.array([row["set"] for row in data])
    draws = np.array([row["folds"] for row in data]).T
    low = held_down(inputs, names)
    every = [np.where(low, np.minimum(scores, 0.49), scores) for scores in (folded(inputs, labels, sets, one) for one in draws)]
    supported = report(data, labels, sets, every[0], every[1:])
    if not is_report:
        Model(inputs, labels, weights(sets, labels)).write(names, supported)


def folded(inputs: Any, labels: Any, sets: Any, folds: Any) -> Any:
    """Return the figures of all claims, each from a model that was fitted without its fold."""
    scores = np.zeros(len(labels))
    for fold in np.unique(folds):
        rest = folds != fold
        model = Model(inputs[rest], labels[rest], weights(sets[rest], labels[rest]))
        scores[~rest] = model.scores(inputs[~rest])
    return scores


def held_down(inputs: Any, names: Sequence[str]) -> Any:
    """Say which claims the verifier holds below even whatever the weights say."""

    def has(name: str) -> Any:
        return inputs[:, names.index(name)] > 0

    return has("figures missing") | has("only negated") | (has("one swapped") & has("swapped beside number"))


def weights(sets: Any, labels: Any) -> Any:
    """Return weights by which the classes of a set count alike."""
    found = np.zeros(len(sets))
    for name, weight in WEIGHTS.items():
        for label in (True, False):
            mine = (sets == name) & (labels == label)
            if mine.any():
                found[mine] = weight / mine.sum()
    return found / found.mean()


class Model:
    """Trees and a line."""

    def __init__(self, inputs: Any, labels: Any, sample_weight: Any) -> None:
        self.scaler = preprocessing.StandardScaler().fit(inputs)
        self.line = linear_model.LogisticRegression(C=STRENGTH, max_iter=3000)
        self.line.fit(self.scaler.transform(inputs), labels, sample_weight=sample_weight)
        self.trees = ensemble.HistGradientBoostingClassifier(**TREES, random_state=SEED).fit(
            inputs, labels, sample_weight=sample_weight
        )

    def scores(self, inputs: Any) -> Any:
        """Return figures in 0–1."""
        by_line = self.line.predict_proba(self.scaler.transform(inputs))[:, 1]
        return (1 - LINE) * self.trees.predict_proba(inputs)[:, 1] + LINE * by_line

    def write(self, names: Sequence[str], supported: float) -> None:
        """Write the file that the package reads."""
        record: dict[str, Any] = {
            "names": names,
            "mean": rounded(self.scaler.mean_),
            "scale": rounded(self.scaler.scale_),
            "line": rounded(self.line.coef_[0]),
            "bias": rounded(self.line.intercept_)[0],
            "share": LINE,
            "start": round(float(self.trees._baseline_prediction[0][0]), 5),
            "trees": [nodes(tree[0].nodes) for tree in self.trees._predictors],
            "supported": round(float(supported), 4),
        }
        lines = ",\n".join(
            f" {json.dumps(key)}: {listing(value) if key == 'trees' else json.dumps(value)}" for key, value in record.items()
        )
        TARGET.write_text("{\n" + lines + "\n}\n", encoding="utf-8")


def listing(trees: Sequence[Any]) -> str:
    """Write the trees one a line."""
    return "[\n" + ",\n".join("  " + json.dumps(tree, separators=(",", ":")) for tree in trees) + "\n ]"


def nodes(tree: Any) -> list[list[float]]:
    """Return a tree as lists: feature, threshold, left, right, or a leaf's value."""
    return [
        [round(float(node["value"]), 4)]
        if node["is_leaf"]
        else [int(node["feature_idx"]), round(float(node["num_threshold"]), 5), int(node["left"]), int(node["right"])]
        for node in tree
    ]


def rounded(values: Any) -> list[float]:
    return [round(float(value), 5) for value in values]


def keep(lines: Sequence[str]) -> None:
    """Print the figures of the folds, and write them beside those of the benches."""
    head = f"{datetime.date.today().isoformat()}, scikit-learn {sklearn.__version__}, folds grouped by cited text"
    RESULT.write_text("\n".join(["# verifier", "", head, "", "```", *lines, "```", ""]), encoding="utf-8")
    print(*lines, sep="\n")


def report(data: Sequence[dict[str, Any]], labels: Any, sets: Any, scores: Any, others: Sequence[Any]) -> float:
    """Keep what the folds say, and return from which figure on a claim is called supported; `others` are of other folds."""
    lines: list[str] = []
    for name in JUDGED:
        mine = sets == name
        said, true = scores[mine] > 0.5, labels[mine]
        macro, balanced = metrics.f1_score(true, said, average="macro"), metrics.balanced_accuracy_score(true, said)
        rates = f"sensitivity {said[true].mean():.3f}  specificity {1 - said[~true].mean():.3f}"
        lines.append(
            f"{name:<17} n {mine.sum():<5} macro-F1 {macro:.3f}  balanced accuracy {balanced:.3f}  {rates}  "
            f"AUC {metrics.roc_auc_score(true, scores[mine]):.3f}  calibration error {calibration(true, scores[mine]):.3f}"
        )
    mine = sets == JUDGED[0]
    threshold = least(labels[mine], scores[mine])
    lines.append(f"supported from {threshold:.3f} on")
    for name in JUDGED:
        mine = sets == name
        said = scores[mine] >= threshold
        for part, these in ((name, np.ones(mine.sum(), bool)), *sources(data, mine)):
            if (said & these).any():
                hit = labels[mine][said & these].mean()
                lines.append(
                    f"  {part:<28} precision {hit:.3f}  recall {(said & these)[labels[mine]].sum() / labels[mine][these].sum():.3f}"
                )
    lines.extend(f"folds {at}  {drawn(labels, sets, one)}" for at, one in enumerate((scores, *others), 1))
    for name in SUITES:
        mine, alarm = sets == name, scores < 0.5
        caught, false = alarm[mine & ~labels].mean(), alarm[mine & labels].mean()
        lines.append(f"{name:<17} pairs {(mine & labels).sum():<5} caught {caught:.3f}  false alarms {false:.3f}")
        lines.extend(f"  {part}" for part in parts(data, mine, labels, alarm))
    keep(lines)
    return threshold


def least(labels: Any, scores: Any) -> float:
    """Return from which figure on claims are supported with the precision wanted."""
    order = np.argsort(-scores)
    precision = np.cumsum(labels[order]) / np.arange(1, len(labels) + 1)
    return scores[order][np.flatnonzero(precision >= PRECISION)[-1]]


def drawn(labels: Any, sets: Any, scores: Any) -> str:
    """Return the main figures of one drawing of folds: of attributionbench, then of the other judged sets, then of the suites."""
    first, *judged = (sets == name for name in JUDGED)
    true, alarm = labels[first], scores < 0.5
    recall = (scores[first] >= least(true, scores[first]))[true].mean()
    balanced = " ".join(f"{metrics.balanced_accuracy_score(labels[mine], scores[mine] > 0.5):.3f}" for mine in judged)
    caught = " ".join(f"{alarm[(sets == name) & ~labels].mean():.3f}" for name in SUITES)
    macro = metrics.f1_score(true, scores[first] > 0.5, average="macro")
    return f"macro-F1 {macro:.3f}  recall {recall:.3f} at precision {PRECISION}  balanced accuracy {balanced}  caught {caught}"


def sources(data: Sequence[dict[str, Any]], mine: Any) -> Iterator[tuple[str, Any]]:
    """Yield where the claims of a set came from, and which they are."""
    values = np.array([row.get("src", "") for row, one in zip(data, mine, strict=True) if one])
    for value in sorted(set(values) - {""}):
        yield f"of it {value}", values == value


def calibration(labels: Any, scores: Any) -> float:
    """Return the expected calibration error over ten bins."""
    bins = np.minimum((scores * 10).astype(int), 9)
    return sum(abs(scores[bins == at].mean() - labels[bins == at].mean()) * (bins == at).mean() for at in np.unique(bins))


def parts(data: Sequence[dict[str, Any]], mine: Any, labels: Any, alarm: Any) -> Iterator[str]:
    """Yield the figures of each kind and language."""
    for field in ("kind", "lang"):
        values = np.array([row.get(field, "") for row in data])
        for value in sorted(set(values[mine])):
            these = mine & (values == value)
            yield f"{value:<12} caught {alarm[these & ~labels].mean():.3f}  false alarms {alarm[these & labels].mean():.3f}"


if __name__ == "__main__":
    main(Path(sys.argv[1]), is_report="--report" in sys.argv)
