"""Compare the likeliest sentences of questions as the extractive model does, then have the weights of its choice made.

    make choice

Reads the development halves of `../shared/evals`: sentences that people chose (HotpotQA, CLAP NQ), looked for in the whole corpus
and in the right passages alone, and sentences that hold the answer (XQuAD, in twelve languages and across languages).
`bench/peers/choice.py`, which needs scikit-learn, does the rest. Vectors are cached under PINCITE_HOME.
"""

import asyncio
import json
import random
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from report import need_shared
from verifier_data import rows

from pincite.answering.choice import features
from pincite.answering.extractive import ExtractiveChatModel
from pincite.answering.naming import named_sources
from pincite.answering.selection import MAX_SENTENCES, MIN_SHARE_OF_BEST, Candidate, linked, nearer, select
from pincite.answering.sources import group_sources
from pincite.bootstrap import evaluator
from pincite.core.evidence import Filter, Query
from pincite.evaluation.datasets import Dataset, Question, Sentence, load_dataset, load_gold
from pincite.evaluation.quotes import GIVEN, WHOLE, right_passages, touched
from pincite.evaluation.runs import Bench, Evaluator
from pincite.language.sentences import sentence_spans
from pincite.settings import load_settings

ROOT = Path(__file__).parent.parent
CHOSEN = ("hop-hotpot", "clapnq")
EACH_LANGUAGE = 50
EACH_PAIR = 15
MOST_HOLDERS = 2
"""An answer that more sentences of its paragraph hold doesn't tell which of them answers."""
SEED = 7

Spans = dict[str, Sequence[tuple[int, int]]]


def main(python: str) -> None:
    """Write what is known of each sentence to a scratch file, and have the weights fitted by an interpreter with scikit-learn."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sentences.jsonl"
        path.write_text("\n".join(asyncio.run(collect())), encoding="utf-8")
        subprocess.run([python, str(ROOT / "bench/peers/choice.py"), str(path)], check=True)


async def collect() -> list[str]:
    """Return the rule of the choice, then a line per question."""
    bench = evaluator(load_settings())
    if bench.embedding is None:
        sys.exit("Without an embedding model there is nothing to train on.")
    told = {"model": bench.embedding.spec.name, "most": MAX_SENTENCES, "share": MIN_SHARE_OF_BEST}
    return [json.dumps(told), *[json.dumps(row) async for row in every_row(bench)]]


async def every_row(bench: Evaluator) -> AsyncIterator[dict[str, Any]]:
    """Yield what is known of each question."""
    for name in CHOSEN:
        folder = need_shared("evals", name)
        gold = load_gold(folder / "corpus.jsonl", folder / "dev/queries.jsonl", folder / "dev/qrels.tsv")
        async with bench.open_bench() as opened:
            asked = Asked(bench, opened, await bench.load(opened, gold.dataset, on_progress=print), dict(gold.spans))
            for question in gold.dataset.questions:
                right = await right_passages(opened, asked.collection, question)
                wanted = {sentence for way in gold.gold[question.id] for sentence in way}
                for way, narrowed in ((WHOLE, Filter()), (GIVEN, right)):
                    yield await asked.row(name, way, question, wanted, next(iter(question.relevant)), narrowed=narrowed)
    async for row in xquad(bench):
        yield row


async def xquad(bench: Evaluator) -> AsyncIterator[dict[str, Any]]:
    """Yield questions to passages of their own language, and to those of another one."""
    folder = need_shared("evals", "xquad")
    whole = load_dataset(folder / "corpus.jsonl", folder / "dev/queries.jsonl", folder / "dev/qrels.tsv", by_field="lang")
    answers = {row["id"]: row["answers"] for row in rows(folder / "dev/queries.jsonl")}
    parts = whole.groups()
    for lang, part in parts.items():
        spans: Spans = {entry.id: sentence_spans(entry.text, lang) for entry in part.entries}
        texts = {entry.id: entry.text for entry in part.entries}
        async with bench.open_bench() as opened:
            asked = Asked(bench, opened, await bench.load(opened, part, name=lang, on_progress=print), spans)
            others = [code for code in parts if code != "en"] if lang == "en" else ["en"]
            for other, count in ((lang, EACH_LANGUAGE), *((code, EACH_PAIR) for code in others)):
                for question in drawn(parts[other], count, f"{other} {lang}"):
                    number = next(iter(question.relevant)).split("-", 1)[1]
                    twin = f"{lang}-{question.id.split('-', 1)[1]}"
                    place = f"{lang}-{number}"
                    wanted = holders(place, texts[place], spans[place], answers.get(twin, ()))
                    if 0 < len(wanted) <= MOST_HOLDERS:
                        yield await asked.row("xquad", "own language" if other == lang else "across", question, wanted, number)


def drawn(part: Dataset, count: int, seed: str) -> list[Question]:
    """Return some questions, the same each time."""
    return random.Random(f"{SEED} {seed}").sample(part.questions, count)


def holders(place: str, text: str, spans: Sequence[tuple[int, int]], answers: Sequence[str]) -> set[Sentence]:
    """Return the sentences that hold an answer."""
    folded = [answer.casefold() for answer in answers]
    return {(place, at) for at, (start, end) in enumerate(spans) if any(found in text[start:end].casefold() for found in folded)}


@dataclass(frozen=True)
class Asked:
    """A corpus that questions are put to, with where the sentences of its passages stand."""

    bench: Evaluator
    opened: Bench
    collection: Any
    spans: Spans

    async def row(
        self, name: str, way: str, question: Question, gold: set[Sentence], group: str, *, narrowed: Filter | None = None
    ) -> dict[str, Any]:
        """Return the features of the sentences that are compared, and what is quoted without weights."""
        query = Query(question.text, (self.collection.id,), narrowed or Filter(), history=question.history)
        found: Any = await self.opened.retriever.retrieve(query)
        sources = named_sources(question.text, group_sources([one for one in found.passages if one.text.strip()]))
        short = await ExtractiveChatModel(self.bench.embedding).short_list(question.text, sources)
        row: dict[str, Any] = {"set": name, "way": way, "group": f"{name} {group}", "gold": sorted(gold), "line": []}
        if short is None or not short.vectors:
            return row | {"line": self._touched(select(short.found)) if short else []}
        told = features(question.text, short.found, short.asked, short.vectors)
        line = select(linked(question.text, nearer(short.found, short.cosines)))
        return row | {
            "features": {key: values.tolist() for key, values in told.items()},
            "sentences": [self._touched([candidate]) for candidate in short.found],
            "line": self._touched(line),
        }

    def _touched(self, found: Sequence[Candidate]) -> list[Sentence]:
        return [
            (passage.path, at)
            for passage, segment in ((candidate.passage, candidate.segment) for candidate in found)
            for at in touched((passage.start + segment.start, passage.start + segment.end), self.spans[passage.path])
        ]


if __name__ == "__main__":
    main(sys.argv[1])
