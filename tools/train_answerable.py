"""Train what tells how likely an answer is, and measure it: `answerable.json` and `bench/results/abstention.md`.

    make answerable

Reads the development halves of `../shared/evals`. CLAP NQ and MTRAG-UN have questions that their passages don't answer. Of HotpotQA
and XQuAD each question is also asked with its right passages left out. XQuAD is parallel, so that questions of one language are
put to passages of another. Lines are logistic regressions, fitted by Newton's method with a ridge; sets and labels count alike.
Folds keep together what shares a passage or a conversation. Vectors are cached under PINCITE_HOME; the first run embeds about 5,500
passages, and of each search some sentences.
"""

import asyncio
import json
import random
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from report import keep, need_shared, table
from risk import picture

from pincite.answering.answerable import LEAST, Answerability, Line
from pincite.bootstrap import evaluator
from pincite.core.evidence import Filter, Query, Strategy
from pincite.evaluation.abstention import curve, figures, point
from pincite.evaluation.datasets import Dataset, Question, load_dataset
from pincite.evaluation.runs import Bench, Evaluator
from pincite.settings import load_settings

PACKAGE = Path(__file__).parent.parent / "src/pincite/answering"
MODEL = "intfloat/multilingual-e5-small"
LABELLED = ("clapnq", "mtrag-un")
FOLDS = 5
RIDGE = 3.0
SEED = 7
EACH_LANGUAGE = 40
EACH_PAIR = 20
WORDS = ("bm25_share", "bm25_margin", "coverage")
FEATURES = {
    "same_language": ("cosine", "cosine_margin", *WORDS, "sentence_cosine"),
    "across_languages": ("cosine", "cosine_margin", "sentence_cosine"),
    "words": WORDS,
}
EVERYTHING = Filter()
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Case:
    """A question with what a search for it told, and whether what was searched answers it."""

    set: str
    line: str
    group: str
    answerable: bool
    features: Mapping[str, float]

    @property
    def fold(self) -> int:
        """Return the fold: the same for what shares a passage or a conversation."""
        return int(sha256(self.group.encode()).hexdigest(), 16) % FOLDS


async def main() -> None:
    """Train, measure, write."""
    learn([case async for case in every_case(evaluator(load_settings()))])


def learn(cases: Sequence[Case]) -> None:
    """Fit a line for each way of searching, measure each by folds, and write weights, page and picture."""
    lines: dict[str, Line] = {}
    rows: list[list[str]] = []
    told: dict[str, tuple[list[float], list[float]]] = {}
    for name, features in FEATURES.items():
        mine = [case for case in cases if case.line == name]
        lines[name] = fit(mine, features)
        scores = by_folds(mine, features)
        for found in dict.fromkeys(case.set for case in mine):
            good, bad = parted(mine, scores, found)
            rows.append(row(name, found, good, bad))
            if name == "same_language":
                told[found] = good, bad
    write(lines)
    keep("abstention", report(rows, told, lines))
    picture({found: curve(*told[found]) for found in LABELLED})


async def every_case(bench: Evaluator) -> AsyncIterator[Case]:
    """Yield all questions, with both strategies where one line has words alone."""
    for name in (*LABELLED, "hop-hotpot"):
        whole = dataset(name)
        near = near_passages(name)
        async with bench.open_bench() as opened:
            asked = await Asked.of(bench, opened, whole)
            for question in whole.questions:
                group = near.get(question.id) or question.id.split("<::>")[0]
                if name in LABELLED and question.answerable is not None:
                    async for case in asked.both(name, question, group, answerable=question.answerable):
                        yield case
                elif name not in LABELLED:
                    async for case in asked.pair(name, question, next(iter(question.relevant)), tuple(question.relevant)):
                        yield case
    async for case in xquad(bench):
        yield case


async def xquad(bench: Evaluator) -> AsyncIterator[Case]:
    """Yield questions to passages of their own language, and to those of another one."""
    parts = dataset("xquad", by="lang").groups()
    for lang, part in parts.items():
        async with bench.open_bench() as opened:
            asked = await Asked.of(bench, opened, part)
            for question in drawn(part, EACH_LANGUAGE, lang):
                async for case in asked.pair("xquad", question, number(question), tuple(question.relevant)):
                    yield case
            for other in [code for code in parts if code != "en"] if lang == "en" else ["en"]:
                for question in drawn(parts[other], EACH_PAIR, f"{other} {lang}"):
                    right = (f"{lang}-{number(question)}",)
                    async for case in asked.pair("xquad, across", question, number(question), right, line="across_languages"):
                        yield case


def dataset(name: str, *, by: str = "") -> Dataset:
    """Return the development half of a set."""
    folder = need_shared("evals", name)
    return load_dataset(folder / "corpus.jsonl", folder / "dev/queries.jsonl", folder / "dev/qrels.tsv", by_field=by)


def near_passages(name: str) -> dict[str, str]:
    """Return the passage that each question was asked of, where the set says so."""
    lines = (need_shared("evals", name) / "dev/queries.jsonl").read_text(encoding="utf-8").splitlines()
    rows: list[dict[str, Any]] = [json.loads(line) for line in lines if line]
    return {row["id"]: row["near_passage"] for row in rows if row.get("near_passage")}


def number(question: Question) -> str:
    """Return the number that a paragraph of XQuAD has in all languages."""
    return next(iter(question.relevant)).split("-", 1)[1]


def drawn(part: Dataset, count: int, seed: str) -> list[Question]:
    """Return some questions, the same each time."""
    return random.Random(f"{SEED} {seed}").sample(part.questions, count)


@dataclass(frozen=True)
class Asked:
    """A corpus that questions are put to."""

    bench: Evaluator
    opened: Bench
    collection: Any
    ids: Mapping[str, Any]

    @classmethod
    async def of(cls, bench: Evaluator, opened: Bench, part: Dataset) -> "Asked":
        """Put the passages in."""
        collection = await bench.load(opened, part, on_progress=print)
        ids: dict[str, Any] = {}
        async with opened.store.open(opened.workspace_id) as work:
            for entry in part.entries:
                document = await work.documents.at_path(collection.id, entry.id)
                ids[entry.id] = document and document.id
        return cls(bench, opened, collection, ids)

    async def pair(
        self, name: str, question: Question, group: str, right: tuple[str, ...], *, line: str = "same_language"
    ) -> AsyncIterator[Case]:
        """Yield a question as it is, and with its right passages left out."""
        others = Filter(document_ids=tuple(found for key, found in self.ids.items() if key not in right))
        for answerable, narrowed in ((True, Filter()), (False, others)):
            async for case in self.both(name, question, group, answerable=answerable, narrowed=narrowed, line=line):
                yield case

    async def both(
        self,
        name: str,
        question: Question,
        group: str,
        *,
        answerable: bool,
        narrowed: Filter = EVERYTHING,
        line: str = "same_language",
    ) -> AsyncIterator[Case]:
        """Yield a question as both sides of a search tell of it, and in its own language also as words alone do."""
        for strategy in (Strategy.HYBRID, Strategy.LEXICAL) if line == "same_language" else (Strategy.HYBRID,):
            query = Query(question.text, (self.collection.id,), narrowed, strategy=strategy, history=question.history)
            retrieval: Any = await self.opened.retriever.retrieve(query)
            if retrieval.passages:
                features = await Answerability(self.bench.embedding).features(question.text, retrieval)
                yield Case(name, "words" if strategy is Strategy.LEXICAL else line, f"{name} {group}", answerable, features)


def fit(cases: Sequence[Case], names: Sequence[str]) -> Line:
    """Return the logistic regression."""
    values = matrix(cases, names)
    counts = Counter((case.set, case.answerable) for case in cases)
    weights = np.array([100 / counts[case.set, case.answerable] for case in cases])
    mean = np.average(values, axis=0, weights=weights)
    scale = np.sqrt(np.average((values - mean) ** 2, axis=0, weights=weights)) + 1e-9
    inputs = np.c_[(values - mean) / scale, np.ones(len(cases))]
    labels = np.array([case.answerable for case in cases], dtype=float)
    ridge = np.diag([RIDGE] * len(names) + [1e-9])
    found: Floats = np.zeros(len(names) + 1)
    for _ in range(50):
        said: Floats = 1 / (1 + np.exp(-(inputs @ found)))
        gradient: Floats = inputs.T @ (weights * (said - labels)) + ridge @ found
        curvature: Floats = (inputs.T * (weights * said * (1 - said))) @ inputs + ridge
        found = found - np.linalg.solve(curvature, gradient)
    *line, bias = [round(float(value), 4) for value in found]
    return Line(names, _rounded(mean), _rounded(scale), line, bias)


def _rounded(values: Floats) -> list[float]:
    return [round(float(value), 5) for value in values]


def matrix(cases: Sequence[Case], names: Sequence[str]) -> Floats:
    """Return the features, what isn't known as the mean of the rest."""
    values = np.array([[case.features.get(name, np.nan) for name in names] for case in cases])
    return np.where(np.isnan(values), np.nanmean(values, axis=0), values)


def by_folds(cases: Sequence[Case], names: Sequence[str]) -> list[float]:
    """Return the probability of each case by a line that hasn't seen its fold."""
    lines = [fit([case for case in cases if case.fold != fold], names) for fold in range(FOLDS)]
    return [lines[case.fold].probability(case.features) for case in cases]


def parted(cases: Sequence[Case], scores: Sequence[float], name: str) -> tuple[list[float], list[float]]:
    """Return the probabilities of a set's answerable questions and of its others."""
    mine = [(case, score) for case, score in zip(cases, scores, strict=True) if case.set == name]
    good, bad = ([score for case, score in mine if case.answerable is label] for label in (True, False))
    return good, bad


def row(line: str, name: str, good: Sequence[float], bad: Sequence[float]) -> list[str]:
    """Return a set's figures."""
    told = figures(good, bad, LEAST)
    columns = ("auc", "false_refusals_at_70_caught", "caught", "false_refusals", "calibration_error")
    return [line.replace("_", " "), name, str(len(good)), str(len(bad)), *(f"{told[column]:.3f}" for column in columns)]


def report(rows: list[list[str]], told: Mapping[str, tuple[list[float], list[float]]], lines: Mapping[str, Line]) -> list[str]:
    """Return the page."""
    head = ["Line", "Set", "Answerable", "Not", "AUC", "False refusals at 70% caught"]
    head += [f"Caught at {LEAST}", f"False refusals at {LEAST}", "Calibration error"]
    return [
        "Probabilities of five folds, by lines that haven't seen the fold. A fold keeps together what shares a passage or a",
        "conversation. Of HotpotQA and XQuAD what isn't answerable is the same questions with their right passages left out.",
        "",
        *table(head, rows),
        "",
        *(text for found in told for text in (*curve_table(found, *told[found]), "")),
        "![Risk and coverage](abstention.svg)",
        "",
        *table(["Line", "Weight of each feature, by its standard deviation"], list(weights(lines))),
    ]


def curve_table(name: str, good: Sequence[float], bad: Sequence[float]) -> list[str]:
    """Return the risk–coverage curve of a set."""
    points = [point(step / 20, good, bad) for step in range(20)]
    shown = [[f"{p.least:.2f}", *(f"{value:.3f}" for value in (p.coverage, p.risk, p.caught, p.false_refusals))] for p in points]
    return table([f"{name}: least", "Coverage", "Risk", "Caught", "False refusals"], shown)


def weights(lines: Mapping[str, Line]) -> Iterator[list[str]]:
    """Yield what each line weighs."""
    for name, line in lines.items():
        yield [
            name.replace("_", " "),
            ", ".join(f"{key} {value:+.2f}" for key, value in zip(line.names, line.weights, strict=True)),
        ]


def write(lines: Mapping[str, Line]) -> None:
    """Write the weights."""
    told = {
        name: {key: list(value) if key != "bias" else value for key, value in fields(line).items()} for name, line in lines.items()
    }
    text = json.dumps({"model": MODEL, "lines": told}, indent=1)
    (PACKAGE / "answerable.json").write_text(text + "\n", encoding="utf-8")


def fields(line: Line) -> dict[str, Any]:
    """Return the fields of a line."""
    return {"names": line.names, "mean": line.mean, "scale": line.scale, "weights": line.weights, "bias": line.bias}


if __name__ == "__main__":
    asyncio.run(main())
