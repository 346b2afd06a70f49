"""Which files a folder brings, and the paths that their documents get. Reads names and what the system says of them, no bytes."""

import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote_from_bytes

from pincite.core.documents import Reason
from pincite.core.errors import NotFoundError, UsageError
from pincite.core.files import FileState
from pincite.ingest.file_states import state_of
from pincite.ingest.naming import address_of, readable


@dataclass(frozen=True, slots=True)
class FileToAdd:
    """A file, the path that its document gets, and its address; or a file or folder that can't be read, and the problem with it.

    `place` is the address of its name in a folder, `state` what the system said of it there; both are empty for a file that was
    named itself. A link that leads nowhere is `dangling`: nothing to add, but not gone either.
    """

    file: Path
    path: str
    address: str = ""
    place: str = ""
    state: FileState | None = None
    problem: Reason | None = None
    dangling: bool = False


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder that brings files: itself, its name in their paths, and its address with a slash at the end."""

    path: Path
    name: str
    address: str

    @classmethod
    def at(cls, path: Path) -> "Folder":
        """Return the folder at a path, links followed."""
        real = path.resolve()
        return cls(path, readable(real.name), address_of(real / "x")[:-1])

    def path_of(self, names: str) -> str:
        """Return the path of a document by the names that lead from the folder to its file."""
        return f"{self.name}/{readable(names)}".lstrip("/")


def paths_named(paths: Sequence[str | Path]) -> list[Path]:
    """Return paths. Raises `UsageError` for an empty one, which would be the folder one is in."""
    if not all(map(str, paths)):
        raise UsageError("The path is empty. Name a file or folder; `.` is the folder you are in.", code="path")
    return [Path(path) for path in paths]


def folders_at(paths: Sequence[Path]) -> list[Folder]:
    """Return the folders at paths, without those inside another. Raises `NotFoundError` and `UsageError`."""
    folders: dict[str, Folder] = {}
    for path in paths:
        name = readable(str(path))
        try:
            is_folder, is_there = path.is_dir(), path.exists()
        except (OSError, ValueError) as error:
            raise NotFoundError(f"The folder {name!r} can't be looked at. Nothing was changed.") from error
        if not is_there:
            raise NotFoundError(f"There is no folder {name!r}. If its disk isn't mounted, mount it. Nothing was changed.")
        if not is_folder:
            raise UsageError(f"{name!r} is no folder. Add single files with `pincite add`.", code="no_folder")
        folder = Folder.at(path)
        folders[folder.address] = folder
    outer = [a for a in folders if not any(a != b and a.startswith(b) for b in folders)]
    return [folders[address] for address in outer]


def files_of(paths: Sequence[Path]) -> list[FileToAdd]:
    """Return the files that are named, and those in named folders, sorted. Hidden files and folders are left out.

    A file is a document under its name, one in a folder under the folder's name and the way to it.
    Raises `NotFoundError` when a path isn't there, or when nothing is to add, `UsageError` for a pipe, socket or device.
    """
    found = once([item for path in paths for item in _at(path) if not item.dangling])
    if not found:
        raise NotFoundError("There are no files in " + ", ".join(repr(readable(str(path))) for path in paths) + ".")
    return found


def once(items: Sequence[FileToAdd]) -> list[FileToAdd]:
    """Return each file once, also when links lead to it; under its own name if that is there."""
    found: dict[str, FileToAdd] = {}
    for item in items:
        known = found.get(item.address or str(item.file))
        if known is None or (item.place == item.address and known.place != known.address):
            found[item.address or str(item.file)] = item
    return list(found.values())


def scan(folder: Folder) -> Iterator[FileToAdd]:
    """Yield the files of a folder and of the folders in it, sorted, then what can't be read.

    Links to files are followed, links to folders are not.
    """
    files: list[tuple[list[str], FileToAdd]] = []
    problems: list[FileToAdd] = []
    places = [("", folder.address)]
    while places:
        names, address = places.pop()
        try:
            entries = list(os.scandir(os.path.join(folder.path, names)))
        except OSError as error:
            problems.append(_unlisted(folder, names, address, error))
            continue
        for entry in entries:
            if entry.name.startswith("."):
                continue
            inner, place = os.path.join(names, entry.name), address + quote_from_bytes(os.fsencode(entry.name))
            if entry.is_dir(follow_symlinks=False):
                places.append((inner, place + "/"))
            elif item := _file(folder, entry, inner, place):
                files.append((item.path.split("/"), item))
    yield from (item for _, item in sorted(files, key=lambda pair: pair[0]))
    yield from sorted(problems, key=lambda item: item.path)


def _file(folder: Folder, entry: "os.DirEntry[str]", names: str, place: str) -> FileToAdd | None:
    """Return a file, or the problem with it; None for what is none, and for one that is gone again."""
    file, path = Path(entry.path), folder.path_of(names)
    now_ns = time.time_ns()
    try:
        if not entry.is_file():
            return _dangling(file, path, place) if entry.is_symlink() and not os.path.exists(file) else None
        state = state_of(entry.stat(), place, now_ns=now_ns)
        address = address_of(file.resolve()) if entry.is_symlink() else place
    except FileNotFoundError:
        return None
    except (OSError, RuntimeError) as error:
        if entry.is_symlink():
            return _dangling(file, path, place)
        return FileToAdd(file, path, place, place, problem=unreadable(error, "file"))
    return FileToAdd(file, path, address, place, state)


def _dangling(file: Path, path: str, place: str) -> FileToAdd:
    problem = Reason("unreadable", "The link leads to no file that can be read. Mend it, or take it away.")
    return FileToAdd(file, path, place, place, problem=problem, dangling=True)


def _unlisted(folder: Folder, names: str, address: str, error: OSError) -> FileToAdd:
    file = Path(os.path.join(folder.path, names))
    return FileToAdd(file, readable(str(file)), address, address, problem=unreadable(error, "folder"))


def _at(path: Path) -> Iterator[FileToAdd]:
    name = readable(str(path))
    try:
        path.stat()
    except PermissionError as error:
        return iter([FileToAdd(path, name, problem=unreadable(error, "file"))])
    except (OSError, ValueError) as error:
        raise NotFoundError(f"There is no file or folder {name!r}.") from error
    if path.is_dir():
        return scan(Folder.at(path))
    if not path.is_file():
        raise UsageError(f"{name!r} is a pipe, socket or device. Only files and folders can be added.", code="no_file")
    return iter([FileToAdd(path, readable(path.name), address_of(path.resolve()))])


def unreadable(error: Exception, what: str) -> Reason:
    """Return the reason of a file or folder that the system doesn't give."""
    why = getattr(error, "strerror", None) or type(error).__name__
    return Reason("unreadable", f"The {what} can't be read ({why}). See that it is there and may be read, then add it again.")
