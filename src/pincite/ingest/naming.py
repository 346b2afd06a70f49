"""Names: what may stand in a path or title, which paths a file can have, and which document somebody means."""

import os
import unicodedata
from collections.abc import Callable, Sequence
from pathlib import Path
from urllib.parse import unquote_to_bytes

from pincite.core.documents import Document
from pincite.core.errors import UsageError

_BIDI_CONTROLS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def readable(name: str) -> str:
    """Return a file name with U+FFFD for what isn't UTF-8 in it: no database and no console takes the raw bytes."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def whole(text: str) -> str:
    """Return a text with U+FFFD for each lone surrogate; pairs of surrogates become the character that they stand for."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def printable(text: str) -> str:
    """Return a name or title on one line, without characters that steer a terminal or turn the direction of writing."""
    line = " ".join(text.split())
    return "".join(c for c in line if unicodedata.category(c) not in {"Cc", "Cs"} and c not in _BIDI_CONTROLS).strip()


def paths_for(file: Path, path: str) -> tuple[str, ...]:
    """Return the paths that a file's document can have, shortest first: the wanted one, then with more folders before it."""
    parts = file.resolve().parts
    longer = ("/".join(parts[-depth:]) for depth in range(path.count("/") + 2, len(parts) + 1))
    return tuple(dict.fromkeys(readable(each).lstrip("/") for each in (path, *longer)))


def address_of(path: Path) -> str:
    """Return the address of an absolute path; bytes that aren't UTF-8 stand in it as they are."""
    return path.as_uri()


def file_at(address: str) -> str:
    """Return the name of the file at an address, as it is shown."""
    return readable(os.fsdecode(unquote_to_bytes(address.removeprefix("file://"))))


def text_path(path: str) -> str:
    """Return the path of a text without empty parts. Raises `UsageError` when nothing is left, or for `..`."""
    plain = plain_path(path)
    if not plain:
        raise UsageError(f"{path!r} is no path for a text. Give it one such as `notes/minutes.md`.", code="path")
    return plain


def plain_path(path: str) -> str:
    """Return a path without empty parts; empty when nothing is left, or for one that leads out by `..`."""
    parts = [part for part in whole(path).strip().split("/") if part not in {"", "."}]
    return "" if ".." in parts else "/".join(parts)


def named(documents: Sequence[Document], name: str) -> list[Document]:
    """Return the documents that a name means: an id, else a path, an address, a file name (or the end of a path), a title."""
    address = _address(name)
    tests: tuple[Callable[[Document], bool], ...] = (
        lambda document: document.id == name,
        lambda document: document.path == name,
        lambda document: document.source_uri in {name, address},
        lambda document: _ends_with(document.path, name),
        lambda document: document.title.casefold() == name.casefold(),
    )
    for means in tests:
        if matches := [document for document in documents if means(document)]:
            return matches
    return []


def _ends_with(path: str, name: str) -> bool:
    """Compare whole parts only. A name from the root is one file's address, never the end of a path."""
    return bool(name) and not name.startswith("/") and f"/{path}".endswith(f"/{name}")


def _address(name: str) -> str | None:
    try:
        return Path(name).expanduser().resolve().as_uri()
    except (OSError, RuntimeError, ValueError):
        # A home folder of nobody, a loop of links, a null character: it's no file's name.
        return None
