"""What a paragraph of an OpenDocument file says: its text in order, and what is anchored in it."""

from collections.abc import Callable, Iterator
from xml.etree.ElementTree import Element

_MAX_BLANKS = 200
_UNREAD = frozenset(
    {
        *("office_annotation", "office_annotation-end", "office_forms", "text_script", "text_number", "text_ruby-text"),
        *("text_tracked-changes", "presentation_notes", "svg_title", "svg_desc"),
    }
)
_MADE = {"text_tab": " ", "text_line-break": "\n"}


def spoken(element: Element, *, is_hidden: Callable[[str], bool | None], hides: bool = False) -> Iterator[str | Element]:
    """Yield the text of a paragraph piece by piece, and the notes and drawings in it as elements.

    `is_hidden` tells that of the style of a part of it; `hides` is that of the paragraph itself.
    """
    if element.text and not hides:
        yield element.text
    for child in element:
        yield from _child(child, is_hidden, hides)
        if child.tail and not hides:
            yield child.tail


def _child(child: Element, is_hidden: Callable[[str], bool | None], hides: bool) -> Iterator[str | Element]:
    if child.tag in _UNREAD or (child.tag == "text_hidden-text" and child.get("text_is-hidden", "true") == "true"):
        return
    if child.tag == "text_note" or child.tag.startswith("draw_"):
        if not hides:
            yield child
    elif child.tag in _MADE or child.tag == "text_s":
        if not hides:
            yield _MADE.get(child.tag) or " " * _count(child.get("text_c", "1"))
    else:
        own = is_hidden(child.get("text_style-name", "")) if child.tag == "text_span" else None
        yield from spoken(child, is_hidden=is_hidden, hides=hides if own is None else own)


def _count(text: str) -> int:
    return min(int(text), _MAX_BLANKS) if text.isascii() and text.isdecimal() and len(text) < 10 else 1


def plain(element: Element) -> str:
    """Return the text of a paragraph alone."""
    return "".join(piece for piece in spoken(element, is_hidden=lambda _: None) if isinstance(piece, str))
