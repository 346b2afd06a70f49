"""Span integrity: every quote of an answer stands literally at its offsets, and its boxes lie on its words.

`python bench/spans.py [--corpus-only]`: over the files of `../shared/corpus`, files in other scripts, pages that are turned,
columns, scans whose print is known, texts with emoji; and over 500 answers on SciFact.
"""

import asyncio
import json
import math
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any, cast

import pypdfium2
from manifest import rows_of_manifest
from report import keep, need_shared, table
from reportlab.pdfgen.canvas import Canvas
from span_checks import NEAR, NEAR_OCR, Found, LooseModel, Print, integrity

from pincite import Pincite
from pincite.answering.engine import QueryEngine
from pincite.answering.exchange import Ask
from pincite.answering.extractive import ExtractiveChatModel
from pincite.bootstrap import evaluator
from pincite.core.documents import Document
from pincite.core.ids import VersionId
from pincite.core.ports.models import ChatModel
from pincite.evaluation.datasets import load_dataset
from pincite.settings import load_settings

ANSWERS = 500
KINDS = {".pdf", ".docx", ".pptx", ".html", ".md", ".txt", ".eml", ".csv", ".epub", ".msg", ".xlsx", ".json", ".xml", ".png"}
NEAR_BAR, NEAR_BAR_OCR = 2.0, 6.0
SCRIPTS = Path(__file__).parent.parent / "tests" / "data" / "parsing" / "scripts"
SCANNED = (("fake-memo.pdf", 1), ("multi_page.pdf", 2), ("REPAIR-2022-INV-001_multipage.pdf", 1))
PLAIN = [
    "The mill was built in 1841 by the brothers Hale on the east bank of the river.",
    "Its wheel drove four pairs of stones, and the rent was 4,125 pounds a year.",
    "The lease ends on the last day of March unless either party gives notice in writing.",
    "Whoever takes the mill keeps the weir in repair and pays the toll of the bridge.",
    "In the flood of 1902 the wheel was lost, and the stones were sold to a mill in Leeds.",
]
EMOJI = """# Party 🎉

The party 🎉 starts at 19:30 in the 𝔊reat 𝔥all. A 👩‍👩‍👧 family of four brings 3 🍰.

Cafe\u0301 and naïve 𝟙𝟚 words end it 🏁."""


async def main() -> None:
    lines = await over_files()
    if "--corpus-only" not in sys.argv:
        lines += ["", *await over_abstracts()]
    keep("spans", lines)


async def over_files() -> list[str]:
    """Return a table of quotes by kind of file, and what is wrong with any."""
    with tempfile.TemporaryDirectory(prefix="pincite-spans-") as folder:
        made = Path(folder) / "made"
        made.mkdir()
        write(made)
        prints = dict(scan(need_shared("corpus", name), number, made, turn) for name, number in SCANNED for turn in (0, 90))
        rows = [row for row in rows_of_manifest(KINDS) if row["expected"] == "ready"]
        files = [*(need_shared("corpus", row["file"]) for row in rows), *sorted(SCRIPTS.glob("*.pdf")), *sorted(made.iterdir())]
        kinds: dict[str, Found] = defaultdict(Found)
        async with Pincite(settings=load_settings({}, home=f"{folder}/home", embedding="none")) as client:
            added = await client.add(*files)
            sources = {item.document_id: Path(item.source) for item in added}
            boxes = await over_manifest(client, rows, {path.name: item for item, path in sources.items()})
            for model in (None, LooseModel()):
                await ask_all(f"{folder}/home", model, sources, prints, kinds)
    header = ["Files", "Answers", "Quotes", "Literal", "Frozen as shown", "On their pages", "Spans with boxes", "Boxes on the page"]
    header += ["Letters in boxes", "Letters beside"]
    total = Found()
    for found in kinds.values():
        total.add(found)
    shown = [row_of(name, found) for name, found in [*sorted(kinds.items()), ("all", total)]]
    faults = [f"- {name}: {fault}" for name, found in sorted(kinds.items()) for fault in dict.fromkeys(found.faults)]
    return [*table(header, shown), "", *boxes, "", *(["Wrong:", "", *faults] if faults else ["Nothing is wrong with any."])]


async def ask_all(
    home: str, model: ChatModel | None, sources: dict[Any, Path], prints: dict[str, Print], kinds: dict[str, Found]
) -> None:
    async with Pincite(settings=load_settings({}, home=home, embedding="none"), llm=model) as client:
        for document in await client.documents():
            path = sources.get(document.id)
            if path is None or document.version_id is None:
                continue
            is_scan = path.name in prints or bool(document.pages_ocr)
            printed = prints.get(path.name) or (Print(path) if path.suffix == ".pdf" and not is_scan else None)
            near = NEAR_OCR if is_scan else NEAR
            kinds[kind_of(path, document)].add(await integrity(client, document, printed, near=near))


def kind_of(path: Path, document: Document) -> str:
    """Return the row of the table that a file counts for."""
    if path.parent.name == "made":
        return f"made: {path.stem}"
    if path.parent == SCRIPTS:
        return f"script: {path.stem.partition('-')[2]}"
    return "scans and images of the corpus" if document.pages_ocr else path.suffix.removeprefix(".")


def row_of(name: str, found: Found) -> list[str]:
    return [
        name,
        str(found.answers),
        str(found.quotes),
        share(found.literal, found.quotes),
        share(found.frozen, found.quotes),
        share(found.placed, found.quotes),
        f"{found.boxed} of {found.spans}",
        share(found.on_page, found.boxed),
        share(found.covered, found.letters),
        share(found.beside, found.beside + found.covered),
    ]


def share(good: int, every: int) -> str:
    return f"{good / every:.4f}" if every else "–"


def write(folder: Path) -> None:
    """Write files with what the corpus lacks."""
    for turn in (0, 90, 180, 270):
        turned(folder / f"turned-{turn}.pdf", turn)
    columns(folder / "columns.pdf")
    (folder / "emoji.md").write_text(EMOJI, encoding="utf-8")
    (folder / "emoji.html").write_text(f"<h1>Party</h1><p>{EMOJI.replace('# ', '')}</p>", encoding="utf-8")


def turned(target: Path, turn: int) -> None:
    """Write a page that is shown turned, its text upright as shown."""
    canvas = Canvas(str(target), pagesize=(595.2, 841.9), invariant=1)
    canvas.setPageRotation(turn)
    width, height = (841.9, 595.2) if turn % 180 else (595.2, 841.9)
    canvas.translate(*{0: (0, 0), 90: (width, 0), 180: (width, height), 270: (0, height)}[turn])
    canvas.rotate(turn)
    for line, text in enumerate(PLAIN * 3):
        canvas.drawString(72, 760 - 24 * line, text)
    canvas.save()


def columns(target: Path) -> None:
    """Write two columns that are drawn line by line across both."""
    canvas = Canvas(str(target), pagesize=(595.2, 841.9), invariant=1)
    canvas.setFontSize(10)
    words = " ".join(PLAIN * 4).split()
    lines = [" ".join(words[at : at + 6]) for at in range(0, len(words), 6)]
    half = len(lines) // 2
    for row, (left, right) in enumerate(zip(lines[:half], lines[half:], strict=False)):
        canvas.drawString(60, 780 - 14 * row, left)
        canvas.drawString(320, 780 - 14 * row, right)
    canvas.save()


def scan(path: Path, number: int, folder: Path, turn: int) -> tuple[str, Print]:
    """Write a picture of a page at 200 dots an inch, shown upright; return the file's name, and the print of the page."""
    target = folder / f"scan-{path.stem}-{turn}.pdf"
    alone = folder.parent / f"{target.stem}-print.pdf"
    document, single = cast("Any", pypdfium2.PdfDocument(path)), cast("Any", pypdfium2.PdfDocument.new())
    single.import_pages(document, [number - 1])
    single.save(alone)
    page = document[number - 1]
    image = page.render(scale=200 / 72).to_pil().convert("L")
    width, height = page.get_size()
    document.close()
    single.close()
    canvas = Canvas(str(target), pagesize=(width, height), invariant=1)
    canvas.setPageRotation(turn)
    if turn:
        canvas.translate(height, 0)
        canvas.rotate(turn)
    cast("Any", canvas).drawInlineImage(image, 0, 0, width, height)
    canvas.save()
    return target.name, Print(alone)


async def over_manifest(client: Pincite, rows: list[dict[str, Any]], ids: dict[str, Any]) -> list[str]:
    """Return how far boxes of known phrases lie from where they are known to stand."""
    found: list[tuple[float, bool, str]] = []
    for row in rows:
        facts = row["facts"]
        if not facts.get("boxes_first4words"):
            continue
        document = await client.document(ids[row["file"]])
        places = await client.find(document.id, " ".join(facts["phrase"].split()[:4]))
        spans = [span for place in places for span in place.spans if span.page == facts.get("page")]
        near = min(
            (distance([box.as_list() for box in span.boxes], facts["boxes_first4words"]) for span in spans), default=math.inf
        )
        found.append((near, bool(document.pages_ocr), row["file"]))
    within = sum(near <= (NEAR_BAR_OCR if is_ocr else NEAR_BAR) for near, is_ocr, _ in found)
    worst = max(found, default=(0.0, False, ""))
    bars = f"{NEAR_BAR:.0f} points ({NEAR_BAR_OCR:.0f} where OCR read the page)"
    return [f"Rows of the manifest with boxes: {within} of {len(found)} within {bars}; the farthest {worst[0]:.2f} (`{worst[2]}`)."]


def distance(found: list[list[float]], known: list[list[float]]) -> float:
    """Return how far the edges of boxes lie apart at most; without end when there are more of one than of the other."""
    if len(found) != len(known):
        return math.inf
    return max(abs(a - b) for left, right in zip(found, known, strict=True) for a, b in zip(left, right, strict=True))


def abstract_questions() -> list[str]:
    found: dict[str, None] = {}
    for name in ("scifact", "scifact-verify"):
        for line in need_shared("evals", name, "dev", "queries.jsonl").read_text(encoding="utf-8").splitlines():
            found[json.loads(line)["text"]] = None
    return list(found)[:ANSWERS]


async def over_abstracts() -> list[str]:
    """Return what becomes of quotes over 500 answers on SciFact."""
    folder = need_shared("evals", "scifact")
    dataset = load_dataset(folder / "corpus.jsonl", folder / "dev" / "queries.jsonl", folder / "dev" / "qrels.tsv")
    runner = evaluator(load_settings())
    answers = answered = quotes = literal = claims = cited = 0
    async with runner.open_bench() as bench:
        collection = await runner.load(bench, dataset, on_progress=lambda text: None)
        engine = QueryEngine(bench.retriever, ExtractiveChatModel(runner.embedding))
        texts: dict[VersionId, str] = {}
        for question in abstract_questions():
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
    return [
        f"SciFact: answers {answers}, answered {answered}, claims {claims}, with a citation {cited};",
        f"quotes {quotes}, literal at their offsets {literal}: {literal / max(quotes, 1):.3f} (bar 1.000).",
    ]


if __name__ == "__main__":
    asyncio.run(main())
