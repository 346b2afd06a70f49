"""OCR without an engine, for tests and examples: it reads the pictures that `PlainTextParser` leaves, as sure as they say."""

from collections.abc import Callable, Sequence
from pathlib import Path

from pincite.adapters.memory.parser import CONTENT_TYPE, LETTER_WIDTH, LINE_HEIGHT, MARGIN, PICTURE, PNG
from pincite.core.documents import Block, BlockRole, CanonicalText, Page, Reason, SourceRun
from pincite.core.errors import NotFoundError
from pincite.core.merging import merged_all
from pincite.core.ocr import ReadWord
from pincite.core.ports.ocr import PageNotes, ReadPages

UNREADABLE = "!"
UNSURE, SURE = 0.5, 1.0


class MemoryOcr:
    """Implements `PageReader`: each line `%% words` of a page is a paragraph, and in a picture of that parser its name.

    It is unsure of words that end with `?`, and can't read a page that has the word `!`. Words stand on the grid of the parser.
    `asked` are the pages that it was asked for.
    """

    name = "memory"

    def __init__(self, version: str = "1") -> None:
        self.version = version
        self.asked: list[int] = []

    async def read(
        self,
        path: Path,
        *,
        content_type: str,
        pages: Sequence[Page],
        on_page: Callable[[int], None] | None = None,
        notes: PageNotes | None = None,
    ) -> ReadPages:
        """Read pages; see the port."""
        reader = f"{self.name} {self.version}"
        known = await notes.known(reader) if notes else dict[int, bytes]()
        drawn = _pages(path) if content_type == CONTENT_TYPE else _picture(path)
        read: list[CanonicalText] = []
        failed: dict[int, Reason] = {}
        for done, page in enumerate(pages, start=1):
            text = known.get(page.number, b"").decode() or self._recognise(page, drawn)
            if UNREADABLE in text.split():
                failed[page.number] = Reason("timeout", "it took too long to read")
            else:
                read.append(_read(page, text))
                if notes and page.number not in known:
                    await notes.keep(reader, page.number, text.encode())
            if on_page:
                on_page(done)
        canonical = merged_all(read)
        title = canonical.text.partition("\n")[0] or None
        return ReadPages(canonical, title, failed)

    def _recognise(self, page: Page, drawn: Sequence[str]) -> str:
        self.asked.append(page.number)
        return drawn[page.number - 1] if page.number <= len(drawn) else UNREADABLE

    def close(self) -> None:
        """Hold nothing."""


def _pages(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").split("\f")
    except OSError as error:
        raise NotFoundError(f"There is no file {path.name!r} that can be read.") from error


def _picture(path: Path) -> list[str]:
    data = path.read_bytes()
    return [PICTURE + data.removeprefix(PNG).decode()] if data.startswith(PNG) else []


def _read(page: Page, drawn: str) -> CanonicalText:
    text = ""
    blocks: list[Block] = []
    runs: list[SourceRun] = []
    words: list[ReadWord] = []
    at = 0
    for row, line in enumerate(drawn.split("\n")):
        shown = line.removeprefix(PICTURE)
        if shown != line and shown.strip():
            text += "\n\n" if text else ""
            blocks.append(Block(BlockRole.BODY, len(text), len(text) + len(shown), page.number))
            runs.append(SourceRun(len(text), len(shown), page.number, at + len(PICTURE), len(shown)))
            words += _words(page.number, at + len(PICTURE), shown, row)
            text += shown
        at += len(line) + 1
    return CanonicalText(text, tuple(blocks), (page,), tuple(runs), tuple(words))


def _words(page: int, at: int, line: str, row: int) -> list[ReadWord]:
    found: list[ReadWord] = []
    column = 0
    for word in line.split():
        column = line.index(word, column)
        x, y = MARGIN + (len(PICTURE) + column) * LETTER_WIDTH, MARGIN + row * LINE_HEIGHT
        sure = UNSURE if word.endswith("?") else SURE
        found.append(ReadWord(page, at + column, len(word), x, y, x + len(word) * LETTER_WIDTH, y + LINE_HEIGHT, sure))
        column += len(word)
    return found
