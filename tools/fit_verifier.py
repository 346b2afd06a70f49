"""Fit the verifier's weights, and say in five folds how good they are. `train_verifier.py` calls it with the pairs it compared.

Trees and a line share the work: gradient boosting and logistic regression (scikit-learn), each over all features; a claim's figure
is the mean of both. Folds are grouped by cited text, translations of one text together. Sets and classes weigh as `WEIGHTS` says.
"""

import json
import sys
from pathlib import Path

import numpy as np
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score, f1_score
from sklearn.preprocessing import StandardScaler

TARGET = Path(__file__).parent.parent / "src/pincite/answering/verifier.json"
WEIGHTS = {"attributionbench": 1.0, "scifact-verify": 1.0, "summedits": 1.0, "rewritten": 0.5, "verbatim": 0.2}
TAMPERED = 1.0
"""What was tampered with weighs so much more than its twin: an alarm too many is the smaller harm."""
JUDGED = ("attributionbench", "scifact-verify", "summedits")
SUITES = ("rewritten", "verbatim")
TREES = {"n_estimators": 350, "max_depth": 4, "learning_rate": 0.05, "min_samples_leaf": 20, "subsample": 0.5, "max_features": 0.2}
SEED = 0
STRENGTH = 0.1
EVEN = 0.5
"""What counts as even between supported and not; figures are stretched so that it is .5."""
PRECISION = 0.9


def main(path: Path) -> None:
    """Report folds, fit on everything, write."""
    data = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    names = sorted(data[0]["features"])
    inputs = np.array([[row["features"].get(name, 0.0) for name in names] for row in data])
    labels = np.array([row["true"] for row in data])
    sets = np.array([row["set"] for row in data])
    folds = np.array([row["fold"] for row in data])
    scores = np.zeros(len(data))
    for fold in np.unique(folds):
        model = Model(inputs[folds != fold], labels[folds != fold], weights(sets[folds != fold], labels[folds != fold]))
        scores[folds == fold] = model.scores(inputs[folds == fold])
    scores[inputs[:, names.index("figures missing")] > 0] = np.minimum(scores[inputs[:, names.index("figures missing")] > 0], 0.49)
    supported = report(data, labels, sets, scores)
    Model(inputs, labels, weights(sets, labels)).write(names, supported)


def weights(sets, labels):
    """Return weights by which the classes of a set count alike."""
    found = np.zeros(len(sets))
    for name, weight in WEIGHTS.items():
        for label in (True, False):
            mine = (sets == name) & (labels == label)
            if mine.any():
                found[mine] = weight / mine.sum() * (TAMPERED if name in SUITES and not label else 1.0)
    return found / found.mean()


class Model:
    """Trees and a line."""

    def __init__(self, inputs, labels, sample_weight) -> None:
        self.scaler = StandardScaler().fit(inputs)
        self.line = LogisticRegression(C=STRENGTH, max_iter=3000)
        self.line.fit(self.scaler.transform(inputs), labels, sample_weight=sample_weight)
        self.trees = GradientBoostingClassifier(**TREES, random_state=SEED).fit(inputs, labels, sample_weight=sample_weight)

    def scores(self, inputs):
        """Return figures in 0–1, even at .5."""
        raw = (self.trees.predict_proba(inputs)[:, 1] + self.line.predict_proba(self.scaler.transform(inputs))[:, 1]) / 2
        return np.where(raw < EVEN, 0.5 * raw / EVEN, 0.5 + 0.5 * (raw - EVEN) / (1 - EVEN))

    def write(self, names, supported) -> None:
        """Write the file that the package reads."""
        prior = self.trees.init_.class_prior_
        record = {
            "names": names,
            "mean": rounded(self.scaler.mean_),
            "scale": rounded(self.scaler.scale_),
            "line": rounded(self.line.coef_[0]),
            "bias": rounded(self.line.intercept_)[0],
            "start": round(float(np.log(prior[1] / prior[0])), 5),
            "trees": [nodes(tree[0].tree_, self.trees.learning_rate) for tree in self.trees.estimators_],
            "even": EVEN,
            "supported": round(float(supported), 4),
        }
        lines = ",\n".join(f" {json.dumps(key)}: {listing(value)}" for key, value in record.items())
        TARGET.write_text("{\n" + lines + "\n}\n", encoding="utf-8")


def listing(value) -> str:
    """Write the trees one a line."""
    if isinstance(value, list) and value and isinstance(value[0], list):
        return "[\n" + ",\n".join("  " + json.dumps(tree, separators=(",", ":")) for tree in value) + "\n ]"
    return json.dumps(value)


def nodes(tree, rate):
    """Return a tree as lists: feature, threshold, left, right, or a leaf's value."""
    return [
        [round(float(tree.value[at][0][0]) * rate, 4)]
        if tree.children_left[at] < 0
        else [int(tree.feature[at]), round(float(tree.threshold[at]), 5), int(tree.children_left[at]), int(tree.children_right[at])]
        for at in range(tree.node_count)
    ]


def rounded(values):
    return [round(float(value), 5) for value in values]


def report(data, labels, sets, scores) -> float:
    """Print what the folds say, and return from which figure on a claim is called supported."""
    for name in JUDGED:
        mine = sets == name
        said = scores[mine] > 0.5
        macro, balanced = f1_score(labels[mine], said, average="macro"), balanced_accuracy_score(labels[mine], said)
        print(f"{name:<18} macro-F1 {macro:.3f}  balanced accuracy {balanced:.3f}")
    mine = sets == JUDGED[0]
    order = np.argsort(-scores[mine])
    precision = np.cumsum(labels[mine][order]) / np.arange(1, mine.sum() + 1)
    last = np.flatnonzero(precision >= PRECISION)[-1]
    recall = labels[mine][order][: last + 1].sum() / labels[mine].sum()
    print(f"supported from {scores[mine][order][last]:.3f}: recall {recall:.3f} on {JUDGED[0]}")
    for name in SUITES:
        mine, alarm = sets == name, scores < 0.5
        caught, false = alarm[mine & ~labels].mean(), alarm[mine & labels].mean()
        print(f"{name:<18} caught {caught:.3f}  false alarms {false:.3f}  " + "  ".join(parts(data, mine, labels, alarm)))
    return scores[sets == JUDGED[0]][order][last]


def parts(data, mine, labels, alarm):
    """Yield the figures of each kind and language."""
    for field in ("kind", "lang"):
        values = np.array([row.get(field, "") for row in data])
        for value in sorted(set(values[mine])):
            these = mine & (values == value)
            yield f"{value} {alarm[these & ~labels].mean():.2f}/{alarm[these & labels].mean():.2f}"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
