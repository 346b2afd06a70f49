"""PowerPoint files (PPTX) read to canonical text: each slide is a page."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from xml.etree.ElementTree import Element

from pincite.adapters.parsers.assembly import CanonicalBuilder
from pincite.adapters.parsers.content_types import PPTX
from pincite.adapters.parsers.leaves import Leaf, LeafWriter
from pincite.adapters.parsers.office_package import OfficePackage
from pincite.adapters.parsers.office_title import choose_title
from pincite.adapters.parsers.pptx_layouts import Layouts
from pincite.adapters.parsers.pptx_shapes import EMU_PER_POINT, Rect
from pincite.adapters.parsers.pptx_slide import Slide, read_slide
from pincite.core.documents import Page, ParsedDocument
from pincite.core.errors import RefusedInput
from pincite.core.figures import FigurePlace

VERSION = "3"
_USUAL_SIZE = (720.0, 540.0)
_MAX_POINTS = 20_000

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
    figures = _write(slides, builder)
    canonical = builder.build(_pages(presentation, len(parts)))
    return ParsedDocument(
        canonical=canonical,
        content_type=PPTX,
        parser="pptx",
        parser_version=VERSION,
        title=choose_title(package, next((slide.title for slide in slides if slide.title), ""), opening=canonical.text[:2000]),
        pages_unread=sum(slide.has_pictures and not slide.items for slide in slides),
        figures=tuple(figures),
    )


def _write(slides: Sequence[Slide], builder: CanonicalBuilder) -> list[FigurePlace]:
    """Write all slides; what stands at their edges comes last, if it stands there on several or is a number or date.

    Return the pictures on them.
    """
    figures: list[FigurePlace] = []
    times = Counter(leaf.text for slide in slides for _, leaf in slide.edges)

    def is_furniture(leaf: Leaf) -> bool:
        return times[leaf.text] > 1 or any(character.isdigit() for character in leaf.text)

    for number, slide in enumerate(slides, start=1):
        said_once = [leaf for _, leaf in slide.edges if not is_furniture(leaf)]
        writer = LeafWriter(builder, page=number)
        writer.write([*slide.items, *said_once, *slide.pictures])
        figures += writer.figures()
    for number, slide in enumerate(slides, start=1):
        for role, leaf in slide.edges:
            if is_furniture(leaf):
                LeafWriter(builder, page=number).write_lifted([leaf], role=role)
    return figures


def pptx_boxes(package: OfficePackage, runs: Sequence[tuple[int, int, int]]) -> list[list[Rect]]:
    """Return for each run `(slide, index, count)` the frame that its text stands in, as far as it is on the slide.

    Where PowerPoint breaks lines is not in the file, so a run has the frame of its shape or of its cell.
    """
    parts = list(_slide_parts(package))
    layouts = Layouts(package)
    width, height = _size(package.tree(package.main))
    found: list[list[Rect]] = [[] for _ in runs]
    wanted = sorted((slide, position) for position, (slide, _, _) in enumerate(runs) if 1 <= slide <= len(parts))
    for number, positions in groupby(wanted, key=lambda entry: entry[0]):
        framed = read_slide(package, layouts, parts[number - 1]).framed
        for _, position in positions:
            _, index, count = runs[position]
            within = [frame for frame in framed if frame.start < index + count and index < frame.end]
            smallest = min(within, key=lambda frame: frame.end - frame.start, default=None)
            found[position] = _on_slide([smallest.rect] if smallest else [], width, height)
    return found


def _on_slide(rects: Sequence[Rect], width: float, height: float) -> list[Rect]:
    cut = [(max(0.0, x0), max(0.0, y0), min(width, x1), min(height, y1)) for x0, y0, x1, y1 in rects]
    return [rect for rect in cut if rect[0] < rect[2] and rect[1] < rect[3]]


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
            if 0 < width <= _MAX_POINTS and 0 < height <= _MAX_POINTS:
                return width, height
    return _USUAL_SIZE
