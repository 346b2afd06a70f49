"""A parsed document as JSON values, and back with every value checked: the child that sends it is not trusted."""

import math
import re
from binascii import a2b_base64
from collections.abc import Sequence
from operator import le, lt
from typing import Any, cast

from pincite.core.documents import Block, BlockRole, Box, CanonicalText, Page, PagePicture, ParsedDocument, SourceRun
from pincite.core.figures import FigurePlace
from pincite.core.ocr import ReadWord

_ROLES = {role.value: role for role in BlockRole}
_RUN_WIDTH = 5
_MOST = 1 << 40
_MAX_FIELD_CHARS = 4096
_PNG = b"\x89PNG\r\n\x1a\n"
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


class BadResult(Exception):
    """What the child sent is not a parsed document."""


def encode_document(document: ParsedDocument) -> dict[str, object]:
    """Return a parsed document as JSON values; runs are one flat list of numbers."""
    canonical = document.canonical
    return {
        "text": canonical.text,
        "blocks": [[block.role.value, block.start, block.end, block.page, block.level] for block in canonical.blocks],
        "pages": [[page.number, page.label, page.width, page.height, page.bates] for page in canonical.pages],
        "words": encode_words(canonical.words),
        "runs": [value for run in canonical.runs for value in (run.start, run.length, run.page, run.index, run.count)],
        "content_type": document.content_type,
        "parser": document.parser,
        "parser_version": document.parser_version,
        "title": document.title,
        "pages_unread": document.pages_unread,
        "meta": dict(document.meta),
        "doc_date": document.doc_date,
        "contained": document.contained,
        "unread": list(document.unread),
        "warnings": list(document.warnings),
        "figures": [encode_place(place) for place in document.figures],
    }


def encode_place(place: FigurePlace) -> list[object]:
    """Return where a figure stands as JSON values."""
    return [place.start, place.end, place.page, place.box, place.source]


def decode_place(value: object, *, length: int) -> FigurePlace:
    """Build where a figure stands in a text of so many characters from JSON values. Raises `BadResult`."""
    start, end, page, box, source = _fields(value, 5)
    if not 0 <= _whole(start) <= _whole(end) <= length:
        raise BadResult("a figure outside of the text")
    x0, y0, x1, y1 = _numbers(box, 4) if box is not None else (0.0, 0.0, 0.0, 0.0)
    placed = None if box is None else (x0, y0, x1, y1)
    return FigurePlace(start, end, None if page is None else _whole(page), placed, _string(source))


def encode_words(words: Sequence[ReadWord]) -> list[list[float]]:
    """Return words that OCR read as JSON values."""
    return [[word.page, word.index, word.count, word.x0, word.y0, word.x1, word.y1, word.confidence] for word in words]


def decode_document(value: object) -> ParsedDocument:
    """Build a parsed document from JSON values. Raises `BadResult` when anything is not as it must be."""
    fields = _mapping(value)
    text = _string(fields.get("text"), limit=None)
    pages = tuple(_page(item) for item in _sequence(fields.get("pages")))
    blocks = tuple(_block(item) for item in _sequence(fields.get("blocks")))
    runs = _runs(_sequence(fields.get("runs")))
    _check_order([place for block in blocks for place in (block.start, block.end)], len(text))
    _check_order([place for run in runs for place in (run.start, run.start + run.length)], len(text))
    title = fields.get("title")
    return ParsedDocument(
        canonical=CanonicalText(text, blocks, pages, runs, _words(fields.get("words"))),
        content_type=_string(fields.get("content_type")),
        parser=_string(fields.get("parser")),
        parser_version=_string(fields.get("parser_version")),
        title=None if title is None else _string(title),
        pages_unread=_whole(fields.get("pages_unread")),
        meta={_string(key): _string(item) for key, item in _mapping(fields.get("meta")).items()},
        doc_date=_day(fields.get("doc_date")),
        contained=_whole(fields.get("contained")),
        unread=tuple(map(_whole, _sequence(fields.get("unread")))),
        warnings=tuple(map(_string, _sequence(fields.get("warnings")))),
        figures=tuple(decode_place(place, length=len(text)) for place in _sequence(fields.get("figures"))),
    )


def decode_boxes(value: object, *, count: int) -> list[list[Box]]:
    """Build `count` lists of boxes from JSON values. Raises `BadResult`."""
    groups = _sequence(value)
    if len(groups) != count:
        raise BadResult("another number of runs")
    return [[Box(*_numbers(box, 4)) for box in _sequence(group)] for group in groups]


def decode_size(value: object) -> tuple[float, float]:
    """Return a width and a height from a JSON value. Raises `BadResult`."""
    width, height = _numbers(value, 2)
    return width, height


def decode_version(value: object) -> str | None:
    """Build a parser's version from a JSON value. Raises `BadResult`."""
    return None if value is None else _string(value)


def decode_picture(value: object) -> PagePicture | int:
    """Build a page's picture from JSON values; how many pages there are when the file lacks that one. Raises `BadResult`."""
    fields = _mapping(value)
    pages = _whole(fields.get("pages"))
    if "png" not in fields:
        return pages
    try:
        png = a2b_base64(_string(fields["png"], limit=None), strict_mode=True)
    except ValueError as error:
        raise BadResult("no base64") from error
    if not png.startswith(_PNG):
        raise BadResult("no PNG")
    width, height = map(_whole, _fields(fields.get("size"), 2))
    return PagePicture(png, width, height, *_numbers(fields.get("page_size"), 2))


def _mapping(value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise BadResult("no object")
    return cast("dict[str, Any]", value)


def _sequence(value: object) -> list[Any]:
    if not isinstance(value, list):
        raise BadResult("no list")
    return cast("list[Any]", value)


def _string(value: object, *, limit: int | None = _MAX_FIELD_CHARS) -> str:
    if not isinstance(value, str) or (limit is not None and len(value) > limit):
        raise BadResult("no string, or a very long one")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise BadResult("a lone surrogate") from error
    return value


def _words(value: object) -> tuple[ReadWord, ...]:
    words = tuple(_word(item) for item in _sequence(value))
    places = [(word.page, word.index) for word in words]
    if places != sorted(places):
        raise BadResult("words out of order")
    return words


def _word(value: object) -> ReadWord:
    page, index, count, *rest = _fields(value, 8)
    x0, y0, x1, y1, confidence = _numbers(rest, 5)
    return ReadWord(_whole(page), _whole(index), _whole(count), x0, y0, x1, y1, min(max(confidence, 0.0), 1.0))


def _day(value: object) -> str:
    day = _string(value)
    if day and not _DAY.fullmatch(day):
        raise BadResult("no day")
    return day


def _whole(value: object) -> int:
    if type(value) is not int or not 0 <= value < _MOST:
        raise BadResult("no whole number")
    return value


def _numbers(value: object, width: int) -> list[float]:
    items = _sequence(value)
    if len(items) != width or not all(type(item) in (int, float) and math.isfinite(item) for item in items):
        raise BadResult("no numbers")
    return [float(item) for item in items]


def _page(value: object) -> Page:
    number, label, width, height, bates = _fields(value, 5)
    size = _numbers([width, height], 2)
    return Page(_whole(number), _string(label), size[0], size[1], _string(bates))


def _block(value: object) -> Block:
    role, start, end, page, level = _fields(value, 5)
    if role not in _ROLES:
        raise BadResult("an unknown role")
    return Block(_ROLES[role], _whole(start), _whole(end), None if page is None else _whole(page), _whole(level))


def _fields(value: object, width: int) -> list[Any]:
    items = _sequence(value)
    if len(items) != width:
        raise BadResult("another number of fields")
    return items


def _runs(flat: list[Any]) -> tuple[SourceRun, ...]:
    if len(flat) % _RUN_WIDTH or not set(map(type, flat)) <= {int} or not 0 <= min(flat, default=0) <= max(flat, default=0) < _MOST:
        raise BadResult("no runs")
    columns = [flat[column::_RUN_WIDTH] for column in range(_RUN_WIDTH)]
    return tuple(SourceRun(*values) for values in zip(*columns, strict=True))


def _check_order(borders: list[int], length: int) -> None:
    """Check where spans start and end, in turn: none is empty, none overlaps the one before, none leaves the text."""
    starts, ends = borders[::2], borders[1::2]
    if not all(map(lt, starts, ends)) or not all(map(le, [0, *ends], [*starts, length])):
        raise BadResult("spans out of order")
