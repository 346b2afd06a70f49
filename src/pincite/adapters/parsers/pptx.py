"""PowerPoint files (PPTX) read to canonical text: each slide is a page."""

from collections.abc import Callable, Iterator, Sequence
from xml.etree.ElementTree import Element

from pincite.adapters.parsers.assembly import CanonicalBuilder
from pincite.adapters.parsers.content_types import PPTX
from pincite.adapters.parsers.office_package import OfficePackage
from pincite.adapters.parsers.office_title import choose_title, declared_title
from pincite.adapters.parsers.pptx_layouts import Layouts
from pincite.adapters.parsers.pptx_shapes import EMU_PER_POINT, Rect
from pincite.adapters.parsers.pptx_slide import read_slide
from pincite.adapters.parsers.slides import USUAL_SIZE, Slide, frames_of, is_size, write_slides
from pincite.core.documents import Page, ParsedDocument
from pincite.core.errors import RefusedInput

VERSION = "3"

OnPage = Callable[[int, int], None]


def read_pptx(package: OfficePackage, *, max_pages: int, max_chars: int, on_page: OnPage) -> ParsedDocument:
    """Read a presentation. A run's index counts the characters that the reader took from its slide.

    Raises `RefusedInput` (`corrupt`, `too_deep`, `too_large`, `too_many_pages`).
    """
    presentation = package.tree(package.main)
    parts = list(_slide_parts(package))
    if len(parts) > max_pages:
        raise RefusedInput(f"The file has {len(parts):,} slides; {max_pages:,} are read at most. Split it.", code="too_many_pages")
    layouts = Layouts(package)
    slides: list[Slide] = []
    for number, part in enumerate(parts, start=1):
        slides.append(read_slide(package, layouts, part))
        on_page(number, len(parts))
    builder = CanonicalBuilder(max_chars=max_chars)
    figures = write_slides(slides, builder)
    canonical = builder.build(_pages(presentation, len(parts)))
    return ParsedDocument(
        canonical=canonical,
        content_type=PPTX,
        parser="pptx",
        parser_version=VERSION,
        title=choose_title(
            declared_title(package), next((slide.title for slide in slides if slide.title), ""), opening=canonical.text[:2000]
        ),
        pages_unread=sum(slide.has_pictures and not slide.items for slide in slides),
        figures=tuple(figures),
    )


def pptx_boxes(package: OfficePackage, runs: Sequence[tuple[int, int, int]]) -> list[list[Rect]]:
    """Return for each run `(slide, index, count)` the frame that its text stands in, as far as it is on the slide.

    Where PowerPoint breaks lines is not in the file, so a run has the frame of its shape or of its cell.
    """
    parts = list(_slide_parts(package))
    layouts = Layouts(package)
    width, height = _size(package.tree(package.main))
    return frames_of(runs, lambda number: read_slide(package, layouts, parts[number - 1]), count=len(parts), size=(width, height))


def _slide_parts(package: OfficePackage) -> Iterator[str]:
    """Yield the parts of the slides in the order of the presentation. One whose part is missing keeps its number."""
    relations = package.relations(package.main)
    for slide in package.tree(package.main).iter("p_sldId"):
        relation = relations.get(slide.get("r_id", ""))
        yield relation.target or "" if relation else ""


def _pages(presentation: Element, count: int) -> tuple[Page, ...]:
    width, height = _size(presentation)
    first = presentation.get("firstSlideNum", "1")
    first_label = int(first) if first.isascii() and first.isdecimal() and len(first) < 7 else 1
    return tuple(Page(number, str(first_label + number - 1), width, height) for number in range(1, count + 1))


def _size(presentation: Element) -> tuple[float, float]:
    for size in presentation.findall("p_sldSz"):
        numbers = [size.get("cx", ""), size.get("cy", "")]
        if all(number.isascii() and number.isdecimal() and len(number) < 12 for number in numbers):
            width, height = (int(number) / EMU_PER_POINT for number in numbers)
            if is_size(width, height):
                return width, height
    return USUAL_SIZE
