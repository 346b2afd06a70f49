"""A parser without a child process, for tests and examples: it reads a small text format whose pages and boxes are known."""

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from pincite.core.documents import Block, BlockRole, Box, CanonicalText, Page, PagePicture, ParsedDocument, SourceRun
from pincite.core.errors import NotFoundError, RefusedInput
from pincite.core.figures import FigurePlace, Picture
from pincite.core.ports.ocr import PageNotes
from pincite.core.ports.parsing import ContainedFile, ParseProgress

CONTENT_TYPE = "text/plain"
PARSER, VERSION = "memory", "1"
PAGE_WIDTH, PAGE_HEIGHT = 612.0, 792.0
MARGIN, LETTER_WIDTH, LINE_HEIGHT = 72.0, 6.0, 12.0
PICTURE = "%% "
_INNER = re.compile(r"^@@ (.+)\n", re.MULTILINE)
PNG = b"\x89PNG\r\n\x1a\n"
_PICTURE, _LOGO = re.compile(r"!\[([\w ]+)\] "), "logo"
_HEADING = re.compile(r"(#{1,6}) ")


class PlainTextParser:
    """Implements `Parser` for UTF-8 text: a form feed begins a page, `# ` a heading, a blank line a paragraph.

    A paragraph that a form feed cuts goes on over the page break. A line `@@ name` begins a file inside, up to the next such line.
    A line `%% words` is a picture of words, which OCR alone can read (`MemoryOcr`).
    A line `![name] caption` is a picture with its caption; one called `logo` isn't kept.

    Letters stand on a grid: column c of line n of a page has its box at `MARGIN + c * LETTER_WIDTH`, `MARGIN + n * LINE_HEIGHT`.
    Run indices count characters within their page.
    """

    async def parse(
        self,
        path: Path,
        *,
        name: str,
        on_progress: Callable[[ParseProgress], None] | None = None,
        notes: PageNotes | None = None,
    ) -> ParsedDocument:
        """Read a file; see the port. Without OCR nothing is noted."""
        text, *inner = _INNER.split(_read(path))
        pages = text.split("\f")
        builder = _Builder()
        for number, page in enumerate(pages, start=1):
            for at, line in _lines(page):
                builder.add(number, at, "" if line.startswith(PICTURE) else line)
            if on_progress:
                on_progress(ParseProgress(number, len(pages)))
        canonical = builder.build(len(pages))
        unread = tuple(number for number, page in enumerate(pages, start=1) if is_picture(page))
        if not canonical.text and not unread:
            raise RefusedInput("The file holds no text.", code="no_text")
        return ParsedDocument(
            canonical=canonical,
            content_type=CONTENT_TYPE,
            parser=PARSER,
            parser_version=VERSION,
            title=builder.title,
            contained=len(inner) // 2,
            pages_unread=len(unread),
            unread=unread,
            figures=tuple(builder.figures),
        )

    async def unpack(self, path: Path, *, name: str, into: Path) -> list[ContainedFile]:
        """Write the files inside a file into a folder; see the port."""
        _, *inner = _INNER.split(_read(path))
        files: list[ContainedFile] = []
        for number, (called, text) in enumerate(zip(inner[::2], inner[1::2], strict=True)):
            (into / str(number)).write_text(text, encoding="utf-8")
            files.append(ContainedFile(called, into / str(number)))
        return files

    async def pictures(self, path: Path, *, name: str, places: Sequence[FigurePlace], into: Path) -> list[Picture | None]:
        """Write the beginning of a PNG in place of each picture, and the words that stand for it; see the port."""
        found: list[Picture | None] = []
        for number, place in enumerate(places):
            (into / str(number)).write_bytes(PNG + place.source.encode())
            found.append(Picture(into / str(number), "image/png", 100, 100) if place.source != _LOGO else None)
        return found

    async def version_of(self, parser: str) -> str | None:
        """Return the version that a parser has by now."""
        return VERSION if parser == PARSER else None

    async def boxes(self, path: Path, *, content_type: str, runs: Sequence[SourceRun]) -> list[list[Box]]:
        """Return the boxes of runs; see the port."""
        if content_type != CONTENT_TYPE:
            return [[] for _ in runs]
        pages = _read(path).split("\f")
        return [_boxes(pages[run.page - 1], run) if 1 <= run.page <= len(pages) else [] for run in runs]

    async def picture(self, path: Path, *, content_type: str, page: int, width: int) -> PagePicture:
        """Return the beginning of a PNG in place of a picture; see the port."""
        if content_type != CONTENT_TYPE:
            raise NotFoundError(f"Pages of texts alone can be shown as pictures; this is {content_type}.", code="no_picture")
        pages = _read(path).count("\f") + 1
        if not 1 <= page <= pages:
            raise NotFoundError(f"There is no page {page}: the document has {pages}.", code="page")
        return PagePicture(PNG, width, round(width * PAGE_HEIGHT / PAGE_WIDTH), PAGE_WIDTH, PAGE_HEIGHT)

    def close(self) -> None:
        """Hold nothing."""


def is_picture(page: str) -> bool:
    """Whether a page has pictures of words, and no words."""
    lines = [line for line in page.split("\n") if line.strip()]
    return bool(lines) and all(line.startswith(PICTURE) for line in lines)


def _read(path: Path) -> str:
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise NotFoundError(f"There is no file {path.name!r} that can be read.") from error
    if not raw:
        raise RefusedInput("The file is empty.", code="empty_file")
    if b"\0" in raw:
        raise RefusedInput("The file is no text.", code="unsupported")
    try:
        return raw.decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise RefusedInput("The text isn't UTF-8. Save it as UTF-8 and add it again.", code="encoding") from error


def _lines(page: str) -> Iterator[tuple[int, str]]:
    at = 0
    for line in page.split("\n"):
        yield at, line
        at += len(line) + 1


def _boxes(page: str, run: SourceRun) -> list[Box]:
    found: list[Box] = []
    for number, (at, line) in enumerate(_lines(page)):
        first, last = max(run.index, at), min(run.index + run.count, at + len(line))
        if first < last:
            x, y = MARGIN + (first - at) * LETTER_WIDTH, MARGIN + number * LINE_HEIGHT
            found.append(Box(x, y, MARGIN + (last - at) * LETTER_WIDTH, y + LINE_HEIGHT))
    return found


class _Builder:
    """Collects lines as blocks."""

    def __init__(self) -> None:
        self.title: str | None = None
        self._text = ""
        self._blocks: list[Block] = []
        self._runs: list[SourceRun] = []
        self._is_open = False
        self.figures: list[FigurePlace] = []

    def add(self, page: int, index: int, line: str) -> None:
        """Add a line of a page, which begins at `index` of it."""
        heading = _HEADING.match(line)
        if heading:
            self._is_open = False
            self._write(page, index + heading.end(), line[heading.end() :], heading=len(heading.group(1)))
            self.title = self.title or self._text[self._blocks[-1].start :]
        elif picture := _PICTURE.match(line):
            self._is_open = False
            self._write(page, index + picture.end(), line[picture.end() :].rstrip())
            self.figures.append(FigurePlace(self._blocks[-1].start, len(self._text), page, None, picture.group(1)))
        elif line.strip():
            self._write(page, index, line.rstrip())
        self._is_open = not heading and not _PICTURE.match(line) and bool(line.strip())

    def _write(self, page: int, index: int, text: str, *, heading: int = 0) -> None:
        if self._text:
            self._text += " " if self._is_open else "\n\n"
        start = len(self._text)
        self._text += text
        self._runs.append(SourceRun(start, len(text), page, index, len(text)))
        if self._is_open:
            last = self._blocks.pop()
            self._blocks.append(Block(last.role, last.start, len(self._text), last.page))
        else:
            role = BlockRole.HEADING if heading else BlockRole.BODY
            self._blocks.append(Block(role, start, len(self._text), page, heading))

    def build(self, pages: int) -> CanonicalText:
        """Return what was collected."""
        numbered = (Page(number, str(number), PAGE_WIDTH, PAGE_HEIGHT) for number in range(1, pages + 1))
        return CanonicalText(self._text, tuple(self._blocks), tuple(numbered), tuple(self._runs))
