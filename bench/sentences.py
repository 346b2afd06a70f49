"""Sentences that cross a page, in PDFs of random layout whose truth is known: how many are one run with right boxes.

python bench/sentences.py [FIRST_SEED LAST_SEED]
"""

import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from crossing.cases import forty
from crossing.check import faults
from crossing.made import Made, make
from report import keep, table

from pincite.adapters.parsers.pdf import read_pdf
from pincite.adapters.parsers.pdf_boxes import pdf_boxes
from pincite.core.documents import Box, CanonicalText, PageSpan
from pincite.language.sentences import sentence_spans
from pincite.retrieval.locator import merge_lines

SEEDS = range(1000, 1400)


def quote_of(made: Made, path: str) -> dict[str, Any]:
    """Return the sentence in the form of a quote; an empty one where it is not one sentence of one block."""
    canonical = read_pdf(path, max_pages=100, max_chars=1_000_000).canonical
    for block in canonical.blocks:
        text = canonical.text[block.start : block.end]
        for start, end in sentence_spans(text, made.design.lang):
            if " ".join(text[start:end].split()) == made.sentence:
                spans = canonical.page_spans(block.start + start, block.start + end)
                return {"text": text[start:end], "spans": [shown(canonical, span, path) for span in spans]}
    return {"text": "", "spans": []}


def shown(canonical: CanonicalText, span: PageSpan, path: str) -> dict[str, Any]:
    runs = [(run.page, run.index, run.count) for run in canonical.runs_within(span.start, span.end)]
    boxes = merge_lines([Box(*rect) for group in pdf_boxes(path, runs) for rect in group])
    return {"page": span.page, "page_label": span.label, "bates": span.bates, "boxes": [box.as_list() for box in boxes]}


def score(documents: list[Made]) -> list[str]:
    kinds: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for made in documents:
            path = Path(folder) / made.name
            path.write_bytes(made.data)
            wrong = [fault.partition(" ")[0].rstrip(":") for fault in faults(made, quote_of(made, str(path)))]
            # A label or Bates number alone that is wrong leaves the quote right.
            kinds[
                next((kind for kind in ("text", "words", "pages", "boxes") if kind in wrong), wrong[0] if wrong else "right")
            ] += 1
    good = sum(count for kind, count in kinds.items() if kind not in {"text", "words", "pages", "boxes"})
    rest = ", ".join(f"{kind} {count}" for kind, count in kinds.most_common() if kind != "right")
    return [f"{good} of {len(documents)}", rest or "nothing"]


def main() -> None:
    seeds = range(int(sys.argv[1]), int(sys.argv[2])) if len(sys.argv) > 2 else SEEDS
    rows = [["forty, every combination", *score(list(forty()))]]
    rows.append([f"random layouts, seeds {seeds.start} to {seeds.stop - 1}", *score([make(seed) for seed in seeds])])
    keep(
        "sentences" if seeds == SEEDS else "sentences-part",
        table(["documents", "quote and boxes right", "first fault of the rest"], rows),
    )


if __name__ == "__main__":
    main()
