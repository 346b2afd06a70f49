"""Verdicts: what they cost, what tampering they notice, whether claims that need two sources are kept. Quotes: are they gold.
Refusals: do they fall on questions that nothing found answers.

python bench/citations.py        (make bench-citations)

How often verdicts are right on texts that the weights were not trained on is in `verifier.md`, which `make verifier` writes.
"""

import asyncio
import re
import tempfile
import time
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from itertools import islice, pairwise
from pathlib import Path

from report import keep, need_shared, table
from verifier_data import passages

from pincite.adapters.models.e5_words import LazyWords
from pincite.answering.alignment import Side
from pincite.answering.citing import Citing, cite
from pincite.answering.engine import QueryEngine
from pincite.answering.markers import MarkerTransducer
from pincite.answering.matching import find_literal, fold
from pincite.answering.sources import group_sources
from pincite.answering.verify import Verifier
from pincite.answering.withholding import Withholding
from pincite.bootstrap import evaluator
from pincite.core.answers import TokenChunk, Verdict
from pincite.core.evidence import Passage, Query, Retrieval, Source
from pincite.core.ids import ChunkId, DocumentId, VersionId
from pincite.core.messages import ChatMessage, ModelUsage
from pincite.core.policies import Policy
from pincite.evaluation.datasets import load_dataset, load_gold
from pincite.evaluation.quotes import measure_quotes
from pincite.evaluation.tampering import KINDS, Item, Material, languages, suite
from pincite.language.quantities import figures_of
from pincite.language.sentences import sentence_spans
from pincite.settings import load_settings

SEED = 2026
EACH = 60
TWO_SOURCES = 50
ANSWER_WORDS = 200
SOURCES = 6
LEAST_WAIT_MS = 400
"""A quick model's first token, with the search before it."""
RUNS = 20
GOLD = ("hop-hotpot", "clapnq", "scifact-verify")
TRAINED_ON = ("hop-hotpot", "clapnq")
"""What the choice of sentences was trained on: only folds tell whether it meets a bar."""
LEAST_PRECISION, LEAST_RECALL = 0.7, 0.6
ASKED = {"clapnq": 0.9, "mtrag-un": 0.82}
"""Sets with questions that have no answer, and the least AUC."""
MOST_REFUSED = 0.15
ALARM = (Verdict.CONTRADICTED, Verdict.NOT_FOUND)


def main() -> None:
    """Measure and keep."""
    material = passages(need_shared("evals"))
    with tempfile.TemporaryDirectory() as folder:
        verifier = Verifier(LazyWords(Path(folder)))
        items = {lang: list(suite(material, lang, seed=SEED)) for lang in languages()}
        every = [item for found in items.values() for item in found]
        kept = two_sources(material, verifier)
        lines = [
            "Sentences of XQuAD's development half, tampered with by rule, beside their untouched twins. The weights were",
            "trained on the same paragraphs with other pairs: `verifier.md` has the figures of folds. An alarm is",
            "`contradicted` or `not_found`.",
            "",
            *by_kind("Word for word", every, verifier),
            "",
            *by_language([item for item in every if item.rewritten], verifier),
            "",
            f"Claims that need two sources and cite both: {kept} of {TWO_SOURCES} are sent under `strict`.",
            "",
            costs(material, verifier),
            "",
            *asyncio.run(first_tokens(material, verifier)),
            "",
            *quotes(),
            "",
            "The weights by which the extractive model chooses sentences were trained on the first two sets: `choice.md` has the",
            "figures of folds, by which the bars are met in HotpotQA's right passages alone.",
            "",
            *refusals(),
            "",
            "The weights of refusals were trained on these sets too: `abstention.md` has the figures of folds and the",
            "risk–coverage curves.",
        ]
    keep("citations", lines)


def quotes() -> list[str]:
    """Return a table of what the extractive model quotes, beside the sentences that people chose."""
    bench = evaluator(load_settings())
    rows: list[list[str]] = []
    for name in GOLD:
        folder = need_shared("evals", name)
        gold = load_gold(folder / "corpus.jsonl", folder / "dev" / "queries.jsonl", folder / "dev" / "qrels.tsv")
        report = asyncio.run(measure_quotes(bench, gold, strategy="hybrid"))
        for way, part in (report.by or {"a claim, in its passage": report}).items():
            figures = part.metrics
            is_met = figures["precision"] >= LEAST_PRECISION and figures["recall"] >= LEAST_RECALL
            columns = ("precision", "recall", "macro_precision", "macro_recall", "hit", "quoted")
            shown = [f"{figures[column]:.3f}" for column in columns]
            told = "trained on it" if name in TRAINED_ON else "met" if is_met else "MISSED"
            rows.append([name, way, str(part.n), *shown, told])
    head = ["Gold sentences", "Looked for in", "n", "Precision", "Recall", "Mean precision", "Mean recall", "Some gold", "Quoted"]
    return table([*head, f"≥ {LEAST_PRECISION:.2f}, {LEAST_RECALL:.2f}"], rows)


def refusals() -> list[str]:
    """Return a table of how well the probability of an answer tells questions without one."""
    bench = evaluator(load_settings())
    rows: list[list[str]] = []
    for name, least in ASKED.items():
        folder = need_shared("evals", name)
        dataset = load_dataset(folder / "corpus.jsonl", folder / "dev" / "queries.jsonl", folder / "dev" / "qrels.tsv")
        report = asyncio.run(bench.run("abstention", dataset))
        columns = ("auc", "false_refusals_at_70_caught", "caught", "false_refusals", "calibration_error")
        met = report.metrics["auc"] >= least and report.metrics["false_refusals_at_70_caught"] <= MOST_REFUSED
        shown = [f"{report.metrics[column]:.3f}" for column in columns]
        rows.append([name, str(report.n), *shown, f"AUC {least:.2f}, {MOST_REFUSED:.2f}", "met" if met else "MISSED"])
    head = ["Refusals", "n", "AUC", "False refusals at 70% caught", "Caught by default", "False refusals by default"]
    return table([*head, "Calibration error", "Bars", ""], rows)


def alarms(claims: Sequence[tuple[str, Item]], verifier: Verifier) -> float:
    """Return the share of claims that raise an alarm."""
    found = [
        verifier.check(claim, [Side(item.material.text, item.material.lang)], item.material.lang).verdict for claim, item in claims
    ]
    return sum(verdict in ALARM for verdict in found) / len(found) if found else 0.0


def by_kind(name: str, items: Sequence[Item], verifier: Verifier) -> list[str]:
    """Return a table of what is noticed by kind, up to so many pairs of a kind and language."""
    rows: list[list[str]] = []
    for kind in KINDS:
        mine = sample([item for item in items if item.pair.kind == kind])
        caught = alarms([(item.pair.tampered, item) for item in mine], verifier)
        false = alarms([(item.pair.claim, item) for item in mine], verifier)
        rows.append([kind, str(len(mine)), f"{caught:.3f}", f"{false:.3f}"])
    return table([name, "Pairs", "Caught", "False alarms"], rows)


def by_language(items: Sequence[Item], verifier: Verifier) -> list[str]:
    """Return a table of rewritten pairs by language, beside what a search for the words would say."""
    rows: list[list[str]] = []
    for lang in languages():
        mine = [item for item in items if item.material.lang == lang][: EACH * 2]
        pairs = [(item.rewritten, item) for item in mine if item.rewritten]
        caught = alarms([(pair.tampered, item) for pair, item in pairs], verifier)
        false = alarms([(pair.claim, item) for pair, item in pairs], verifier)
        literal = [(held(pair.claim, item), held(pair.tampered, item)) for pair, item in pairs]
        plain = (sum(true for true, _ in literal) + sum(not false for _, false in literal)) / (2 * len(literal))
        rows.append([lang, str(len(mine)), f"{caught:.3f}", f"{false:.3f}", f"{plain:.3f}"])
    return table(["Rewritten", "Pairs", "Caught", "False alarms", "Balanced accuracy of a search for the words"], rows)


def held(claim: str, item: Item) -> bool:
    return find_literal(claim, fold(item.material.text)) is not None


def sample(items: Sequence[Item]) -> list[Item]:
    """Return the first so many of each language."""
    counts: Counter[str] = Counter()
    chosen: list[Item] = []
    for item in items:
        counts[item.material.lang] += 1
        if counts[item.material.lang] <= EACH:
            chosen.append(item)
    return chosen


def two_sources(material: Sequence[Material], verifier: Verifier) -> int:
    """Return how many claims made of two sentences of two passages, which cite both, the strict policy sends."""
    english = [passage for passage in material if passage.lang == "en"]
    kept = 0
    for first, second in islice(pairwise(english * 2), TWO_SOURCES):
        sources = group_sources([as_passage(number, passage.text) for number, passage in enumerate((first, second))])
        claim = f"{sentence(first).rstrip('.')}, and {sentence(second).rstrip('.')} [1][2]."
        transducer, gate = MarkerTransducer((1, 2)), Withholding(Citing(sources, verifier))
        sent = "".join(gate.feed(transducer.feed(piece), transducer.marks) for piece in re.findall(r"\s*\S+", claim))
        sent += gate.feed(transducer.finish(), transducer.marks) + gate.finish()
        kept += sent == claim
    return kept


def sentence(passage: Material) -> str:
    start, end = sentence_spans(passage.text, passage.lang)[0]
    return passage.text[start:end].strip()


def costs(material: Sequence[Material], verifier: Verifier) -> str:
    """Return what an answer of so many words with so many sources costs, with verdicts and without."""
    english = [passage for passage in material if passage.lang == "en"][:SOURCES]
    sources = group_sources([as_passage(number, passage.text) for number, passage in enumerate(english)])
    text = answer(english)
    transducer = MarkerTransducer({source.n for source in sources})
    shown = transducer.feed(text) + transducer.finish()
    plain, judged = (cpu_ms(shown, transducer, sources, one) for one in (None, verifier))
    words = sum(len(source.best.text.split()) for source in sources)
    return (
        f"An answer of {len(shown.split())} words in other words than its {len(sources)} sources ({words} words): "
        f"{judged:.1f} ms CPU for claims, quotes and verdicts, {plain:.1f} of them for claims and quotes ({RUNS} runs, the median)."
    )


def answer(passages_: Sequence[Material]) -> str:
    """Return an answer that says sentences of its sources with other words in them."""
    parts: list[str] = []
    turns = ((number, at) for at in range(ANSWER_WORDS) for number in range(len(passages_)))
    while sum(len(part.split()) for part in parts) < ANSWER_WORDS:
        number, at = next(turns)
        passage = passages_[number]
        spans = sentence_spans(passage.text, passage.lang)
        start, end = spans[at % len(spans)]
        parts.append(f"It is said that {passage.text[start:end].strip().rstrip('.')} indeed [{number + 1}].")
    return " ".join(parts)


def as_passage(number: int, text: str) -> Passage:
    name = f"p{number}"
    return Passage(text, DocumentId(name), path=name, version_id=VersionId(name), chunk_id=ChunkId(name), end=len(text), lang="en")


class Found:
    """A retriever that finds the same passages each time."""

    def __init__(self, found: Sequence[Passage]) -> None:
        self.found = Retrieval(tuple(found))

    async def retrieve(self, query: Query) -> Retrieval:
        return self.found


class Ready:
    """A chat model that takes no time: the whole answer lies ready, three words a piece."""

    name = "ready"

    def __init__(self, text: str) -> None:
        self.pieces = re.findall(r"(?:\S+\s*){1,3}", text)

    async def invoke(self, messages: Sequence[ChatMessage]) -> str:
        return "".join(self.pieces)

    async def stream(self, messages: Sequence[ChatMessage]) -> AsyncGenerator[str | ModelUsage, None]:
        for piece in self.pieces:
            yield piece


async def first_tokens(material: Sequence[Material], verifier: Verifier) -> list[str]:
    """Return what comes before the first token, in CPU, under each policy; the model itself takes nothing here."""
    english = [passage for passage in material if passage.lang == "en"][:SOURCES]
    found, text = [as_passage(number, passage.text) for number, passage in enumerate(english)], answer(english)
    taken: dict[Policy, list[float]] = {policy: [] for policy in Policy}
    for _ in range(RUNS):
        for policy, times in taken.items():
            fold.cache_clear()
            figures_of.cache_clear()
            engine = QueryEngine(Found(found), Ready(text), verifier=verifier, policy=policy)
            began = time.process_time()
            async with aclosing(engine.stream("What is said of it?")) as events:
                async for event in events:
                    if isinstance(event, TokenChunk):
                        break
            times.append((time.process_time() - began) * 1000)
    medians = {policy: sorted(times)[RUNS // 2] for policy, times in taken.items()}
    more = medians[Policy.STRICT] - medians[Policy.OFF]
    return [
        "CPU from sources to first token, of a model that takes no time itself: "
        + ", ".join(f"{medians[policy]:.1f} ms under `{policy}`" for policy in (Policy.OFF, Policy.FLAG, Policy.STRICT))
        + f". Under `flag` verdicts come after the text. Under `strict` the first claim is judged first: {more:.1f} ms, "
        f"{100 * more / (more + LEAST_WAIT_MS):.1f}% of the wait where search and model take {LEAST_WAIT_MS} ms.",
    ]


def cpu_ms(text: str, transducer: MarkerTransducer, sources: Sequence[Source], verifier: Verifier | None) -> float:
    times: list[float] = []
    for _ in range(RUNS):
        fold.cache_clear()
        figures_of.cache_clear()
        began = time.process_time()
        cite(text, transducer.marks, sources, lang="en", verifier=verifier)
        times.append((time.process_time() - began) * 1000)
    return sorted(times)[RUNS // 2]


if __name__ == "__main__":
    main()
