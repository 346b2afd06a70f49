"""OpenDocument presentations and drawings (ODP, ODG) read to canonical text: each slide is a page."""

from collections.abc import Callable, Iterator, Sequence
from xml.etree.ElementTree import Element

from pincite.adapters.parsers.assembly import CanonicalBuilder
from pincite.adapters.parsers.content_types import ODP
from pincite.adapters.parsers.odp_slide import read_slide
from pincite.adapters.parsers.odt import context_of
from pincite.adapters.parsers.office_title import choose_title
from pincite.adapters.parsers.open_document import CONTENT, STYLES, OpenDocument, points
from pincite.adapters.parsers.pptx_shapes import Rect
from pincite.adapters.parsers.slides import USUAL_SIZE, Slide, frames_of, is_size, write_slides
from pincite.adapters.parsers.xml_parts import Selection
from pincite.core.documents import Page, ParsedDocument
from pincite.core.errors import RefusedInput

VERSION = "1"
_SLIDE_LEVEL = 3
_SLIDES = Selection(skipped=frozenset({"office_automatic-styles", "office_font-face-decls", "office_scripts"}))


def read_odp(package: OpenDocument, *, max_pages: int, max_chars: int, on_page: Callable[[int, int], None]) -> ParsedDocument:
    """Read a presentation. A run's index counts the characters that the reader took from its slide.

    Raises `RefusedInput` (`corrupt`, `too_deep`, `too_large`, `too_many_pages`).
    """
    context = context_of(package, has_markers=False)
    slides: list[Slide] = []
    for element in _slides(package):
        if len(slides) == max_pages:
            raise RefusedInput(f"The file has more than {max_pages:,} slides. Split it.", code="too_many_pages")
        slides.append(read_slide(context, element))
        on_page(len(slides), 0)
    builder = CanonicalBuilder(max_chars=max_chars)
    figures = write_slides(slides, builder)
    width, height = _size(package)
    canonical = builder.build(tuple(Page(number, str(number), width, height) for number in range(1, len(slides) + 1)))
    printed = next((slide.title for slide in slides if slide.title), "")
    return ParsedDocument(
        canonical=canonical,
        content_type=ODP,
        parser="odp",
        parser_version=VERSION,
        title=choose_title(package.declared_title, printed, opening=canonical.text[:2000]),
        pages_unread=sum(slide.has_pictures and not slide.items for slide in slides),
        figures=tuple(figures),
    )


def odp_boxes(package: OpenDocument, runs: Sequence[tuple[int, int, int]]) -> list[list[Rect]]:
    """Return for each run `(slide, index, count)` the frame that its text stands in, as far as it is on the slide."""
    context = context_of(package, has_markers=False)
    elements = list(_slides(package))
    return frames_of(runs, lambda number: read_slide(context, elements[number - 1]), count=len(elements), size=_size(package))


def _slides(package: OpenDocument) -> Iterator[Element]:
    return (each for each in package.children(CONTENT, level=_SLIDE_LEVEL, selection=_SLIDES) if each.tag == "draw_page")


def _size(package: OpenDocument) -> tuple[float, float]:
    """Return the size of the slides, which is that of the first master page."""
    elements = package.style_elements(STYLES)
    layout = next((each.get("style_page-layout-name") for each in elements if each.tag == "style_master-page"), None)
    for element in elements:
        if element.tag == "style_page-layout" and element.get("style_name") == layout:
            for properties in element.findall("style_page-layout-properties"):
                width, height = points(properties.get("fo_page-width")), points(properties.get("fo_page-height"))
                if width and height and is_size(width, height):
                    return width, height
    return USUAL_SIZE
