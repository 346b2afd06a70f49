"""Pictures in documents: where they stand, and what is kept of them."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from pincite.core.ids import FigureId, VersionId

WHOLE_PAGE = "page"
"""The source of a figure that is a page as a whole, as in an image file."""

PICTURE_TYPES = frozenset({"image/png", "image/jpeg"})
"""What pictures are kept as: forms that hold no script."""


@dataclass(frozen=True, slots=True)
class FigurePlace:
    """A picture that a parser found. `[start, end)` is the run of canonical text that tells of it: its caption, else what it has as
    alternative text, else what stands beside it; empty where nothing does.

    `box` is the part of the page that it covers, as in `Box`. `source` says where the parser finds its bytes again. `read` is the
    run of what OCR read in it, empty where that was nothing.
    """

    start: int = 0
    end: int = 0
    page: int | None = None
    box: tuple[float, float, float, float] | None = None
    source: str = ""
    read: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture as it is kept: a PNG or JPEG of so many pixels, made anew from what the file holds.

    One that `is_repeated` comes back again and again, and no text of the document tells of it.
    """

    file: Path
    content_type: str
    width: int
    height: int
    is_repeated: bool = False


@dataclass(frozen=True, slots=True)
class Figure:
    """A picture of a version, its bytes under `sha256`. `number` counts from 1. `description` is what a model wrote of it."""

    id: FigureId
    version_id: VersionId
    number: int
    place: FigurePlace
    sha256: str
    content_type: str
    width: int
    height: int
    description: str = ""


@dataclass(frozen=True, slots=True)
class PictureDescription:
    """What a model wrote of the bytes of a picture, wherever they stand; empty where it found nothing worth telling.

    `asked` is the version of how it was asked. `id` names what was charged for it.
    """

    id: str
    sha256: str
    model: str
    asked: str
    text: str
    created_at: datetime
