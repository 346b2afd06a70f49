"""Homes to back up, made without a model, and archives made or spoilt by hand."""

import hashlib
import io
import tarfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pincite.bootstrap import backups
from pincite.client import Pincite
from pincite.settings import Settings, load_settings
from pincite.upkeep.backups import Backups

TEXTS = ("The pump needs oil every week.", "The valve of hall seven leaks.", "In winter the boiler runs hot.")


def settings_of(home: Path) -> Settings:
    """Return settings without an embedding model."""
    return load_settings({}, home=str(home), embedding="none")


def backups_of(home: Path) -> Backups:
    return backups(settings_of(home))


async def fill(home: Path, texts: Sequence[str] = TEXTS) -> Path:
    """Add texts to a home, one document each."""
    async with Pincite(settings=settings_of(home)) as client:
        for number, text in enumerate(texts):
            assert (await client.add_text(text, path=f"text{number}.md")).stage.value == "ready"
    return home


async def found(home: Path) -> list[tuple[str, str, float]]:
    """Return what a search over everything finds."""
    async with Pincite(settings=settings_of(home)) as client:
        hits = await client.search("pump oil valve hall winter boiler", limit=100)
    return [(hit.best.path, hit.text, round(hit.best.scores.fused, 6)) for hit in hits]


def contents(folder: Path) -> dict[str, bytes]:
    """Return all files of a folder; those of the indexes apart, which come and go."""
    paths = [path for path in folder.rglob("*") if path.is_file() and "index" not in path.relative_to(folder).parts]
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


@dataclass(frozen=True, slots=True)
class Entry:
    """A member as tarfile writes it."""

    name: str
    data: bytes = b""
    kind: bytes = tarfile.REGTYPE
    linkname: str = ""


def entries_of(archive: Path) -> list[Entry]:
    """Read an archive with the standard library."""
    with tarfile.open(archive, "r:") as tar:
        found: list[Entry] = []
        for info in tar:
            file = tar.extractfile(info)
            assert file is not None
            found.append(Entry(info.name, file.read()))
        return found


def write_archive(archive: Path, entries: Iterable[Entry], *, format: int = tarfile.GNU_FORMAT) -> None:
    with tarfile.open(archive, "w:", format=format) as tar:
        for entry in entries:
            info = tarfile.TarInfo(entry.name)
            info.size, info.type, info.linkname = len(entry.data), entry.kind, entry.linkname
            tar.addfile(info, io.BytesIO(entry.data))


def rewritten(archive: Path, change: Callable[[list[Entry]], list[Entry]]) -> None:
    """Change an archive's members."""
    write_archive(archive, change(entries_of(archive)))


def blob(data: bytes) -> Entry:
    """Return bytes as a backup holds them."""
    sha256 = hashlib.sha256(data).hexdigest()
    return Entry(f"blobs/{sha256[:2]}/{sha256[2:]}", data)
