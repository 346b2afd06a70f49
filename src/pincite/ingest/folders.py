"""Which files a folder brings, and the paths that their documents get. Reads names only."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pincite.core.errors import NotFoundError


@dataclass(frozen=True, slots=True)
class FileToAdd:
    """A file and the path that its document gets."""

    file: Path
    path: str


def files_of(paths: Sequence[Path]) -> list[FileToAdd]:
    """Return the files that are named, and those in named folders, sorted. Hidden files and folders are left out.

    A file is a document under its name, one in a folder under the folder's name and the way to it.
    Raises `NotFoundError` when a path isn't there, or when nothing is to add.
    """
    found: dict[Path, FileToAdd] = {}
    for path in paths:
        if not path.exists():
            raise NotFoundError(f"There is no file or folder {str(path)!r}.")
        items = _in_folder(path) if path.is_dir() else [FileToAdd(path, _readable(path.name))]
        found.update({item.file.resolve(): item for item in items})
    if not found:
        raise NotFoundError("There are no files in " + ", ".join(repr(str(path)) for path in paths) + ".")
    return list(found.values())


def _in_folder(folder: Path) -> Iterator[FileToAdd]:
    name = folder.resolve().name
    for file in sorted(folder.rglob("*")):
        relative = file.relative_to(folder)
        if file.is_file() and not any(part.startswith(".") for part in relative.parts):
            yield FileToAdd(file, _readable(f"{name}/{relative.as_posix()}"))


def _readable(path: str) -> str:
    """Replace bytes of a file name that aren't UTF-8: no database takes them."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
