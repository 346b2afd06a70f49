"""Charts (ISO/IEC 29500-1, section 21.2): their titles, and their numbers as a table."""

import re
from datetime import date, timedelta
from xml.etree.ElementTree import Element

from pincite.adapters.parsers.drawing_text import drawing_text
from pincite.adapters.parsers.leaves import Leaf, Table
from pincite.adapters.parsers.placed_text import Places
from pincite.adapters.parsers.tables import BLANK, Cell
from pincite.core.documents import BlockRole

_MAX_POINTS = 2000
_MAX_SERIES = 100
_DATE_FORMAT = re.compile(r"[dmy]", re.IGNORECASE)
_LITERALS = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]|general|standard', re.IGNORECASE)
_EPOCH = date(1899, 12, 30)
_EPOCH_1904 = date(1904, 1, 1)
_MAX_DAYS = 200_000
_SHOWN_DIGITS = 15


def read_chart(root: Element, places: Places) -> list[Leaf | Table]:
    """Return the titles of a chart and what it draws as a table: a row a category, a column a series."""
    items: list[Leaf | Table] = []
    for title in root.iter("c_title"):
        pieces = [piece for paragraph in title.iter("a_p") for piece in (*drawing_text(paragraph, places), BLANK)]
        if any(text.strip() for text, _, _ in pieces):
            items.append(Leaf(BlockRole.BODY if items else BlockRole.CAPTION, 0, pieces))
    epoch = _EPOCH_1904 if any(flag.get("val", "1") in ("1", "true") for flag in root.iter("c_date1904")) else _EPOCH
    table = _numbers(list(root.iter("c_ser"))[:_MAX_SERIES], epoch, places)
    return [*items, table] if table.rows else items


def _numbers(series: list[Element], epoch: date, places: Places) -> Table:
    names = [_cached(one.find("c_tx"), epoch) for one in series]
    labels: dict[int, str] = {}
    for one in series:
        labels = labels or _cached(one.find("c_cat"), epoch) or _cached(one.find("c_xVal"), epoch)
    values = [_cached(one.find("c_val"), epoch) or _cached(one.find("c_yVal"), epoch) for one in series]
    rows = sorted({index for column in (labels, *values) for index in column})[:_MAX_POINTS]
    if not rows:
        return Table()
    grid = [["", *(" ".join(name.values()) for name in names)]]
    grid += [[labels.get(row, ""), *(column.get(row, "") for column in values)] for row in rows]
    return Table(rows=[[_cell(text, places) for text in row] for row in grid])


def _cached(element: Element | None, epoch: date) -> dict[int, str]:
    """Return the values that the chart keeps of its data sheet, by their place, as a person reads them.

    Of categories on several levels the innermost counts.
    """
    if element is None:
        return {}
    levels = list(element.iter("c_lvl"))
    source = levels[0] if levels else element
    usual = next((child.text or "" for child in source.iter("c_formatCode")), "")
    is_number = any(True for _ in source.iter("c_numCache")) or any(True for _ in source.iter("c_numLit"))
    texts: dict[int, str] = {}
    for point in source.iter("c_pt"):
        place = point.get("idx", "")
        text = "".join(value.text or "" for value in point.iter("c_v"))
        if place.isascii() and place.isdecimal() and len(place) < 8:
            texts[int(place)] = _shown(text, point.get("formatCode", usual), epoch) if is_number else text
    return texts or {0: "".join(value.text or "" for value in source.iter("c_v"))}


def _shown(text: str, number_format: str, epoch: date) -> str:
    """Return a stored number as it is drawn: without the noise of its last digits, percent and dates as such."""
    try:
        number = float(text)
    except ValueError:
        return text
    kind = _LITERALS.sub("", number_format)
    if _DATE_FORMAT.search(kind) and 0 < number < _MAX_DAYS:
        return (epoch + timedelta(days=int(number))).isoformat()
    if "%" in kind:
        return f"{100 * number:.{_SHOWN_DIGITS}g}%"
    return f"{number:.{_SHOWN_DIGITS}g}"


def _cell(text: str, places: Places) -> Cell:
    pieces = list(places.take(text))
    return Cell(leaves=[pieces] if pieces else [])
