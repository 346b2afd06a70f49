"""A parser that has OCR read what its inner parser leaves: pages that are pictures."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pincite.core.documents import Box, CanonicalText, PagePicture, ParsedDocument, Reason, SourceRun
from pincite.core.errors import RefusedInput
from pincite.core.figures import FigurePlace, Picture
from pincite.core.merging import merged, moved_starts
from pincite.core.ports.ocr import PageNotes, PageReader, ReadPages
from pincite.core.ports.parsing import ContainedFile, ParseProgress, Parser

IMAGE = "image/"
"""How the content types of image files begin."""

_NONE = "none"
_MOST_NAMED = 20


@dataclass(frozen=True)
class OcrParser:
    """Implements `Parser`. Without a reader, `advice` tells people what to do about pages that are pictures.

    With `is_seen` a model looks at image files after this: one without any text is no reason to refuse it yet.
    Text of the file itself is left as the inner parser found it; a page that OCR can't read costs that page alone.
    """

    parser: Parser
    reader: PageReader | None
    advice: str = ""
    is_seen: bool = False

    async def parse(
        self,
        path: Path,
        *,
        name: str,
        on_progress: Callable[[ParseProgress], None] | None = None,
        notes: PageNotes | None = None,
    ) -> ParsedDocument:
        """Read a file, its pictures of pages too; see the port."""
        parsed = await self.parser.parse(path, name=name, on_progress=on_progress)
        if not parsed.unread:
            return parsed
        read = await self._read(path, parsed, on_progress, notes)
        is_shown = self.is_seen and parsed.content_type.startswith(IMAGE)
        done = self._named(_with_pages(parsed, read, is_shown=is_shown))
        if not done.canonical.text and not is_shown:
            raise RefusedInput(self._no_text(parsed, read), code="no_text")
        if self.reader is None:
            return replace(done, warnings=(*done.warnings, f"{_pages(done.unread)} without text: {self.advice}"))
        return done

    async def _read(
        self,
        path: Path,
        parsed: ParsedDocument,
        on_progress: Callable[[ParseProgress], None] | None,
        notes: PageNotes | None,
    ) -> ReadPages | None:
        if self.reader is None:
            return None
        total = len(parsed.canonical.pages)
        before = total - len(parsed.unread)

        def report(done: int) -> None:
            if on_progress:
                on_progress(ParseProgress(before + done, total))

        wanted = [page for page in parsed.canonical.pages if page.number in set(parsed.unread)]
        return await self.reader.read(path, content_type=parsed.content_type, pages=wanted, on_page=report, notes=notes)

    def _named(self, parsed: ParsedDocument) -> ParsedDocument:
        """Return a document that names who read its pictures, or that nobody did: with another engine it is read anew."""
        name, version = f"{parsed.parser}+{_name(self.reader)}", _version(parsed.parser_version, self.reader)
        return replace(parsed, parser=name, parser_version=version)

    def _no_text(self, parsed: ParsedDocument, read: ReadPages | None) -> str:
        what = f"No text was found on {_pages(parsed.unread).lower()}"
        if read is None:
            return f"{what}: the file is made of pictures, as a scanner makes them. {self.advice}"
        if read.failed:
            return f"{what}. {' '.join(_failures(read.failed))}"
        return f"{what}: OCR read the pictures and saw no words. Add a sharper scan, or a version with a text layer."

    async def version_of(self, parser: str) -> str | None:
        """Return the version by now of a parser together with the OCR engine that read for it; see the port."""
        base, _, engine = parser.partition("+")
        version = await self.parser.version_of(base)
        if not engine or version is None:
            return version
        return _version(version, self.reader) if engine == _name(self.reader) else None

    async def boxes(self, path: Path, *, content_type: str, runs: Sequence[SourceRun]) -> list[list[Box]]:
        """Return the boxes of runs that OCR didn't read; see the port."""
        return await self.parser.boxes(path, content_type=content_type, runs=runs)

    async def picture(self, path: Path, *, content_type: str, page: int, width: int) -> PagePicture:
        """Draw a page; see the port."""
        return await self.parser.picture(path, content_type=content_type, page=page, width=width)

    async def pictures(self, path: Path, *, name: str, places: Sequence[FigurePlace], into: Path) -> list[Picture | None]:
        """Write the pictures at some places of a file into a folder; see the port."""
        return await self.parser.pictures(path, name=name, places=places, into=into)

    async def unpack(self, path: Path, *, name: str, into: Path) -> list[ContainedFile]:
        """Write the files inside a file into a folder; see the port."""
        return await self.parser.unpack(path, name=name, into=into)

    def close(self) -> None:
        """Release what reading holds."""
        if self.reader is not None:
            self.reader.close()
        self.parser.close()


def _name(reader: PageReader | None) -> str:
    return reader.name if reader else _NONE


def _version(version: str, reader: PageReader | None) -> str:
    return f"{version}+{reader.version}" if reader else version


def _with_pages(parsed: ParsedDocument, read: ReadPages | None, *, is_shown: bool) -> ParsedDocument:
    """Add what OCR read. Pages without a word count as unread, unless a model is shown them and tells what it sees."""
    if read is None:
        return parsed
    told = {block.page for block in read.canonical.blocks}
    unseen = () if is_shown else parsed.unread
    wordless = [number for number in unseen if number not in told and number not in read.failed]
    left = tuple(sorted({*wordless, *(number for number in parsed.unread if number in read.failed)}))
    return replace(
        parsed,
        canonical=merged(parsed.canonical, read.canonical),
        figures=_moved(parsed, read.canonical),
        title=parsed.title or read.title,
        pages_unread=parsed.pages_unread - len(parsed.unread) + len(left),
        unread=left,
        warnings=(*parsed.warnings, *_failures(read.failed), *_wordless(wordless)),
    )


def _moved(parsed: ParsedDocument, read: CanonicalText) -> tuple[FigurePlace, ...]:
    """Return where the figures of a file are told of in its text together with what OCR read."""
    starts = moved_starts(parsed.canonical, read) if parsed.figures else {}
    shifts = [(place, starts.get(place.start, place.start) - place.start) for place in parsed.figures]
    return tuple(replace(place, start=place.start + shift, end=place.end + shift) for place, shift in shifts)


def _failures(failed: Mapping[int, Reason]) -> list[str]:
    """Return a sentence for each reason for which pages could not be read."""
    numbers: dict[str, list[int]] = {}
    for number, reason in sorted(failed.items()):
        numbers.setdefault(reason.message, []).append(number)
    return [f"{_pages(each)} could not be read by OCR: {why}." for why, each in numbers.items()]


def _wordless(numbers: Sequence[int]) -> list[str]:
    """Return a sentence about pages that show something in which OCR found no word: a blank back, a photo, a scan too faint."""
    return [f"{_pages(numbers)}: OCR saw no words there."] if numbers else []


def _pages(numbers: Sequence[int]) -> str:
    """Return pages as people name them: `Page 3`, `Pages 1-4, 7`."""
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and number == ranges[-1][-1] + 1:
            ranges[-1] = [ranges[-1][0], number]
        else:
            ranges.append([number])
    parts = ["-".join(map(str, part)) for part in ranges]
    more = f" and {len(parts) - _MOST_NAMED} more" if len(parts) > _MOST_NAMED else ""
    return f"{'Page' if len(numbers) == 1 else 'Pages'} {', '.join(parts[:_MOST_NAMED])}{more}"
