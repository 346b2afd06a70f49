"""A page reader that has every page read in a child process of its own kind: it holds the models, and stands back behind others."""

import json
import shutil
import subprocess
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, cast

from pincite.adapters.parsers.isolation import absolute
from pincite.adapters.parsers.lanes import Job, Lane, close_all
from pincite.adapters.parsers.limits import ParseLimits
from pincite.adapters.parsers.wire import BadResult, decode_document, decode_size
from pincite.core.documents import Page, ParsedDocument, Reason
from pincite.core.errors import NotFoundError, RefusedInput
from pincite.core.merging import merged_all
from pincite.core.ports.ocr import PageNotes, ReadPages

_LAYOUT = "1"
"""To be raised when `ocr_layout` makes another text of the same words; kept here, since importing that would hold others up."""
_MOST_TOGETHER = 200
"""Pages laid out as one: running heads and sentences are followed over that many."""
_NICE = 10
_START_S = 10
_MOST_WAITING = 5
"""Times the processor time of a page, by the clock: on a busy machine others come first."""

_SENTENCES = {
    "timeout": "it took too long to read",
    "memory": "reading it needs more memory than a page may use",
    "crashed": "it made its reader stop",
    "corrupt": "it is damaged",
}


@dataclass(frozen=True, slots=True)
class OcrEngine:
    """An OCR engine, and what its child needs to be told to load it."""

    name: str
    version: str
    arguments: tuple[str, ...] = ()


def rapidocr_engine() -> OcrEngine | None:
    """Return rapidocr where it is installed, without importing it."""
    try:
        return OcrEngine("rapidocr", version("rapidocr"))
    except PackageNotFoundError:
        return None


def tesseract_engine(languages: str) -> OcrEngine | None:
    """Return the program tesseract where it is installed and runs."""
    program = shutil.which("tesseract")
    try:
        said = subprocess.run([program, "--version"], capture_output=True, check=True, timeout=_START_S) if program else None
    except (OSError, subprocess.SubprocessError):
        return None
    if program is None or said is None:
        return None
    number = said.stdout.decode(errors="replace").partition("\n")[0].removeprefix("tesseract").strip()
    return OcrEngine("tesseract", f"{number} {languages}", (program, languages))


class IsolatedOcr:
    """Implements `PageReader`. One page at a time is read, in a child that nothing else is asked of."""

    def __init__(self, engine: OcrEngine, *, page_timeout_s: float, memory_bytes: int, limits: ParseLimits | None = None) -> None:
        self._engine = engine
        bounds = limits or ParseLimits()
        self._limits = replace(
            bounds,
            # Address space holds shared libraries and what is only reserved; what is written to is bounded.
            memory_bytes=4 * memory_bytes,
            data_bytes=memory_bytes,
            cpu_s=page_timeout_s,
            timeout_s=_MOST_WAITING * page_timeout_s,
            stall_s=_MOST_WAITING * page_timeout_s,
            nice=_NICE,
        )
        self._lane = Lane(self._limits, 1, "ocr")
        self._finalizer = weakref.finalize(self, close_all, (self._lane,))

    @property
    def name(self) -> str:
        """The engine's name."""
        return self._engine.name

    @property
    def version(self) -> str:
        """The engine's version, and that of the rules that lay its lines out."""
        return f"{self._engine.version}/{_LAYOUT}"

    async def read(
        self,
        path: Path,
        *,
        content_type: str,
        pages: Sequence[Page],
        on_page: Callable[[int], None] | None = None,
        notes: PageNotes | None = None,
    ) -> ReadPages:
        """Read pages; see the port. What is noted of a page are its lines: they are laid out together with those of the others."""
        _check(path)
        noted = _Noted(notes, f"{self.name} {self.version}")
        known = await noted.known()
        read: list[dict[str, Any]] = []
        failed: dict[int, Reason] = {}
        for done, page in enumerate(pages, start=1):
            try:
                found = known.get(page.number) or await noted.kept(page, await self._recognise(path, content_type, page))
                read.append(_placed(found, page))
            except RefusedInput as error:
                failed[page.number] = Reason(error.code, _SENTENCES.get(error.code) or error.message.rstrip("."))
            if on_page:
                on_page(done)
        laid = [await self._lay_out(read[start : start + _MOST_TOGETHER]) for start in range(0, len(read), _MOST_TOGETHER)]
        titles = (document.title for document in laid)
        return ReadPages(merged_all([document.canonical for document in laid]), next(filter(None, titles), None), failed)

    async def _recognise(self, path: Path, content_type: str, page: Page) -> dict[str, Any]:
        request = {
            "task": "recognise",
            "engine": [self._engine.name, *self._engine.arguments],
            "path": absolute(path),
            "content_type": content_type,
            "page": page.number,
        }
        return await self._lane.run(Job(request, _checked))

    async def _lay_out(self, pages: Sequence[dict[str, Any]]) -> ParsedDocument:
        return await self._lane.run(Job({"task": "lay_out", "pages": pages}, decode_document))

    def close(self) -> None:
        """End the child."""
        self._finalizer()


@dataclass(frozen=True, slots=True)
class _Noted:
    """Notes of one reader, of which there may be none."""

    notes: PageNotes | None
    reader: str

    async def known(self) -> dict[int, dict[str, Any]]:
        """Return what is known of pages."""
        if self.notes is None:
            return {}
        return {number: json.loads(data) for number, data in (await self.notes.known(self.reader)).items()}

    async def kept(self, page: Page, found: dict[str, Any]) -> dict[str, Any]:
        """Return what was found on a page, noted."""
        if self.notes:
            await self.notes.keep(self.reader, page.number, json.dumps(found).encode())
        return found


def _placed(found: dict[str, Any], page: Page) -> dict[str, Any]:
    """Return what was found on a page as the child asks to have it laid out."""
    return {**found, "number": page.number, "label": page.label, "width": found["size"][0], "height": found["size"][1]}


def _check(path: Path) -> None:
    if not path.is_file():
        raise NotFoundError(f"There is no file {path.name!r} that can be read.")


def _checked(value: object) -> dict[str, Any]:
    """Return what the child says of a page: its lines, as it asks to have them laid out. Raises `BadResult`."""
    found = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    size, lines = found.get("size"), found.get("lines")
    if not isinstance(size, list) or not isinstance(lines, list) or found.get("turns") not in (0, 1, 2, 3):
        raise BadResult("no page")
    width, height = decode_size(cast("list[object]", size))
    return {"size": [width, height], "turns": found["turns"], "lines": lines}
