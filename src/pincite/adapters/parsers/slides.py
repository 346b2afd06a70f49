"""Slides as they are written to canonical text, whichever program they are from: what each says, and in which frames."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from pincite.adapters.parsers.assembly import CanonicalBuilder
from pincite.adapters.parsers.leaves import Leaf, LeafWriter, Table
from pincite.adapters.parsers.pptx_shapes import Rect
from pincite.adapters.parsers.tables import LINE_FEED
from pincite.core.documents import BlockRole
from pincite.core.figures import FigurePlace

USUAL_SIZE = (720.0, 540.0)
_MAX_POINTS = 20_000


@dataclass(frozen=True, slots=True)
class Framed:
    """Characters `[start, end)` of a slide stand in this rectangle, in points."""

    start: int
    end: int
    rect: Rect


@dataclass(slots=True)
class Slide:
    """What a slide says: in its flow, and in the placeholders at its edges; and whether it shows anything at all."""

    items: list[Leaf | Table] = field(default_factory=list[Leaf | Table])
    edges: list[tuple[BlockRole, Leaf]] = field(default_factory=list[tuple[BlockRole, Leaf]])
    framed: list[Framed] = field(default_factory=list[Framed])
    has_pictures: bool = False
    pictures: list[Leaf | Table] = field(default_factory=list[Leaf | Table])
    title: str = ""


def is_size(width: float, height: float) -> bool:
    """Whether a slide may be as large, in points."""
    return 0 < width <= _MAX_POINTS and 0 < height <= _MAX_POINTS


def as_heading(leaves: list[Leaf]) -> list[Leaf]:
    """Make one heading of a title's lines."""
    heading = Leaf(BlockRole.HEADING, 1)
    for leaf in leaves:
        heading.pieces += [LINE_FEED, *leaf.pieces] if heading.pieces else leaf.pieces
    return [heading] if leaves else []


def write_slides(slides: Sequence[Slide], builder: CanonicalBuilder) -> list[FigurePlace]:
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


def frames_of(
    runs: Sequence[tuple[int, int, int]], read: Callable[[int], Slide], *, count: int, size: tuple[float, float]
) -> list[list[Rect]]:
    """Return for each run `(slide, index, count)` the frame that its text stands in, as far as it is on the slide.

    `read` reads one of the `count` slides by its number, from 1.
    """
    found: list[list[Rect]] = [[] for _ in runs]
    wanted = sorted((slide, position) for position, (slide, _, _) in enumerate(runs) if 1 <= slide <= count)
    for number, positions in groupby(wanted, key=lambda entry: entry[0]):
        framed = read(number).framed
        for _, position in positions:
            _, index, characters = runs[position]
            within = [frame for frame in framed if frame.start < index + characters and index < frame.end]
            smallest = min(within, key=lambda frame: frame.end - frame.start, default=None)
            found[position] = _on_slide([smallest.rect] if smallest else [], *size)
    return found


def _on_slide(rects: Sequence[Rect], width: float, height: float) -> list[Rect]:
    cut = [(max(0.0, x0), max(0.0, y0), min(width, x1), min(height, y1)) for x0, y0, x1, y1 in rects]
    return [rect for rect in cut if rect[0] < rect[2] and rect[1] < rect[3]]
