"""Office files as packages of parts (Open Packaging Conventions, ISO/IEC 29500-2): what they are, which part refers to which."""

import posixpath
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from urllib.parse import unquote

from pincite.adapters.parsers.archive import Archive
from pincite.adapters.parsers.office_parts import OfficeBounds, OfficeParts

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


class OfficePackage(OfficeParts):
    """An open office file of Microsoft's formats, whose parts refer to each other."""

    def __init__(self, archive: Archive, bounds: OfficeBounds, beat: Callable[[], None] = lambda: None) -> None:
        super().__init__(archive, bounds, beat)
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


def is_package(archive: Archive) -> bool:
    """Whether an archive is a file of an office program of these formats, also of one that isn't read."""
    return "[Content_Types].xml" in archive or any(part in archive for part in _USUAL_PARTS)
