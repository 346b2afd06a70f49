"""Span integrity: is each quote of an answer literally where it says, and do its boxes lie on the words?

Boxes are held against the file itself: the letters that PDFium, asked apart from the product, places inside them.
"""

import ctypes
import hashlib
import unicodedata
from collections import Counter, defaultdict
from collections.abc import AsyncGenerator, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, cast

import pypdfium2

from pincite import Pincite
from pincite.core.answers import Answer, AnswerRecord, Quote, Span
from pincite.core.documents import BlockRole, Box, CanonicalText, Document
from pincite.core.evidence import Filter
from pincite.core.messages import ChatMessage, ModelUsage

QUESTIONS = 4
QUESTION_CHARACTERS = 160
RUNS, RUN_WORDS = 3, 12
NEAR, NEAR_OCR = 1.0, 6.0
"""How far from a box the middle of a letter may lie that counts as inside, in points; where OCR read the page, as the bar says."""
_LIGATURES = {"\x0b": "ff", "\x0c": "fi", "\x0e": "ffi", "\x0f": "ffl"}
"""Codes that fonts of TeX (encoding OT1) have for joined letters, where a file doesn't say what they stand for."""


@dataclass
class Letter:
    """A letter of a page and its middle, in points from the top left of the page as displayed."""

    sign: str
    x: float
    y: float


class Print:
    """The letters of a PDF, page by page, as PDFium places them."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @cached_property
    def pages(self) -> dict[int, list[Letter]]:
        """Return the letters by page."""
        document = cast("Any", pypdfium2.PdfDocument(self._path))
        try:
            return {number: list(_letters(page)) for number, page in enumerate(document, 1)}
        finally:
            document.close()


def _letters(page: Any) -> Iterator[Letter]:
    raw = cast("Any", pypdfium2.raw)
    text, box = page.get_textpage(), raw.FS_RECTF()
    raw.FPDF_GetPageBoundingBox(page, ctypes.byref(box))
    low, left_edge, high, right_edge = float(box.bottom), float(box.left), float(box.top), float(box.right)
    turns = int(page.get_rotation()) // 90
    edges = [ctypes.c_double() for _ in range(4)]
    for index in range(text.count_chars()):
        raw.FPDFText_GetCharBox(text, index, *map(ctypes.byref, edges))
        left, right, bottom, top = (edge.value for edge in edges)
        x, y = (left + right) / 2, (bottom + top) / 2
        shown = [(x - left_edge, high - y), (y - low, x - left_edge), (right_edge - x, y - low), (high - y, right_edge - x)][turns]
        code = chr(min(raw.FPDFText_GetUnicode(text, index), 0x10FFFF))
        for sign in letters_of(_LIGATURES.get(code, code)):
            yield Letter(sign, *shown)


def letters_of(text: str) -> str:
    """Return the letters and digits of a text in one form: what is compared."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text)))


@dataclass
class Found:
    """What was found out about the quotes of one kind of file."""

    answers: int = 0
    quotes: int = 0
    literal: int = 0
    frozen: int = 0
    placed: int = 0
    spans: int = 0
    boxed: int = 0
    on_page: int = 0
    letters: int = 0
    covered: int = 0
    beside: int = 0
    faults: list[str] = field(default_factory=list[str])

    def add(self, other: "Found") -> None:
        """Count another's findings too."""
        for name in (
            "answers",
            "quotes",
            "literal",
            "frozen",
            "placed",
            "spans",
            "boxed",
            "on_page",
            "letters",
            "covered",
            "beside",
        ):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.faults += other.faults


class LooseModel:
    """Answers with what its sources say in other words: runs of their words of which some are left out. Some carry no label."""

    name = "loose"

    async def invoke(self, messages: Sequence[ChatMessage]) -> str:
        """Return the reply."""
        return "".join([piece async for piece in self.stream(messages) if isinstance(piece, str)])

    async def stream(self, messages: Sequence[ChatMessage]) -> AsyncGenerator[str | ModelUsage, None]:
        """Yield the reply."""
        grounding = messages[-1].grounding
        assert grounding
        for source in grounding.sources:
            words = [word for word in source.text.split() if not word.startswith(("|", "#", "`", "["))]
            for run in range(RUNS):
                at = run * max(1, len(words) // RUNS)
                kept = [word for place, word in enumerate(words[at : at + RUN_WORDS]) if place % 4 != 3]
                if kept:
                    yield f"{' '.join(kept)}" + (f" [{source.n}].\n\n" if run else ".\n\n")


def questions(canonical: CanonicalText) -> list[str]:
    """Return the beginnings of some blocks of a document, from its start to its end."""
    told = [block for block in canonical.blocks if block.role in (BlockRole.BODY, BlockRole.TABLE) and block.end - block.start > 20]
    chosen = told[:: max(1, len(told) // QUESTIONS)][:QUESTIONS]
    return [" ".join(canonical.text[block.start : block.end].split())[:QUESTION_CHARACTERS] for block in chosen]


async def integrity(client: Pincite, document: Document, printed: Print | None, *, near: float = NEAR) -> Found:
    """Return what becomes of the quotes of answers from one document.

    `printed` is the file that its boxes are held against; text that OCR read in pictures can't be, unless `near` is that of scans.
    """
    found = Found()
    _, canonical = await client.text(document.id)
    for question in questions(canonical):
        answer = await client.ask(question, filter=Filter(document_ids=(document.id,)))
        found.answers += answer.answered
        check(answer, await client.answer(answer.message_id), canonical, printed, near=near, found=found)
    return found


def check(
    answer: Answer, record: AnswerRecord, canonical: CanonicalText, printed: Print | None, *, near: float, found: Found
) -> None:
    """Count what is right of an answer's quotes."""
    frozen = {(each.start, each.end): each for each in record.evidence}
    for quote in (quote for citation in answer.citations for quote in citation.quotes):
        found.quotes += 1
        kept = frozen.get((quote.start, quote.end))
        digest = hashlib.sha256(bytes.fromhex(kept.nonce) + quote.text.encode()).hexdigest() if kept else ""
        marks = {
            "literal": canonical.text[quote.start : quote.end] == quote.text != "",
            "frozen": bool(kept) and kept.text == quote.text and kept.spans == quote.spans and kept.commitment == digest,
            "placed": is_placed(quote, canonical),
        }
        for name, is_right in marks.items():
            setattr(found, name, getattr(found, name) + is_right)
            if not is_right:
                found.faults.append(f"{name}: {quote.text[:60]!r}")
        _check_boxes(quote, canonical, printed, near=near, found=found)


def is_placed(quote: Quote, canonical: CanonicalText) -> bool:
    """Say whether a quote's spans are the pages that its text stands on, with their labels and sizes."""
    pages = {page.number: page for page in canonical.pages}
    there = canonical.page_spans(quote.start, quote.end)
    if [span.page for span in quote.spans] != [page.page for page in there] and there:
        return False
    return all(_is_page(span, pages) for span in quote.spans if span.page is not None)


def _is_page(span: Span, pages: dict[int, Any]) -> bool:
    page = pages.get(span.page or 0)
    return (
        page is not None
        and span.page_label == page.label
        and (span.page_size is None or span.page_size == (page.width, page.height))
    )


def _check_boxes(quote: Quote, canonical: CanonicalText, printed: Print | None, *, near: float, found: Found) -> None:
    texts: dict[int, str] = defaultdict(str)
    for page in canonical.page_spans(quote.start, quote.end):
        texts[page.page] += canonical.text[page.start : page.end]
    for span in quote.spans:
        found.spans += 1
        if not span.boxes or span.page is None:
            continue
        found.boxed += 1
        is_on = span.page_size is not None and all(_is_on(box, span.page_size) for box in span.boxes)
        found.on_page += is_on
        if not is_on:
            found.faults.append(f"off the page {span.page}: {quote.text[:60]!r} {span.boxes[:2]}")
        if printed and (near == NEAR_OCR or span.confidence is None):
            _check_words(texts[span.page], span, printed.pages.get(span.page, []), near=near, found=found)


def _is_on(box: Box, size: tuple[float, float]) -> bool:
    return -1 <= box.x0 <= box.x1 <= size[0] + 1 and -1 <= box.y0 <= box.y1 <= size[1] + 1


def _check_words(text: str, span: Span, letters: Sequence[Letter], *, near: float, found: Found) -> None:
    wanted = Counter(letters_of(text))
    inside = Counter(letter.sign for letter in letters if any(_holds(box, letter, near) for box in span.boxes))
    tight = Counter(letter.sign for letter in letters if any(_holds(box, letter, 0) for box in span.boxes))
    covered = (wanted & inside).total()
    found.letters += wanted.total()
    found.covered += covered
    found.beside += (tight - wanted).total()
    if covered < wanted.total():
        found.faults.append(f"page {span.page}: boxes lack {''.join((wanted - inside).elements())[:30]!r} of {text[:60]!r}")


def _holds(box: Box, letter: Letter, near: float) -> bool:
    return box.x0 - near <= letter.x <= box.x1 + near and box.y0 - near <= letter.y <= box.y1 + near
