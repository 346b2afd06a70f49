"""Paragraphs of a PDF written as blocks of canonical text, each character with its place on its page."""

from collections.abc import Iterator

from pincite.adapters.parsers.assembly import CanonicalBuilder
from pincite.adapters.parsers.pdf_hyphens import Vocabulary
from pincite.adapters.parsers.pdf_lines import Line
from pincite.adapters.parsers.pdf_paragraphs import Paragraph
from pincite.core.documents import BlockRole

_DASHES = "–—"


def write_paragraph(builder: CanonicalBuilder, paragraph: Paragraph, vocabulary: Vocabulary) -> None:
    """Write one paragraph as a block; words that a line end cut are mended."""
    glues = [*paragraph.glues, None]
    for line, following, glue in zip(paragraph.lines, [*paragraph.lines[1:], None], glues, strict=True):
        text, mended, glue = line.text, "", _glue(line, glue or "")
        is_cut = following is not None and glue in ("", " ") and ends_with_hyphen(line)
        if following is not None and is_cut:
            text = text if line.hyphen >= 0 else text[:-1]
            mended = vocabulary.mended(text, following.text)
            glue = mended.removeprefix("-")
        elif line.hyphen >= 0:
            mended = "-"
        for part, at in _parts(line, text, is_table=paragraph.role is BlockRole.TABLE):
            _write(builder, line, part, at, swallows=is_cut and not mended and at + len(part) == len(text))
        if mended:
            builder.write("-", page=line.page, index=line.hyphen if line.hyphen >= 0 else line.start + len(text))
        builder.glue(glue)
    builder.close_block(paragraph.role, level=paragraph.level)


def ends_with_hyphen(line: Line) -> bool:
    """Whether a line ends with a hyphen that stands at a word."""
    return line.hyphen >= 0 or (line.text.endswith("-") and line.text[-2:-1].isalnum())


def _glue(line: Line, glue: str) -> str:
    """Return what stands before the next line: no blank where a dash does."""
    is_dashed = glue == " " and line.text[-1] in _DASHES and line.text[-2:-1].isalnum()
    return "" if is_dashed else glue


def _write(builder: CanonicalBuilder, line: Line, part: str, at: int, *, swallows: bool) -> None:
    """Write a part of a line. One that swallows the hyphen behind it has its last letter stand for both, so that boxes hold it."""
    if not swallows:
        builder.write(part, page=line.page, index=line.start + at)
        return
    builder.write(part[:-1], page=line.page, index=line.start + at)
    builder.write(part[-1:], page=line.page, index=line.start + at + len(part) - 1, count=2)


def _parts(line: Line, text: str, *, is_table: bool) -> Iterator[tuple[str, int]]:
    """Cut a line where something is left out: marks of footnotes, and in a table the gaps between cells."""
    at = 0
    cuts = [*line.dropped, *((gap, 0) for gap in (line.cells if is_table else ()))]
    for start, length in sorted(cuts):
        if length:
            yield text[at:start], at
            at = start + length
        else:
            # The tab stands for PDFium's blank, so that the row stays one run.
            yield f"{text[at:start]}\t", at
            at = start + len(text[start:]) - len(text[start:].lstrip(" "))
    yield text[at:], at
