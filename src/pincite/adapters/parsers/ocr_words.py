"""Words that an OCR engine sees in a picture, and the way from there to the page."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import atan2, cos, hypot, sin
from statistics import median
from typing import NamedTuple

from PIL import Image

_LEAST_SLOPE_EMS = 4.0
_TALL = 1.5
_UNSURE = 0.85
_MOST_SHARE = 0.6
_TURNS = {1: Image.Transpose.ROTATE_270, 2: Image.Transpose.ROTATE_180, 3: Image.Transpose.ROTATE_90}


class Point(NamedTuple):
    """A place in a picture, in pixels from its top left corner."""

    x: float
    y: float


@dataclass(frozen=True, slots=True)
class SeenWord:
    """A word in a picture with its corners, clockwise from its top left one; `is_apart` says that a blank precedes it."""

    text: str
    confidence: float
    corners: tuple[Point, Point, Point, Point]
    is_apart: bool = True


SeenLine = Sequence[SeenWord]
Read = Callable[[Image.Image], list[SeenLine]]


def read_upright(image: Image.Image, read: Read) -> tuple[list[SeenLine], int]:
    """Read a picture that may lie on its side or its head: lines as seen after so many quarter turns, clockwise.

    An engine that reads a picture the wrong way round is unsure of most of its words.
    """
    best = read(image)
    score = _sureness(best)
    turns = 0
    if not best or (score >= _UNSURE and not _lies_on_its_side(best)):
        return best, 0
    for candidate in (1, 3) if _lies_on_its_side(best) else (2,):
        lines = read(image.transpose(_TURNS[candidate]))
        if _sureness(lines) > score:
            best, score, turns = lines, _sureness(lines), candidate
    return best, turns


def _sureness(lines: Sequence[SeenLine]) -> float:
    """Return how sure the engine is of the letters of a page on average."""
    weights = [(len(word.text), word.confidence) for line in lines for word in line]
    return sum(count * sure for count, sure in weights) / max(1, sum(count for count, _ in weights))


def _lies_on_its_side(lines: Sequence[SeenLine]) -> bool:
    letters = [(sum(len(word.text) for word in line), _extent(line)) for line in lines]
    tall = sum(count for count, (width, height) in letters if height > _TALL * width)
    return tall > _MOST_SHARE * sum(count for count, _ in letters)


def _extent(line: SeenLine) -> tuple[float, float]:
    xs = [point.x for word in line for point in word.corners]
    ys = [point.y for word in line for point in word.corners]
    return max(xs) - min(xs), max(ys) - min(ys)


class Placement:
    """The way from a picture, turned and perhaps skewed, to the page in points, and to the page as it would lie straight."""

    def __init__(self, lines: Sequence[SeenLine], *, turns: int, size: tuple[int, int], page_size: tuple[float, float]) -> None:
        self._turns = turns
        self._width, self._height = size
        self._scale = page_size[0] / size[0], page_size[1] / size[1]
        self._angle = _slope(lines)

    def page_box(self, word: SeenWord) -> tuple[float, float, float, float]:
        """Return the box of a word on the page as displayed."""
        points = [self._unturned(point) for point in word.corners]
        xs, ys = [x * self._scale[0] for x, _ in points], [y * self._scale[1] for _, y in points]
        return (min(xs), min(ys), max(xs), max(ys))

    def straight(self, point: Point) -> Point:
        """Return where a place stands on the page when it is turned until its lines run level, in points."""
        cosine, sine = cos(-self._angle), sin(-self._angle)
        scale = self._scale[0]
        return Point(scale * (point.x * cosine - point.y * sine), scale * (point.x * sine + point.y * cosine))

    def _unturned(self, point: Point) -> Point:
        x, y = point
        match self._turns:
            case 1:
                return Point(y, self._height - x)
            case 2:
                return Point(self._width - x, self._height - y)
            case 3:
                return Point(self._width - y, x)
            case _:
                return point


def _slope(lines: Sequence[SeenLine]) -> float:
    """Return by which angle the lines of a page fall, in radians: that of the middle one among the long ones."""
    angles: list[float] = []
    for line in lines:
        left, right = _middle(line[0].corners[0], line[0].corners[3]), _middle(line[-1].corners[1], line[-1].corners[2])
        height = hypot(*_between(line[0].corners[0], line[0].corners[3]))
        if right.x - left.x > _LEAST_SLOPE_EMS * height:
            angles.append(atan2(right.y - left.y, right.x - left.x))
    return median(angles) if angles else 0.0


def _middle(one: Point, other: Point) -> Point:
    return Point((one.x + other.x) / 2, (one.y + other.y) / 2)


def _between(one: Point, other: Point) -> tuple[float, float]:
    return other.x - one.x, other.y - one.y
