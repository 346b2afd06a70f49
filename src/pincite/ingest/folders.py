"""Which files a folder brings, and the paths that their documents get. Reads names only."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pincite.core.documents import Reason
from pincite.core.errors import NotFoundError, UsageError
from pincite.ingest.naming import readable


@dataclass(frozen=True, slots=True)
class FileToAdd:
    """A file and the path that its document gets; or a folder that can't be listed, and the problem with it."""

    file: Path
    path: str
    problem: Reason | None = None


def files_of(paths: Sequence[Path]) -> list[FileToAdd]:
    """Return the files that are named, and those in named folders, sorted. Hidden files and folders are left out.

    A file is a document under its name, one in a folder under the folder's name and the way to it.
    Raises `NotFoundError` when a path isn't there, or when nothing is to add, `UsageError` for a pipe, socket or device.
    """
    found: dict[Path, FileToAdd] = {}
    for path in paths:
        found.update({item.file.resolve(): item for item in _at(path)})
    if not found:
        raise NotFoundError("There are no files in " + ", ".join(repr(readable(str(path))) for path in paths) + ".")
    return list(found.values())


def _at(path: Path) -> Iterator[FileToAdd]:
    name = readable(str(path))
    try:
        path.stat()
    except PermissionError as error:
        return iter([FileToAdd(path, name, unreadable(error, "file"))])
    except (OSError, ValueError) as error:
        raise NotFoundError(f"There is no file or folder {name!r}.") from error
    if path.is_dir():
        return _in_folder(path)
    if not path.is_file():
        raise UsageError(f"{name!r} is a pipe, socket or device. Only files and folders can be added.", code="no_file")
    return iter([FileToAdd(path, readable(path.name))])


def _in_folder(folder: Path) -> Iterator[FileToAdd]:
    name = folder.resolve().name
    problems: list[OSError] = []
    files: list[Path] = []
    for place, folders, names in os.walk(folder, onerror=problems.append):
        folders[:] = [each for each in folders if not each.startswith(".")]
        files += [Path(place, each) for each in names if not each.startswith(".")]
    for file in sorted(files):
        if file.is_file():
            yield FileToAdd(file, readable(f"{name}/{file.relative_to(folder).as_posix()}"))
    for error in problems:
        yield FileToAdd(Path(error.filename), readable(str(error.filename)), unreadable(error, "folder"))


def unreadable(error: OSError, what: str) -> Reason:
    """Return the reason of a file or folder that the system doesn't give."""
    why = error.strerror or type(error).__name__
    return Reason("unreadable", f"The {what} can't be read ({why}). See that it is there and may be read, then add it again.")
