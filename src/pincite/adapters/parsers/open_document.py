"""OpenDocument files (ISO/IEC 26300): what they hold, and where their text and styles stand."""

import posixpath
import re
from collections.abc import Callable
from urllib.parse import unquote
from xml.etree.ElementTree import Element

from pincite.adapters.parsers.archive import Archive
from pincite.adapters.parsers.office_package import OfficeKind
from pincite.adapters.parsers.office_parts import OfficeBounds, OfficeParts
from pincite.adapters.parsers.xml_parts import Selection
from pincite.core.errors import RefusedInput

CONTENT, STYLES = "content.xml", "styles.xml"
_META, _MIMETYPE, _MANIFEST = "meta.xml", "mimetype", "META-INF/manifest.xml"
_PREFIX = "application/vnd.oasis.opendocument."
_KINDS = {
    "text": OfficeKind.TEXT,
    "presentation": OfficeKind.SLIDES,
    "graphics": OfficeKind.SLIDES,
    "spreadsheet": OfficeKind.SHEETS,
}
_VARIANT = re.compile("-(?:template|master|web)(?:-template)?$")
_BODY = Selection(skipped=frozenset({"office_body"}))
_LENGTH = re.compile(r"(-?\d{1,9}(?:\.\d{1,12})?)(cm|mm|in|pt|pc|px)")
_POINTS = {"cm": 72 / 2.54, "mm": 7.2 / 2.54, "in": 72.0, "pt": 1.0, "pc": 12.0, "px": 0.75}


def is_open_document(archive: Archive) -> bool:
    """Whether an archive is an OpenDocument file, also one that isn't read."""
    return _declared_type(archive).startswith(_PREFIX) or (CONTENT in archive and _MANIFEST in archive)


def _declared_type(archive: Archive) -> str:
    return archive.read(_MIMETYPE, max_bytes=4096).decode("ascii", "replace").strip() if _MIMETYPE in archive else ""


class OpenDocument(OfficeParts):
    """An open OpenDocument file. Raises `RefusedInput` (`encrypted`) for one that is locked."""

    # As the program that began the format did in its lists of parts.
    may_name_type = True

    def __init__(self, archive: Archive, bounds: OfficeBounds, beat: Callable[[], None] = lambda: None) -> None:
        super().__init__(archive, bounds, beat)
        self._type = _declared_type(archive)
        try:
            self._read_manifest()
        except RefusedInput as error:
            # What is read is found without it, and files of well-known programs have broken ones.
            if error.code != "corrupt":
                raise

    def _read_manifest(self) -> None:
        for entry in self.children(_MANIFEST):
            self._check(entry.get("manifest_full-path", ""), is_locked=entry.find("manifest_encryption-data") is not None)
            if entry.get("manifest_full-path") == "/":
                self._type = self._type or entry.get("manifest_media-type", "")

    def _check(self, part: str, *, is_locked: bool) -> None:
        # A part of its own holds everything since ODF 1.4.
        if is_locked and part in (CONTENT, "encrypted-package"):
            raise RefusedInput("The file is protected by a password. Add a copy without a password.", code="encrypted")

    @property
    def kind(self) -> OfficeKind | None:
        """What the file holds; None for what has no text of its own."""
        return _KINDS.get(_VARIANT.sub("", self._type.removeprefix(_PREFIX)))

    @property
    def declared_title(self) -> str:
        """The title in its properties, empty without one."""
        titles = (element.text or "" for element in self.children(_META, level=2) if element.tag == "dc_title")
        return next(titles, "")

    def style_elements(self, part: str) -> list[Element]:
        """Return the styles of a part."""
        return list(self.children(part, level=2, selection=_BODY))

    def linked(self, link: str, *, base: str = "") -> str | None:
        """Return the part that a link leads to, None for one that leads out of the file."""
        path = posixpath.normpath(posixpath.join(posixpath.dirname(base), unquote(link.removeprefix("./"))))
        return path if ":" not in link and self.has(path) else None


def points(length: str | None) -> float | None:
    """Return a length in points, None for what is none."""
    found = _LENGTH.fullmatch(length or "")
    return float(found.group(1)) * _POINTS[found.group(2)] if found else None
