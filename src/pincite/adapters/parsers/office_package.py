"""Office files as packages of parts (Open Packaging Conventions, ISO/IEC 29500-2): what they are, which part refers to which."""

import posixpath
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from urllib.parse import unquote
from xml.etree.ElementTree import Element

from pincite.adapters.parsers.archive import Archive
from pincite.adapters.parsers.xml_parts import children, tree
from pincite.core.errors import RefusedInput

_MAX_SMALL_PART_BYTES = 64 * 1024 * 1024
_MAX_RELATIONS = 100_000
_USUAL_PARTS = ("word/document.xml", "ppt/presentation.xml", "xl/workbook.xml", "xl/workbook.bin")


class OfficeKind(Enum):
    """What an office file holds, as the content type of its main part says."""

    TEXT = "wordprocessingml"
    SLIDES = "presentationml"
    SHEETS = "spreadsheetml"


@dataclass(frozen=True, slots=True)
class Relation:
    """A reference from one part to another. `kind` is the last word of its type; `target` is None outside the package."""

    kind: str
    target: str | None


@dataclass(frozen=True, slots=True)
class OfficeBounds:
    """What one office file may cost: bytes unpacked in all, depth of XML elements."""

    unpacked_bytes: int = 512 * 1024 * 1024
    depth: int = 400


class OfficePackage:
    """An open office file. Missing parts are empty; damaged parts raise `RefusedInput` (`corrupt`)."""

    def __init__(self, archive: Archive, bounds: OfficeBounds, beat: Callable[[], None] = lambda: None) -> None:
        self.beat = beat
        """Call it now and then while at work: whoever waits hears that reading goes on."""
        self._archive = archive
        self._bounds = bounds
        self._types = self._content_types()
        self._relations: dict[str, Mapping[str, Relation]] = {}
        self.main = self._main_part()

    @property
    def kind(self) -> OfficeKind | None:
        """What the file holds; None for another kind of package."""
        declared = self._types.get(self.main.lower(), "")
        for kind in OfficeKind:
            if kind.value in declared:
                return kind
        folders = {"word": OfficeKind.TEXT, "ppt": OfficeKind.SLIDES, "xl": OfficeKind.SHEETS}
        return folders.get(self.main.lower().partition("/")[0])

    def content_type(self, part: str) -> str:
        """Return the declared content type of a part, empty where there is none."""
        return self._types.get(part.lower()) or self._types.get(posixpath.splitext(part.lower())[1], "")

    def relations(self, part: str) -> Mapping[str, Relation]:
        """Return the references of a part by their id; "" for those of the package itself."""
        if part not in self._relations:
            folder, name = posixpath.split(part)
            self._relations[part] = self._read_relations(posixpath.join(folder, "_rels", f"{name}.rels"), folder)
        return self._relations[part]

    def related(self, part: str, kind: str) -> str | None:
        """Return the first part of a kind that a part refers to, None when there is none in the package."""
        targets = (relation.target for relation in self.relations(part).values() if relation.kind == kind)
        return next((target for target in targets if target and target in self._archive), None)

    def has(self, part: str | None) -> bool:
        """Whether there is such a part."""
        return bool(part) and part in self._archive

    def children(self, part: str | None, *, level: int = 1) -> Iterator[Element]:
        """Yield the elements `level` deep under a part's root, one at a time; nothing when there is no such part."""
        if part and part in self._archive:
            yield from children(self._chunks(part), level=level, max_depth=self._bounds.depth)

    def tree(self, part: str | None) -> Element:
        """Return the root of a part, an element without name when there is no such part."""
        if not part or part not in self._archive:
            return Element("")
        return tree(self._chunks(part), max_depth=self._bounds.depth)

    def _chunks(self, part: str) -> Iterator[bytes]:
        for piece in self._archive.chunks(part):
            self.beat()
            yield piece

    def read(self, part: str) -> bytes:
        """Return the bytes of a part that is in the package."""
        return self._archive.read(part, max_bytes=_MAX_SMALL_PART_BYTES)

    def _content_types(self) -> dict[str, str]:
        types: dict[str, str] = {}
        for element in self.children("[Content_Types].xml"):
            name = element.get("PartName", "").lstrip("/") or f".{element.get('Extension', '')}"
            types[name.lower()] = element.get("ContentType", "").lower()
        return types

    def _main_part(self) -> str:
        declared = self.related("", "officeDocument")
        return declared or next((part for part in _USUAL_PARTS if part in self._archive), "")

    def _read_relations(self, part: str, folder: str) -> dict[str, Relation]:
        relations: dict[str, Relation] = {}
        for element in self.children(part):
            if len(relations) >= _MAX_RELATIONS:
                break
            is_outside = element.get("TargetMode", "").lower() == "external"
            target = None if is_outside else _resolve(folder, element.get("Target", ""))
            relations[element.get("Id", "")] = Relation(element.get("Type", "").rpartition("/")[2], target)
        return relations


def _resolve(folder: str, target: str) -> str | None:
    path = unquote(target.replace("\\", "/").partition("#")[0])
    joined = path if path.startswith("/") else posixpath.join("/", folder, path)
    return posixpath.normpath(joined).lstrip("/") or None


@contextmanager
def open_package(path: str, bounds: OfficeBounds, *, beat: Callable[[], None] = lambda: None) -> Generator[OfficePackage]:
    """Open an office file. Raises `RefusedInput` (`corrupt`, `encrypted`, `too_large`, `unsupported` for other archives)."""
    with open(path, "rb") as file:
        archive = Archive(file, max_bytes=bounds.unpacked_bytes)
        if not _has_parts(archive):
            raise _other_archive(archive)
        yield OfficePackage(archive, bounds, beat)


def is_office(archive: Archive) -> bool:
    """Whether an archive is a file of an office program, also of one that isn't read."""
    return "mimetype" in archive or _has_parts(archive)


def _has_parts(archive: Archive) -> bool:
    return "[Content_Types].xml" in archive or any(part in archive for part in _USUAL_PARTS)


def _other_archive(archive: Archive) -> RefusedInput:
    declared = archive.read("mimetype", max_bytes=4096).decode("ascii", "replace") if "mimetype" in archive else ""
    match declared.strip():
        case "application/vnd.oasis.opendocument.presentation":
            return unsupported("an OpenDocument presentation (ODP)", "Save it as PPTX or PDF.")
        case "application/vnd.oasis.opendocument.spreadsheet":
            return unsupported("an OpenDocument spreadsheet (ODS)", "Save it as PDF.")
        case opendocument if opendocument.startswith("application/vnd.oasis.opendocument"):
            return unsupported("an OpenDocument file (ODT)", "Save it as DOCX or PDF.")
        case _:
            return unsupported("a file of an unknown program", "Save it as PDF.")


def unsupported(what: str, advice: str) -> RefusedInput:
    """Return the error for a format that isn't read, with what to do instead."""
    return RefusedInput(f"The file is {what}, which can't be read yet. {advice}", code="unsupported")
