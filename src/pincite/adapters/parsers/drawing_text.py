"""Paragraphs of drawings (DrawingML, ISO/IEC 29500-1, section 21.1.2)."""

from xml.etree.ElementTree import Element

from pincite.adapters.parsers.office_math import math_pieces
from pincite.adapters.parsers.placed_text import Places
from pincite.adapters.parsers.symbols import plain
from pincite.adapters.parsers.tables import LINE_FEED, Piece


def drawing_text(paragraph: Element, places: Places) -> list[Piece]:
    """Return the text of a paragraph of a drawing."""
    pieces: list[Piece] = []
    for element in paragraph:
        if element.tag == "a_br":
            pieces.append(LINE_FEED)
        elif element.tag in ("a_r", "a_fld"):
            for text in element.findall("a_t"):
                pieces += places.take(plain(text.text or "", _symbol_font(element)))
        elif element.tag == "a14_m":
            pieces += math_pieces(element, places)
    return pieces


def _symbol_font(run: Element) -> str:
    for properties in run.findall("a_rPr"):
        for tag in ("a_sym", "a_latin"):
            if (font := properties.find(tag)) is not None:
                return font.get("typeface", "")
    return ""
