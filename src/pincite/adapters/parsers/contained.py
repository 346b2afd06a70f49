"""Files inside files: the names that they get."""

import unicodedata
from collections.abc import Sequence
from pathlib import PurePosixPath

_MAX_CHARS = 150


class FileNames:
    """Gives out names of files in one folder: each once, compared as careless file systems do."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def take(self, wanted: str, *, usual: str) -> str:
        """Return a name for a file: the last part of the wanted one without what has no place in a name, else the usual one.

        Of equal names the second becomes `name (2).end`.
        """
        return self.take_path([safe_name(wanted)], usual=usual)

    def take_path(self, parts: Sequence[str], *, usual: str) -> str:
        """Return a way to a file, from safe names; the same rules hold for its last part."""
        name = "/".join(filter(None, parts)) or usual
        end = PurePosixPath(name).suffix
        stem = name.removesuffix(end)
        number = 1
        while unicodedata.normalize("NFC", name).casefold() in self._taken:
            number += 1
            name = f"{stem} ({number}){end}"
        self._taken.add(unicodedata.normalize("NFC", name).casefold())
        return name


def safe_name(wanted: str) -> str:
    """Return the last part of a path as a name on one line; empty when nothing is left of it."""
    name = wanted.replace("\\", "/").rstrip("/").rpartition("/")[2]
    kept = "".join(c for c in " ".join(name.split()) if unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Co", "Cn")).strip()
    end = PurePosixPath(kept).suffix[:20]
    kept = kept if len(kept) <= _MAX_CHARS else kept[: _MAX_CHARS - len(end)] + end
    return "" if kept.strip(". ") == "" else kept
