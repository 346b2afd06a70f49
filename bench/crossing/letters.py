"""Fonts of generated pages: widths from reportlab, heights by the kind of letter."""

from pathlib import Path
from typing import Any, cast

import reportlab
from reportlab.pdfbase import pdfmetrics as _metrics
from reportlab.pdfbase.ttfonts import TTFont

metrics: Any = cast("Any", _metrics)
_NAMES = {
    "Helvetica": ("Helvetica", "Helvetica-Bold", "Helvetica-Oblique"),
    "Times": ("Times-Roman", "Times-Bold", "Times-Italic"),
    "Courier": ("Courier", "Courier-Bold", "Courier-Oblique"),
    "Vera": ("Vera", "VeraBd", "VeraIt"),
}
_STYLES = ("plain", "bold", "italic")
# Of the size: top of tall letters and capitals, of small letters, bottom of letters that hang down.
_HEIGHTS = {
    "Helvetica": (0.72, 0.538, 0.213),
    "Times": (0.68, 0.46, 0.217),
    "Courier": (0.629, 0.44, 0.156),
    "Vera": (0.755, 0.56, 0.207),
}
_SMALL, _HANGING = set("acegmnopqrsuvwxyz-"), set("gjpqy,;()ç")


def font_name(family: str, style: str = "plain") -> str:
    """Return the name of a font, registered with reportlab."""
    name = _NAMES[family][_STYLES.index(style)]
    if family == "Vera" and name not in metrics.getRegisteredFontNames():
        file = Path(reportlab.__file__).parent / "fonts" / f"{name}.ttf"
        metrics.registerFont(cast("Any", TTFont)(name, str(file)))
    return name


def width(text: str, font: str, size: float) -> float:
    """Return how wide a text is drawn, in points."""
    return float(metrics.stringWidth(text, font, size))


def extent(text: str, family: str, size: float) -> tuple[float, float]:
    """Return how far ink reaches above and below the base line, in points."""
    tall, small, low = _HEIGHTS[family]
    letters = set(text)
    above = tall if letters - _SMALL - set(".,;: ") else small
    below = low if letters & _HANGING else 0.015
    return above * size, below * size


def bearings(last: str, family: str, size: float) -> tuple[float, float]:
    """Return how far the ink stays away from the edges of the first and the last letter: only equally wide letters leave much."""
    if family != "Courier":
        return 0.0, 0.0
    return 0.08 * size, (0.22 if last in ".,;:" else 0.08) * size
