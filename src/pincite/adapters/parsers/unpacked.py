"""Files that the child takes out of a file, written by its parent: the child itself can write none."""

from pathlib import Path
from typing import IO, Any, cast

from pincite.adapters.parsers.wire import BadResult
from pincite.core.documents import Reason
from pincite.core.errors import RefusedInput
from pincite.core.figures import Picture
from pincite.core.ports.parsing import REFUSALS, ContainedFile

MAX_FILES = 20_000
_MAX_NAME_CHARS = 4096
_MARKS = {b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg"}


class _NumberedFiles:
    """Writes files into a folder, called by their numbers: no name that a stranger chose is ever a name on this disk."""

    def __init__(self, folder: Path, *, most_bytes: int) -> None:
        self._folder = folder
        self._left_bytes = most_bytes
        self._number = -1
        self._file: IO[bytes] | None = None

    def write(self, number: int, piece: bytes) -> None:
        """Add a piece to a file; files come one after the other. Raises `ValueError` and `RefusedInput`."""
        if not self._number <= number < MAX_FILES:
            raise ValueError("files out of order")
        self._left_bytes -= len(piece)
        if self._left_bytes < 0:
            raise RefusedInput(
                "The files inside the file are larger than all files in one may be. Unpack it yourself.", code="too_large"
            )
        if self._file is None or number != self._number:
            self.close()
            self._number = number
            self._file = self.path(number).open("wb")
        self._file.write(piece)

    def path(self, number: int) -> Path:
        """Return where a file is, or would be."""
        return self._folder / str(number)

    def close(self) -> None:
        """Close the file that is open."""
        if self._file:
            self._file.close()
        self._file = None


class UnpackedFiles(_NumberedFiles):
    """The files inside a file."""

    def named(self, value: object) -> list[ContainedFile]:
        """Return what the child says of the files. Raises `BadResult`."""
        self.close()
        rows = cast("list[Any]", value) if isinstance(value, list) else [None]
        if len(rows) > MAX_FILES:
            raise BadResult("too many files")
        return [self._one(number, row) for number, row in enumerate(rows)]

    def _one(self, number: int, row: object) -> ContainedFile:
        texts = cast("list[Any]", row) if isinstance(row, list) else []
        if len(texts) != 3 or not all(isinstance(text, str) and len(text) <= _MAX_NAME_CHARS and _is_whole(text) for text in texts):
            raise BadResult("no file")
        name, code, message = texts
        if not name or any(part in ("", ".", "..") for part in name.split("/")) or "\0" in name or "\\" in name:
            raise BadResult("no name")
        if code:
            return ContainedFile(name, problem=Reason(code if code in REFUSALS else "corrupt", message))
        path = self.path(number)
        path.touch()
        return ContainedFile(name, path)


class PictureFiles(_NumberedFiles):
    """The pictures at some places of a file."""

    def __init__(self, folder: Path, *, count: int, most_bytes: int) -> None:
        super().__init__(folder, most_bytes=most_bytes)
        self._count = count

    def pictures(self, value: object) -> list[Picture | None]:
        """Return what the child says of the pictures. Raises `BadResult`."""
        self.close()
        rows = cast("list[Any]", value) if isinstance(value, list) else []
        if len(rows) != self._count:
            raise BadResult("another number of pictures")
        return [None if row is None else self._picture(number, row) for number, row in enumerate(rows)]

    def _picture(self, number: int, row: object) -> Picture:
        sizes = cast("list[Any]", row) if isinstance(row, list) else []
        if (
            len(sizes) != 3
            or not all(type(size) is int and 0 < size < 1 << 20 for size in sizes[:2])
            or sizes[2] not in (0, 1)
            or not self.path(number).is_file()
        ):
            raise BadResult("no picture")
        with self.path(number).open("rb") as file:
            head = file.read(8)
        kind = next((kind for mark, kind in _MARKS.items() if head.startswith(mark)), "")
        if not kind:
            raise BadResult("no PNG or JPEG")
        return Picture(self.path(number), kind, sizes[0], sizes[1], sizes[2] == 1)


def _is_whole(text: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in text)
