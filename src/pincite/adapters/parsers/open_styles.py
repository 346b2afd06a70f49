"""Styles of an OpenDocument text: which hide their text, which are those of titles and captions, which pages they begin."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from xml.etree.ElementTree import Element

_MAX_PARENTS = 40
_FIRST_PAGE = "Standard"


@dataclass(frozen=True, slots=True)
class Style:
    """A style as it is declared: `is_hidden` is None where it says nothing about that."""

    parent: str = ""
    is_hidden: bool | None = None
    master_page: str = ""


class Styles:
    """The styles of a document, by family and name; those of `content` hide those of equal names in `styles`."""

    def __init__(self, elements: Iterable[Element]) -> None:
        self._styles: dict[tuple[str, str], Style] = {}
        for element in elements:
            if element.tag == "style_style":
                key = (element.get("style_family", ""), element.get("style_name", ""))
                self._styles[key] = _read(element)

    def is_hidden(self, name: str, *, family: str) -> bool | None:
        """Whether text in a style is hidden; None where neither it nor those that it is derived from say so."""
        return next((style.is_hidden for _, style in self._line(name, family) if style.is_hidden is not None), None)

    def is_of(self, name: str, wanted: str) -> bool:
        """Whether a paragraph's style is one of the programs' own (in lower case), or derived from it."""
        names = [name, *(style.parent for _, style in self._line(name, "paragraph"))]
        return any(each.lower() == wanted for each in names)

    @property
    def master_pages(self) -> set[str]:
        """The master pages that paragraphs begin."""
        return {_FIRST_PAGE} | {style.master_page for style in self._styles.values() if style.master_page}

    def _line(self, name: str, family: str) -> Iterator[tuple[str, Style]]:
        """Yield a style and those that it is derived from, by their names."""
        for _ in range(_MAX_PARENTS):
            style = self._styles.get((family, name))
            if style is None:
                return
            yield name, style
            name = style.parent


def _read(element: Element) -> Style:
    texts = element.find("style_text-properties")
    shown = None if texts is None else texts.get("text_display")
    return Style(
        parent=element.get("style_parent-style-name", ""),
        is_hidden=None if shown is None else shown == "none",
        master_page=element.get("style_master-page-name", ""),
    )
