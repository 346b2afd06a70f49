"""Text that OCR reads in the pictures of a document, made a part of its own text: words with places, behind those of the page."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from pincite.core.documents import Block, BlockRole, CanonicalText, Page, Reason, SourceRun
from pincite.core.errors import ConfigurationError, NotFoundError
from pincite.core.figures import WHOLE_PAGE, Figure, FigurePlace
from pincite.core.merging import merged, moved_starts
from pincite.core.ocr import IN_PICTURES, ReadWord
from pincite.core.ports.blobs import BlobStore
from pincite.core.ports.ocr import PageNotes, PageReader
from pincite.ingest.publishing import Reading
from pincite.language.words import words

MOST_PICTURES = 50
LEAST_SIDE_PIXELS = 100
MOST_FAILURES = 3
LEAST_CONFIDENCE = 0.5
"""Mean confidence of words below which a picture is taken for one without text: OCR sees letters in leaves and gravel."""
LEAST_LETTER_BYTES = 8
"""Bytes of letters and digits (UTF-8) below which a text is none: the points of a drawing, a mark in a corner."""
SAID_ALREADY = 0.8
"""Share of the words read in a picture of a page that the page says itself: then it is the page's own text, drawn over it."""

NotesOf = Callable[[str], PageNotes | None]
"""Returns where it is noted what OCR reads in bytes of a document, told by their hash."""


@dataclass(frozen=True, slots=True)
class PictureText:
    """Reads the text in the pictures of documents: in so many pictures of each, and none narrower than a side."""

    reader: PageReader
    most_pictures: int = MOST_PICTURES
    least_side_pixels: int = LEAST_SIDE_PIXELS

    async def read(
        self,
        reading: Reading,
        blobs: BlobStore,
        *,
        on_progress: Callable[[int, int], None],
        notes_of: NotesOf = lambda _: None,
    ) -> Reading:
        """Return a reading that isn't stored yet with the text of its pictures, which stand in the blobs.

        An engine that fails costs the text of the pictures alone; after some failures in a row it is left alone.
        """
        wanted = self._wanted(reading.figures)
        texts: list[tuple[Figure, CanonicalText]] = []
        failed: list[Reason] = []
        in_a_row = 0
        for done, figure in enumerate(wanted):
            on_progress(done, len(wanted))
            text, reason = await self._text(figure, blobs, notes_of(figure.sha256))
            in_a_row = in_a_row + 1 if reason else 0
            if reason:
                failed.append(reason)
            if in_a_row == MOST_FAILURES:
                failed += [reason for _ in wanted[done + 1 :] if reason]
                break
            if text and _is_new(text, reading.canonical, figure.place.page):
                texts.append((figure, text))
        version = reading.version
        if wanted and "+" not in version.parser:
            engine = (f"{version.parser}+{self.reader.name}", f"{version.parser_version}+{self.reader.version}")
            version = replace(version, parser=engine[0], parser_version=engine[1])
        unread = max(0, version.pages_unread - len(_pages_without_text(reading.canonical, [figure for figure, _ in texts])))
        version = replace(version, pages_unread=unread, warnings=(*version.warnings, *_remarks(failed, len(wanted))))
        return _with_texts(replace(reading, version=version), texts)

    def _wanted(self, figures: Sequence[Figure]) -> list[Figure]:
        parts = (figure for figure in figures if figure.place.source != WHOLE_PAGE)
        large = [figure for figure in parts if min(figure.width, figure.height) >= self.least_side_pixels]
        return large[: self.most_pictures]

    async def _text(self, figure: Figure, blobs: BlobStore, notes: PageNotes | None) -> tuple[CanonicalText | None, Reason | None]:
        """Return what is read in a picture, None without any text; and why it couldn't be read."""
        try:
            path = await blobs.local_path(figure.sha256)
            page = Page(1, "1", figure.width, figure.height)
            found = await self.reader.read(path, content_type=figure.content_type, pages=[page], notes=notes)
        except NotFoundError:
            return None, None
        except ConfigurationError as error:
            return None, Reason(error.code, error.message.rstrip("."))
        text = found.canonical
        return (text if _says_something(text) else None), found.failed.get(1)


def _says_something(text: CanonicalText) -> bool:
    if not text.words or len("".join(filter(str.isalnum, text.text)).encode()) < LEAST_LETTER_BYTES:
        return False
    return sum(word.confidence for word in text.words) / len(text.words) >= LEAST_CONFIDENCE


def _is_new(text: CanonicalText, canonical: CanonicalText, page: int | None) -> bool:
    """Whether a picture says what its page doesn't say itself."""
    if page is None:
        return True
    own = set[str]()
    for block in canonical.blocks:
        if block.page == page:
            own.update(words(canonical.text[block.start : block.end]))
    read = words(text.text)
    return sum(word in own for word in read) < SAID_ALREADY * len(read)


def _pages_without_text(canonical: CanonicalText, figures: Sequence[Figure]) -> set[int]:
    """Return the pages that have nothing to read but pictures."""
    return {figure.place.page for figure in figures if figure.place.page} - {block.page for block in canonical.blocks if block.page}


def _remarks(failed: Sequence[Reason], total: int) -> list[str]:
    if not failed:
        return []
    what = "The picture" if total == 1 else f"{len(failed):,} of {total:,} pictures"
    return [f"{what} could not be read by OCR: {failed[0].message}."]


def _with_texts(reading: Reading, texts: Sequence[tuple[Figure, CanonicalText]]) -> Reading:
    """Return a reading whose text has those of some of its pictures, each as a block of its own behind its page."""
    if not texts:
        return reading
    first, writer = reading.canonical, _Writer()
    for figure, text in sorted(texts, key=lambda pair: pair[0].place.page or 0):
        writer.write(figure.place, text)
    second = CanonicalText(writer.text, tuple(writer.blocks), (), tuple(writer.runs), tuple(writer.words))
    shifts, starts = moved_starts(first, second), moved_starts(first, second, of=second)
    read = {place: (starts[block.start], starts[block.start] + block.end - block.start) for place, block in writer.of_place.items()}

    def moved(place: FigurePlace) -> FigurePlace:
        shift = shifts.get(place.start, place.start) - place.start
        return replace(place, start=place.start + shift, end=place.end + shift, read=read.get(place, (0, 0)))

    figures = tuple(replace(figure, place=moved(figure.place)) for figure in reading.figures)
    return replace(reading, canonical=merged(first, second), figures=figures)


class _Writer:
    """Writes what was read in pictures as blocks of one text, its words where the pictures stand on their pages."""

    def __init__(self) -> None:
        self.text = ""
        self.blocks: list[Block] = []
        self.runs: list[SourceRun] = []
        self.words: list[ReadWord] = []
        self.of_place: dict[FigurePlace, Block] = {}
        self._index = IN_PICTURES

    def write(self, place: FigurePlace, read: CanonicalText) -> None:
        """Write what was read in the picture at a place: one block, a line for each of the blocks that were read."""
        self.text += "\n\n" if self.text else ""
        start = len(self.text)
        for block in read.blocks:
            self.text += "\n" if len(self.text) > start else ""
            shift = len(self.text) - block.start
            runs = read.runs_within(block.start, block.end)
            self.runs += (SourceRun(r.start + shift, r.length, place.page or 0, self._index + r.index, r.count) for r in runs)
            self.text += read.text[block.start : block.end]
        self.of_place[place] = block = Block(BlockRole.BODY, start, len(self.text), place.page)
        self.blocks.append(block)
        self.words += (_placed(word, place, read.pages[0], self._index) for word in read.words)
        self._index += max(word.index + word.count for word in read.words) + 1


def _placed(word: ReadWord, place: FigurePlace, page: Page, index: int) -> ReadWord:
    """Return a word of a picture where it stands on the page of the document; without a box where that isn't known."""
    x0, y0, x1, y1 = place.box or (0.0, 0.0, 0.0, 0.0)
    across, down = (x1 - x0) / (page.width or 1), (y1 - y0) / (page.height or 1)
    return replace(
        word,
        page=place.page or 0,
        index=index + word.index,
        x0=x0 + word.x0 * across,
        y0=y0 + word.y0 * down,
        x1=x0 + word.x1 * across,
        y1=y0 + word.y1 * down,
    )
