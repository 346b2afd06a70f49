"""What summaries change in retrieval, on documents of several passages. Run by `.venv/bin/python bench/summaries.py`.

Passages of the dev halves of `../shared/evals` are put together into the documents that they come from (mtrag-un), or into the sets
in which their questions were published (hop-hotpot, hop-musique). SummEdits gives questions about whole documents: its correct
summaries, each of which says what one conversation or abstract is about, asked of all documents in small chunks.
Summaries are extractive: no model is asked. `--rules` compares ways in which a summary that was found counts for its passages.
Last, a sentence is put into real texts: how many of their summaries are written anew.
"""

import asyncio
import json
import re
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

from report import keep, need_shared, table

from pincite import Pincite
from pincite.answering.summarising import ExtractiveSummariser
from pincite.bootstrap import evaluator
from pincite.core.documents import Block, BlockRole, CanonicalText, Chunk, Collection, Document, Stage, Version
from pincite.core.evidence import Query
from pincite.core.ids import ChunkId, CollectionId, DocumentId, VersionId, new_id
from pincite.core.ports.models import EmbeddingModel
from pincite.evaluation.metrics import mean, recall, reciprocal_rank
from pincite.evaluation.runs import Bench
from pincite.ingest.summarising import Summaries
from pincite.language.sentences import sentence_spans
from pincite.retrieval.searcher import Searcher
from pincite.retrieval.summaries import SummaryRule
from pincite.settings import load_settings

TOGETHER = {"hop-hotpot": 10, "hop-musique": 18}
"""Passages of one document, of sets whose passages have no document."""
SMALL_CHARACTERS = 400
"""Chunks of SummEdits: so small that no chunk tells of the whole."""
DEPTH = 40
DOCS = Path(__file__).parent.parent / "docs"
EDITED = ["norwich-city.txt", "formats.md", "http.md", "performance.md"]
"""A text of the corpus, and pages of our own documentation."""
RULES = {
    "off": None,
    "beside": SummaryRule(members=0),
    **{
        f"lift {lift}, {members} passages{', stays' if stays else ''}": SummaryRule(lift, members, stays)
        for lift in (0.8, 0.9, 1.0)
        for members in (1, 2, 3)
        for stays in (True, False)
    },
}


@dataclass(frozen=True)
class Asked:
    text: str
    relevant: Mapping[str, int]


@dataclass(frozen=True)
class Part:
    """A set: documents by name, each with its passages (name, title, text), and questions about passages or documents."""

    name: str
    documents: Mapping[str, Sequence[tuple[str, str, str]]]
    passages: Sequence[Asked] = ()
    whole: Sequence[Asked] = ()


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def relevant(folder: Path) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = defaultdict(dict)
    for line in (folder / "dev" / "qrels.tsv").read_text("utf-8").splitlines():
        query, passage, score = line.split("\t")
        if score.isdigit() and int(score):
            found[query][passage] = int(score)
    return found


def documents_of(name: str) -> dict[str, list[tuple[str, str, str]]]:
    found: dict[str, list[tuple[tuple[int, int], dict[str, Any]]]] = defaultdict(list)
    for number, row in enumerate(rows(need_shared("evals", name) / "corpus.jsonl")):
        place, document = (number, 0), str(number // TOGETHER.get(name, 1))
        if name == "mtrag-un":
            document = row["id"].rsplit("-", 2)[0].split("_")[0] if row["id"].startswith("clapnq") else row["id"].rsplit("-", 2)[0]
            numbers = [int(each) for each in re.findall(r"\d+", row["id"].rpartition("_")[2])]
            place = (numbers[0] if numbers else 0, number)
        found[document].append((place, row))
    return {
        document: [(row["id"], row.get("title", ""), row["text"]) for _, row in sorted(parts, key=lambda part: part[0])]
        for document, parts in found.items()
    }


def by_passage(name: str) -> Part:
    folder = need_shared("evals", name)
    gold = relevant(folder)
    asked = [Asked(row["text"], gold[row["id"]]) for row in rows(folder / "dev" / "queries.jsonl") if gold.get(row["id"])]
    return Part(name, documents_of(name), passages=asked)


def by_document() -> Part:
    folder = need_shared("evals", "summedits")
    gold = relevant(folder)
    documents = {row["id"]: [(row["id"], "", text) for text in small(row["text"])] for row in rows(folder / "corpus.jsonl")}
    questions = [row for row in rows(folder / "dev" / "queries.jsonl") if row["binary"] == "supported"]
    asked = [Asked(row["text"], gold[row["id"]]) for row in questions if gold.get(row["id"])]
    # Others of which none is asked for stand around them.
    return Part("summedits", documents | documents_of("mtrag-un"), whole=asked)


def small(text: str) -> Iterator[str]:
    start = end = 0
    for first, last in sentence_spans(text):
        if last - start > SMALL_CHARACTERS and end > start:
            yield text[start:end]
            start = first
        end = last
    yield text[start:]


class Filled:
    """A store with one part's documents, a chunk for each passage."""

    def __init__(self, bench: Bench, embedding: EmbeddingModel, part: Part) -> None:
        self.bench, self.embedding, self.part = bench, embedding, part
        spec, now = embedding.spec, datetime.now(UTC)
        self.collection = Collection(CollectionId(new_id()), bench.workspace_id, "bench", spec, now)
        self.names: dict[ChunkId, str] = {}
        self.documents: dict[DocumentId, str] = {}

    async def fill(self) -> None:
        async with self.bench.store.open(self.bench.workspace_id) as work:
            await work.collections.add(self.collection)
            await work.commit()
        waiting = iter(self.part.documents.items())
        while batch := list(islice(waiting, 50)):
            made = [self._document(name, passages) for name, passages in batch]
            chunks = [chunk for _, _, _, cut in made for chunk in cut]
            vectors = await self.embedding.embed_passages([chunk.index_text for chunk in chunks])
            known = dict(zip((chunk.id for chunk in chunks), vectors, strict=True))
            async with self.bench.store.open(self.bench.workspace_id) as work:
                for document, version, canonical, cut in made:
                    await work.documents.save(document)
                    await work.versions.add(version, canonical)
                    own = {chunk.id: known[chunk.id] for chunk in cut}
                    await work.chunks.publish(document, cut, own, model_id=self.embedding.spec.model_id)
                await work.commit()

    def _document(
        self, name: str, passages: Sequence[tuple[str, str, str]]
    ) -> tuple[Document, Version, CanonicalText, list[Chunk]]:
        now, document_id, version_id = datetime.now(UTC), DocumentId(new_id()), VersionId(new_id())
        self.documents[document_id] = name
        text, chunks = "", list[Chunk]()
        counts = self.embedding.count_tokens([passage for _, _, passage in passages])
        for index, ((passage, title, said), tokens) in enumerate(zip(passages, counts, strict=True)):
            headings = (title,) if title else ()
            chunk_id = ChunkId(new_id())
            start = len(text)
            chunks.append(
                Chunk(chunk_id, document_id, version_id, index, "", headings, said, start, start + len(said), tokens, lang="en")
            )
            self.names[chunk_id] = passage
            text += said + "\n\n"
        canonical = CanonicalText(text, (Block(BlockRole.BODY, 0, len(text)),))
        version = Version(version_id, document_id, "", len(text), "text/plain", "bench", "1", now)
        document = Document(
            document_id, self.collection.id, name, "", "text/plain", name, Stage.READY, now, now, version_id, chunks=len(chunks)
        )
        return document, version, canonical, chunks

    async def summarise(self) -> int:
        made = Summaries(self.bench.store, ExtractiveSummariser(), lambda _: self.embedding, self.bench.workspace_id)
        collection = await made.switch(self.collection.id, True, is_queued=False)
        runs = await made.make_waiting(collection)
        if failed := [run for run in runs if run.reason]:
            print(len(failed), "failed:", failed[0].reason, file=sys.stderr)
        return sum(run.done for run in runs)

    async def ask(self, rule: SummaryRule | None) -> list[float]:
        searcher = self.bench.retriever
        assert isinstance(searcher, Searcher)
        searcher = replace(searcher, rule=rule) if rule else searcher
        figures: list[list[float]] = []
        for asked in (*self.part.passages, *self.part.whole):
            found = await searcher.retrieve(Query(asked.text, (self.collection.id,), limit=DEPTH))
            if self.part.whole:
                names = list(dict.fromkeys(self.documents[passage.document_id] for passage in found.passages))
                figures.append(
                    [recall(names, asked.relevant, 1), recall(names, asked.relevant, 3), reciprocal_rank(names, asked.relevant)]
                )
            else:
                # A summary takes a place of the ten, and finds nothing itself.
                names = [self.names.get(passage.chunk_id, "") or passage.chunk_id for passage in found.passages]
                figures.append(
                    [recall(names, asked.relevant, 5), recall(names, asked.relevant, 10), reciprocal_rank(names, asked.relevant)]
                )
        return [mean([each[at] for each in figures]) for at in range(3)]


async def measure(part: Part, rules: Mapping[str, SummaryRule | None]) -> list[list[str]]:
    bench = evaluator(load_settings())
    assert bench.embedding is not None
    found: list[list[str]] = []
    async with bench.open_bench() as opened:
        filled = Filled(opened, bench.embedding, part)
        await filled.fill()
        total = len(part.passages) + len(part.whole)
        measured = {"off": await filled.ask(None)}
        made = await filled.summarise()
        for name, rule in rules.items():
            if rule:
                measured[name] = await filled.ask(rule)
        for name, figures in measured.items():
            shown = [f"{figure:.3f}" for figure in figures]
            found.append([part.name, str(total), str(len(part.documents)), str(made) if name != "off" else "0", name, *shown])
            print(" ".join(found[-1]), file=sys.stderr)
    return found


async def after_edits() -> list[list[str]]:
    found: list[list[str]] = []
    with tempfile.TemporaryDirectory(prefix="pincite-summaries-") as home:
        async with Pincite(settings=load_settings(home=home)) as client:
            await client.use_summaries(True)
            for name in EDITED:
                text = read(DOCS / name if (DOCS / name).exists() else need_shared("corpus", name))
                await client.add_text(text, path=name)
                before = await keys_of(client, name)
                for share in (10, 50, 90):
                    at = text.find("\n\n", len(text) * share // 100)
                    changed = f"{text[:at]}\n\nThis sentence was put in between by the bench.{text[at:]}"
                    await client.add_text(changed, path=name)
                    after = await keys_of(client, name)
                    found.append([name, str(len(before)), f"{share}%", str(len(after - before))])
                    await client.add_text(text, path=name)
    return found


def read(path: Path) -> str:
    return path.read_text("utf-8", errors="replace")


async def keys_of(client: Pincite, name: str) -> set[str]:
    document = await client.document(name)
    async with client.services.store.open(client.services.workspace_id) as work:
        return {each.key for each in await work.summaries.of_document(document.id)}


async def main() -> None:
    rules = RULES if "--rules" in sys.argv else {"on": SummaryRule()}
    parts = [by_passage(name) for name in ("mtrag-un", "hop-hotpot", "hop-musique")]
    by_passages = [row for part in parts for row in await measure(part, rules)]
    by_documents = await measure(by_document(), rules)
    header = ["set", "questions", "documents", "summaries", "rule"]
    shown = table([*header, "R@5", "R@10", "MRR"], by_passages)
    shown += ["", *table([*header, "right document first", "among three", "MRR"], by_documents)]
    shown += ["", *table(["text", "summaries", "a sentence put in at", "written anew"], await after_edits())]
    keep("summaries-rules" if "--rules" in sys.argv else "summaries", shown)


asyncio.run(main())
