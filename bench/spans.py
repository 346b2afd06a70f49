"""Span integrity: over 500 answers on SciFact, every quote is a literal run of canonical text at its offsets."""

import asyncio
import json
import sys

from report import keep, need_shared

from pincite.answering.engine import QueryEngine
from pincite.answering.exchange import Ask
from pincite.answering.extractive import ExtractiveChatModel
from pincite.bootstrap import evaluator
from pincite.core.ids import VersionId
from pincite.evaluation.datasets import load_dataset
from pincite.settings import load_settings

ANSWERS = 500


def questions() -> list[str]:
    found: dict[str, None] = {}
    for name in ("scifact", "scifact-verify"):
        for line in need_shared("evals", name, "dev", "queries.jsonl").read_text(encoding="utf-8").splitlines():
            found[json.loads(line)["text"]] = None
    return list(found)[:ANSWERS]


async def main() -> None:
    folder = need_shared("evals", "scifact")
    dataset = load_dataset(folder / "corpus.jsonl", folder / "dev" / "queries.jsonl", folder / "dev" / "qrels.tsv")
    runner = evaluator(load_settings())
    answers = answered = quotes = literal = claims = cited = 0
    async with runner.open_bench() as bench:
        collection = await runner.load(bench, dataset, on_progress=lambda text: None)
        engine = QueryEngine(bench.retriever, ExtractiveChatModel(runner.embedding))
        texts: dict[VersionId, str] = {}
        for question in questions():
            answer = await engine.ask(Ask(question, (collection.id,)))
            answers += 1
            answered += answer.answered
            claims += len(answer.claims)
            cited += sum(bool(claim.citations) for claim in answer.claims)
            for citation in answer.citations:
                if citation.version_id not in texts:
                    async with bench.store.open(bench.workspace_id) as work:
                        canonical = await work.versions.canonical(citation.version_id)
                    texts[citation.version_id] = canonical.text if canonical else ""
                for quote in citation.quotes:
                    quotes += 1
                    good = texts[citation.version_id][quote.start : quote.end] == quote.text != ""
                    literal += good
                    if not good:
                        print("NOT LITERAL", question, quote, file=sys.stderr)
    keep(
        "spans",
        [
            f"answers {answers}, answered {answered}, claims {claims}, with a citation {cited}",
            f"quotes {quotes}, literal at their offsets {literal}: {literal / max(quotes, 1):.3f} (bar 1.000)",
        ],
    )


asyncio.run(main())
