"""Fit the weights by which sentences are chosen, and say in five folds what they choose.

`tools/train_choice.py` calls it with what it knows of each sentence. The trees are gradient boosting (scikit-learn). Folds keep
together what shares a passage, translations too, and are drawn three times; figures are means. Sets count alike.
"""

import datetime
import json
import sys
from collections.abc import Iterator, Sequence
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any

from training import listing, nodes

np: Any = import_module("numpy")
sklearn: Any = import_module("sklearn")
ensemble: Any = import_module("sklearn.ensemble")

RESULT = Path(__file__).parents[1] / "results/choice.md"
TARGET = Path(__file__).parents[2] / "src/pincite/answering/choice.json"
TREES: dict[str, Any] = {
    "max_iter": 150,
    "learning_rate": 0.04,
    "max_leaf_nodes": 8,
    "min_samples_leaf": 20,
    "l2_regularization": 5,
    "max_features": 0.3,
    "early_stopping": False,
}
SEED = 0
FOLDS = 5
DRAWS = 3


def main(path: Path) -> None:
    """Report folds, fit on everything, write."""
    told, *data = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    asked = [row for row in data if "features" in row]
    names = sorted(asked[0]["features"])
    inputs = np.concatenate([np.column_stack([row["features"][name] for name in names]) for row in asked])
    labels = np.array([bool(places(found) & gold(row)) for row in asked for found in row["sentences"]])
    owners = np.repeat(np.arange(len(asked)), [len(row["sentences"]) for row in asked])
    weights = alike([asked[owner]["set"] for owner in owners])
    report(data, [list(figures(data, asked, scores, told)) for scores in by_folds(asked, owners, inputs, labels, weights)])
    write(told["model"], names, fit(inputs, labels, weights))


def gold(row: dict[str, Any]) -> set[tuple[str, int]]:
    return places(row["gold"])


def places(found: Sequence[Sequence[Any]]) -> set[tuple[str, int]]:
    return {(name, at) for name, at in found}


def alike(sets: Sequence[str]) -> Any:
    """Return weights by which sets count alike."""
    sets_ = np.array(sets)
    counts = {name: (sets_ == name).sum() for name in set(sets)}
    return np.array([len(sets) / len(counts) / counts[name] for name in sets])


def fit(inputs: Any, labels: Any, weights: Any) -> Any:
    return ensemble.HistGradientBoostingClassifier(**TREES, random_state=SEED).fit(inputs, labels, sample_weight=weights)


def by_folds(asked: Sequence[dict[str, Any]], owners: Any, inputs: Any, labels: Any, weights: Any) -> Iterator[list[Any]]:
    """Yield for each draw how likely the sentences of each question are, by trees that haven't seen its fold."""
    for draw in range(DRAWS):
        folds = np.array([int(sha256(f"{draw} {row['group']}".encode()).hexdigest(), 16) % FOLDS for row in asked])[owners]
        scores = np.zeros(len(labels))
        for fold in range(FOLDS):
            mine = folds == fold
            scores[mine] = fit(inputs[~mine], labels[~mine], weights[~mine]).predict_proba(inputs[mine])[:, 1]
        yield np.split(scores, np.flatnonzero(np.diff(owners)) + 1)


def figures(
    data: Sequence[dict[str, Any]], asked: Sequence[dict[str, Any]], scores: Sequence[Any], told: dict[str, Any]
) -> Iterator[tuple[float, float, float, float]]:
    """Yield precision and recall of each set and way, by the line and by the trees."""
    chosen = {id(row): choice(row, likely, told) for row, likely in zip(asked, scores, strict=True)}
    for name, way in ways(data):
        mine = [row for row in data if (row["set"], row["way"]) == (name, way)]
        by_line = beside(mine, [places(row["line"]) for row in mine])
        by_trees = beside(mine, [chosen.get(id(row), places(row["line"])) for row in mine])
        yield (*by_line, *by_trees)


def ways(data: Sequence[dict[str, Any]]) -> list[tuple[str, str]]:
    return list(dict.fromkeys((row["set"], row["way"]) for row in data))


def choice(row: dict[str, Any], likely: Any, told: dict[str, Any]) -> set[tuple[str, int]]:
    """Return what is quoted: the likeliest, and those nearly as likely."""
    best = np.argsort(-likely, kind="stable")[: told["most"]]
    return {(name, at) for one in best if likely[one] >= told["share"] * likely[best[0]] for name, at in row["sentences"][one]}


def beside(rows: Sequence[dict[str, Any]], quoted: Sequence[set[tuple[str, int]]]) -> tuple[float, float]:
    right = sum(len(found & gold(row)) for row, found in zip(rows, quoted, strict=True))
    return right / sum(map(len, quoted)), right / sum(len(gold(row)) for row in rows)


def report(data: Sequence[dict[str, Any]], draws: Sequence[Sequence[tuple[float, ...]]]) -> None:
    """Keep what the folds say."""
    lines = [
        "| Set | Looked for in | n | Precision, recall by the line | F1 | By the trees | F1 |",
        "|---|---|---|---|---|---|---|",
    ]
    for (name, way), values in zip(ways(data), np.mean(draws, axis=0), strict=True):
        count = sum((row["set"], row["way"]) == (name, way) for row in data)
        shown = [
            f"{precision:.3f}, {recall:.3f} | {2 * precision * recall / (precision + recall):.3f}"
            for precision, recall in (values[:2], values[2:])
        ]
        lines.append(f"| {name} | {way} | {count} | {' | '.join(shown)} |")
    head = (
        f"{datetime.date.today().isoformat()}, scikit-learn {sklearn.__version__}, {FOLDS} folds grouped by passage, {DRAWS} draws"
    )
    RESULT.write_text("\n".join(["# choice", "", head, "", *lines, ""]), encoding="utf-8")
    print(*lines, sep="\n")


def write(model: str, names: Sequence[str], trees: Any) -> None:
    """Write the file that the package reads."""
    record: dict[str, Any] = {
        "model": model,
        "names": names,
        "start": round(float(trees._baseline_prediction[0][0]), 5),
        "trees": [nodes(tree[0].nodes) for tree in trees._predictors],
    }
    lines = ",\n".join(
        f" {json.dumps(key)}: {listing(value) if key == 'trees' else json.dumps(value)}" for key, value in record.items()
    )
    TARGET.write_text("{\n" + lines + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
