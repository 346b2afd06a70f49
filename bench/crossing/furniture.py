"""What stands around the body: heads, feet, page numbers, Bates numbers, footnotes, watermarks. Its words are in no body."""

from collections.abc import Iterator
from dataclasses import dataclass

from crossing.design import Design
from crossing.letters import font_name, width

_SECTIONS = ("Preliminaries", "Findings", "Appraisal", "Methodology", "Recommendations", "Annexes")
_WORDS = ("Zero", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten", "Eleven", "Twelve")
_NOTES = (
    "See the Gazette of Records, supplement 4, folio 212.",
    "Compare Thorvald, Harbourology Quarterly, p. 88, opposite opinion.",
    "Bookkeeping followed Julian calendars throughout; conversions are approximate.",
)


@dataclass(frozen=True)
class Print:
    """A text of the furniture, `y` points under the top of the page as it is read; `angle` turns it."""

    page: int
    x: float
    y: float
    text: str
    font: str
    size: float
    angle: float = 0.0
    grey: float = 0.0


@dataclass(frozen=True)
class Rule:
    """A line, or with a height a frame around a picture."""

    page: int
    x: float
    y: float
    width: float
    height: float = 0.0


def roman(number: int) -> str:
    """Return small roman numerals."""
    text = ""
    for value, letters in ((100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")):
        while number >= value:
            text, number = text + letters, number - value
    return text


def label_of(design: Design, page: int) -> str:
    """Return the label printed on a page, empty without one."""
    number = page + design.number_from
    if design.number == "none" or (design.first_differs and page == 0):
        return ""
    if design.number == "roman":
        return roman(number)
    if design.number == "prefix":
        return f"A-{number}"
    if design.number == "word":
        return _WORDS[number] if number < len(_WORDS) else str(number)
    return str(number)


def number_text(design: Design, page: int) -> str:
    """Return the page number as it is printed."""
    label, total = label_of(design, page), design.pages + design.number_from - 1
    forms = {"dashes": f"– {label} –", "of all": f"{label} of {total}", "page of all": f"Page {label} of {total}"}
    forms |= {"slash": f"{label} / {total}", "word": f"Page {label}", "brackets": f"[{label}]"}
    return forms.get(design.number, label) if label else ""


def bates_of(design: Design, page: int) -> str:
    """Return the Bates number of a page, empty without one."""
    if design.bates == "none":
        return ""
    number = page + 117 + design.seed % 800
    return {"parts": f"DEF-2021-{number:07d}", "blank": f"KLM {number:06d}"}.get(design.bates, f"ABC{number:06d}")


def head_texts(design: Design, page: int) -> list[str]:
    """Return the rows of a page's running head, at most two; `a|b` stands left and right."""
    section = _SECTIONS[page % len(_SECTIONS)]
    if design.first_differs and page == 0:
        return []
    forms = {
        "none": [],
        "same": ["Quarterly Bulletin of Wexcombe Estates"],
        "sides": ["Wexcombe Estates" if page % 2 else "Quarterly Bulletin"],
        "section": [f"Wexcombe Bulletin|{section}"],
        "two lines": ["Wexcombe Estates plc", "Quarterly Bulletin"],
        "with number": [f"Wexcombe Bulletin|p. {page + design.number_from}"],
        "with date": [f"Wexcombe Bulletin, {page + 3} October 2019"],
        "letterhead": ["Wexcombe Estates plc · Registered Office: Quillon House"] if page == 0 else [],
        "only later": ["Quarterly Bulletin of Wexcombe Estates"] if page else [],
        "large": ["Wexcombe Bulletin"],
    }
    return forms[design.head]


def foot_texts(design: Design, page: int) -> list[str]:
    """Return the rows of a page's foot without its numbers."""
    forms = {
        "none": [],
        "same": ["Unclassified – distribution unrestricted"],
        "sides": ["Distribution unrestricted" if page % 2 else "Wexcombe Estates plc"],
        "with date": [f"Printed {page + 11}/10/2019"],
        "confidential": ["CONFIDENTIAL"],
        "two lines": ["Wexcombe Estates plc · Quillon House", "Telephone 0555 7281 · bulletin@wexcombe.example"],
        "as large as the text": ["Unclassified – distribution unrestricted"],
    }
    return forms[design.foot]


def note_texts(design: Design) -> list[str]:
    """Return the footnotes of the page that is cut, each with its mark."""
    forms = {"none": [], "two": [f"{n} {_NOTES[n]}" for n in (1, 2)], "star": [f"* {_NOTES[0]}"], "later": [f"7 {_NOTES[2]}"]}
    forms |= {"long": [f"1 {' '.join(_NOTES)}"], "large": [f"1 {_NOTES[1]}"], "unmarked": [f"1 {_NOTES[0]}"]}
    return forms.get(design.note, [f"1 {_NOTES[0]}"])


def prints(design: Design, page: int) -> Iterator[Print]:
    """Yield heads, feet, numbers and Bates numbers of a page."""
    wide, high = design.size_of_paper
    left, top, right, bottom = design.margins
    small = design.size if design.foot == "as large as the text" else 0.85 * design.size
    head_size = 1.3 * design.size if design.head == "large" else design.head_size
    style = font_name(design.font, design.head_font)
    for row, text in enumerate(head_texts(design, page)):
        y = top - 26 - 1.2 * head_size * (len(head_texts(design, page)) - 1 - row)
        yield from _row(page, text, y, style, head_size, design.head_place, (left, wide - right))
    y = high - bottom + 30
    for text in foot_texts(design, page):
        yield from _row(page, text, y, font_name(design.font), small, design.head_place, (left, wide - right))
        y += 1.25 * small
    if number := number_text(design, page):
        place = ("right" if page % 2 == 0 else "left") if design.number == "outer" else design.number_place
        yield from _row(page, number, y, font_name(design.font), small, place, (left, wide - right))
        y += 1.25 * small
    if bates := bates_of(design, page):
        at = 24.0 if design.bates == "top" else min(y + 4, high - 14)
        place = "middle" if design.bates == "middle" else "right"
        yield from _row(page, bates, at, font_name("Helvetica", "bold"), 9, place, (30, wide - 30))


def _row(page: int, text: str, y: float, font: str, size: float, place: str, edges: tuple[float, float]) -> Iterator[Print]:
    parts = text.split("|")
    places = ("left", "right") if len(parts) == 2 else (place,)
    for part, where in zip(parts, places, strict=True):
        room = edges[1] - edges[0] - width(part, font, size)
        yield Print(page, edges[0] + room * {"left": 0.0, "middle": 0.5, "right": 1.0}[where], y, part, font, size)


def watermark(design: Design, page: int) -> Iterator[Print]:
    """Yield the watermark of a page."""
    wide, high = design.size_of_paper
    if design.watermark == "slanted":
        yield Print(page, 0.25 * wide, 0.65 * high, "PROVISIONAL", font_name("Helvetica", "bold"), 60, 50, 0.85)
    elif design.watermark == "level":
        yield Print(page, 0.2 * wide, 0.5 * high, "PROVISIONAL", font_name("Helvetica", "bold"), 54, 0, 0.85)
