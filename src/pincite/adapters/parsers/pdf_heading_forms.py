"""What headings of a PDF look like that neither the outline nor their print shows, and what large print is no heading."""

import re
from collections.abc import Sequence

from pincite.adapters.parsers.pdf_lines import PageLines
from pincite.adapters.parsers.pdf_paragraphs import Paragraph, ends_sentence, starts_caption, starts_item
from pincite.core.documents import BlockRole

_MONTH = (
    r"(?:jan|feb|mar|apr|ma[yi]|jun|jul|aug|sep|o[ck]t|nov|de[cz]|janv|févr|mars|avr|juin|juil|août|ene|abr|ago|dic|gen|mag|giu|lug|"
    r"set|ott)[a-zäéû]*\.?"
)
_DATE = re.compile(
    rf"(?:(?:date[d]?|as of|updated|published|issued|effective|stand|datum|vom|le|du)\b:?\s*)?(?:[a-zäöüé]{{2,10}},?\s+)?"
    rf"(?:\d{{1,2}}(?:st|nd|rd|th|er|\.)?\s*(?:de\s+)?{_MONTH}(?:\s+de)?,?\s*\d{{4}}|{_MONTH}\s*(?:\d{{1,2}}(?:st|nd|rd|th)?,?\s*)?\d{{4}}"
    r"|\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\d{4}[./-]\d{1,2}[./-]\d{1,2}|\d{4}年\d{1,2}月(?:\d{1,2}日)?)\.?",
    re.IGNORECASE,
)
_CONTACT = re.compile(
    r"\S+@\S+\.\w{2,}|\b(?:https?://|www\.)\S+|\b(?:tel|fax|phone|telefon|e-?mail)\b[.:]|^\+?[\d\s()/.-]{7,}$", re.IGNORECASE
)
_ADDRESS = re.compile(
    r"\b\d{1,5}[a-z]?,?\s+(?:[A-ZÄÖÜ][\w.'’-]*\s+){1,4}(?:Street|St|Road|Rd|Avenue|Ave|Lane|Drive|Dr|Boulevard|Blvd|Square|Court|Way|Place|Highway|Parkway)\b"
    r"|\b[A-ZÄÖÜ][\w-]*(?:straße|strasse|str\.|gasse|platz|weg|allee)\s+\d{1,4}\b|\b\d{1,4},?\s+(?:rue|avenue|boulevard|place|quai|chemin)\s"
    r"|^(?:[A-Z]{1,2}-)?\d{4,5}\s+[A-ZÄÖÜ][\w-]+(?:\s[A-ZÄÖÜ][\w-]+)?$|\b[A-Z]{2}\s+\d{5}(?:-\d{4})?\b|\b[A-Z]{1,2}\d[\dA-Z]?\s+\d[A-Z]{2}\b|\bP\.?\s?O\.?\s+Box\b"
)
_NUMBER = re.compile(
    r"(?:(?:article|section|chapter|part|artikel|abschnitt|kapitel|teil|titre|§)\s*)?(\d{1,2}(?:\.\d{1,2}){0,4})[.)]?\s+",
    re.IGNORECASE,
)
_PAGE = re.compile(r"\s(?:\d{1,4}|[ivxlc]{1,6})$")
_MOST_NUMBERED, _MOST_NUMBERED_WORDS = 70, 9
_MOST_CAPITALS, _LEAST_CAPITALS, _RARE_SHARE = 90, 4, 0.15
_MOST_RUN_IN, _LEAST_RUN_IN_LETTERS = 80, 4
_LEAST_TEXT = 60
_MOST_GAP_EMS = 4.0


def is_no_heading(text: str) -> bool:
    """Whether a text is a date, an address or a way to reach somebody, as covers and letterheads print them large."""
    text = text.strip()
    return bool(_DATE.fullmatch(text) or _CONTACT.search(text) or _ADDRESS.search(text))


def capitals_are_rare(pages: Sequence[PageLines]) -> bool:
    """Whether capitals set anything apart: few letters of a document are in lines of capitals alone."""
    total = sum(len(line.text) for page in pages for line in page.lines)
    return sum(len(line.text) for page in pages for line in page.lines if _is_in_capitals(line.text)) < _RARE_SHARE * total


def is_capital_heading(paragraph: Paragraph, following: Paragraph | None) -> bool:
    """Whether a short paragraph in capitals stands over text that isn't."""
    text = paragraph.text
    is_short = len(paragraph.lines) <= 2 and len(text) <= _MOST_CAPITALS and not paragraph.first.cells
    if not is_short or not _is_in_capitals(text) or ends_sentence(text.rstrip(":")) or text.endswith((",", ";")):
        return False
    return _stands_over(paragraph, following) and not (starts_item(text) and not text[0].isalnum())


def is_numbered_heading(before: Paragraph | None, paragraph: Paragraph, following: Paragraph | None) -> bool:
    """Whether a short line behind a number stands over text of its own.

    Items of a list follow each other, and titles with pages are contents.
    """
    text = paragraph.text
    number = _NUMBER.match(text)
    if number is None or len(paragraph.lines) > 1 or len(text) > _MOST_NUMBERED or len(text.split()) > _MOST_NUMBERED_WORDS:
        return False
    title = text[number.end() :]
    if (
        not title[:1].isupper()
        or sum(map(str.isalpha, title)) < 0.6 * len(title)
        or ends_sentence(title)
        or text.endswith((",", ";"))
    ):
        return False
    if _PAGE.search(title) or (before is not None and before.role is BlockRole.BODY and _is_short_item(before)):
        return False
    if following is not None and following.text.startswith(f"{number.group(1)}."):
        return _is_near(paragraph, following)
    return _stands_over(paragraph, following) and not paragraph.first.cells


def split_run_in(paragraph: Paragraph) -> list[Paragraph]:
    """Cut a bold title with a full stop off the text that goes on behind it in the same line."""
    line, end = paragraph.first, paragraph.first.bold_end
    title = line.text[:end].rstrip(" –—-")
    words = title.lstrip("(§0123456789.) ")
    letters = sum(map(str.isalpha, words))
    is_wordy = letters >= max(_LEAST_RUN_IN_LETTERS, 0.6 * len(words)) and words[0].isupper()
    if len(title) > _MOST_RUN_IN or not title.endswith(".") or not is_wordy or starts_caption(title) or line.indices:
        return [paragraph]
    if sum(len(one.text) for one in paragraph.lines) - end < _LEAST_TEXT:
        return [paragraph]
    head, rest = line.halves(len(title))
    return [
        Paragraph([head], role=BlockRole.HEADING, row_lefts=paragraph.row_lefts[:1]),
        Paragraph([rest, *paragraph.lines[1:]], paragraph.glues, paragraph.role, row_lefts=paragraph.row_lefts),
    ]


def _is_in_capitals(text: str) -> bool:
    return text.isupper() and sum(map(str.isalpha, text)) >= max(_LEAST_CAPITALS, 0.5 * len(text))


def _is_short_item(paragraph: Paragraph) -> bool:
    return starts_item(paragraph.first.text) and len(paragraph.text) <= _MOST_NUMBERED


def _is_near(paragraph: Paragraph, following: Paragraph) -> bool:
    last, first = paragraph.last, following.first
    return first.page != last.page or 0 < first.box[1] - last.box[1] < _MOST_GAP_EMS * last.size


def _stands_over(paragraph: Paragraph, following: Paragraph | None) -> bool:
    """Whether prose begins close below."""
    if following is None or following.role is not BlockRole.BODY or following.first.page != paragraph.first.page:
        return False
    text = following.text
    is_prose = len(text) >= _LEAST_TEXT and not _is_in_capitals(text) and not following.first.cells
    return is_prose and _is_near(paragraph, following) and following.first.size >= 0.9 * paragraph.first.size
