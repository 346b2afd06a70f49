"""Quality of lexical search alone, on the development halves: nDCG@10 and recall@10 of the index as it is built.

`python bench/lexical.py [SET …]` with sets `scifact`, `tatqa`, `hop-hotpot`, `hop-musique`, `hop-2wiki`, `xquad`; needs
`../shared/evals` beside the repository.
"""

import asyncio
import json
import math
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pincite.adapters.index.lexical import TantivyIndex
from pincite.core.ids import ChunkId, CollectionId, DocumentId, WorkspaceId
from pincite.core.ports.changes import Change, LogState
from pincite.core.ports.index import IndexSpace

EVALS = Path(__file__).resolve().parents[2] / "shared" / "evals"
SETS = ("scifact", "tatqa", "hop-hotpot", "hop-musique", "hop-2wiki", "xquad")
SPACE = IndexSpace(WorkspaceId("bench"), CollectionId("bench"))
CUT = 10


@dataclass(frozen=True)
class Passages:
    """A corpus as a change log."""

    rows: Sequence[Change]

    async def state(self, space: IndexSpace) -> LogState:
        return LogState(len(self.rows), 0)

    async def read(self, space: IndexSpace, *, after: int, limit: int) -> Sequence[Change]:
        return self.rows[after : after + limit]


def read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def read_relevance(path: Path) -> Mapping[str, Mapping[str, float]]:
    relevance: dict[str, dict[str, float]] = defaultdict(dict)
    for line in path.read_text(encoding="utf-8").splitlines()[1:]:
        query, passage, score = line.split("\t")
        if float(score) > 0:
            relevance[query][passage] = float(score)
    return relevance


def ndcg(found: Sequence[str], relevant: Mapping[str, float]) -> float:
    """Järvelin and Kekäläinen 2002, with the gain itself in the numerator, as BEIR computes it."""
    gain = sum(relevant.get(passage, 0) / math.log2(rank + 2) for rank, passage in enumerate(found[:CUT]))
    best = sum(score / math.log2(rank + 2) for rank, score in enumerate(sorted(relevant.values(), reverse=True)[:CUT]))
    return gain / best


async def measure(name: str, passages: Iterable[dict[str, Any]], questions: Sequence[dict[str, Any]]) -> None:
    relevance = read_relevance(EVALS / name.split()[0] / "dev" / "qrels.tsv")
    log = Passages(
        [
            Change(seq, ChunkId(row["id"]), DocumentId(row["id"]), title=row["title"], text=row["text"])
            for seq, row in enumerate(passages, 1)
        ]
    )
    asked = [question for question in questions if question["id"] in relevance]
    gains: list[float] = []
    recalls: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        index = TantivyIndex(Path(folder), log)
        started = time.process_time()
        await index.search(SPACE, "warm", limit=1)
        indexed = time.process_time()
        for question in asked:
            result = await index.search(SPACE, question["text"], limit=CUT)
            found = [hit.chunk_id for hit in result.hits]
            relevant = relevance[question["id"]]
            gains.append(ndcg(found, relevant))
            recalls.append(sum(passage in relevant for passage in found) / len(relevant))
        searched = time.process_time()
    count = max(1, len(asked))
    print(
        f"{name:12} {len(log.rows):6} passages {count:5} questions"
        f"  nDCG@10 {sum(gains) / count:.4f}  R@10 {sum(recalls) / count:.4f}"
        f"  {(indexed - started) / len(log.rows) * 1e6:5.0f} µs a passage"
        f"  {(searched - indexed) / count * 1e3:.2f} ms CPU a question",
        flush=True,
    )


async def main(names: Sequence[str]) -> None:
    for name in names:
        passages = read_lines(EVALS / name / "corpus.jsonl")
        questions = read_lines(EVALS / name / "dev" / "queries.jsonl")
        if "lang" not in passages[0]:
            await measure(name, passages, questions)
            continue
        for lang in dict.fromkeys(row["lang"] for row in passages):
            mine = [row for row in passages if row["lang"] == lang]
            await measure(f"{name} {lang}", mine, [question for question in questions if question["lang"] == lang])
        await measure(f"{name} all", passages, questions[::6])


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:] or SETS))
