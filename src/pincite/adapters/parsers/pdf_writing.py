"""Paragraphs of a PDF written as blocks of canonical text, each character with its place on its page."""

from collections.abc import Iterator, Sequence

from pincite.adapters.parsers.assembly import CanonicalBuilder
from pincite.adapters.parsers.pdf_cells import Table
from pincite.adapters.parsers.pdf_hyphens import Vocabulary
from pincite.adapters.parsers.pdf_lines import Line
from pincite.adapters.parsers.pdf_paragraphs import Paragraph

_DASHES = "–—"


def write_paragraph(builder: CanonicalBuilder, paragraph: Paragraph, vocabulary: Vocabulary) -> None:
    """Write one paragraph as a block; words that a line end cut are mended. A table has bars between its cells."""
    if paragraph.table:
        _write_table(builder, paragraph.table, vocabulary)
    else:
        _write_lines(builder, paragraph.lines, paragraph.glues, vocabulary)
    builder.close_block(paragraph.role, level=paragraph.level)


def _write_table(builder: CanonicalBuilder, table: Table, vocabulary: Vocabulary) -> None:
    for row in table.rows:
        builder.glue("\n")
        builder.write("|", page=next((line.page for cell in row for line in cell), None))
        for cell in row:
            builder.glue(" ")
            if cell:
                _write_lines(builder, cell, [" "] * (len(cell) - 1), vocabulary)
            builder.glue(" ")
            builder.write("|")


def _write_lines(builder: CanonicalBuilder, lines: Sequence[Line], glues: Sequence[str], vocabulary: Vocabulary) -> None:
    for line, following, glue in zip(lines, [*lines[1:], None], [*glues, ""], strict=True):
        text, mended, joint = line.text, "", _glue(line, glue)
        is_cut = following is not None and joint in ("", " ") and ends_with_hyphen(line)
        if following is not None and is_cut:
            text = text if line.hyphen >= 0 else text[:-1]
            mended = vocabulary.mended(text, following.text)
            joint = mended.removeprefix("-")
        elif line.hyphen >= 0:
            mended = "-"
        for part, at in _parts(line, text):
            _write(builder, line, part, at, swallows=is_cut and not mended and at + len(part) == len(text))
        if mended:
            builder.write("-", page=line.page, index=line.hyphen if line.hyphen >= 0 else line.start + len(text))
        builder.glue(joint)


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


def _parts(line: Line, text: str) -> Iterator[tuple[str, int]]:
    """Cut a line where marks of footnotes are left out."""
    at = 0
    for start, length in sorted(line.dropped):
        yield text[at:start], at
        at = start + length
    yield text[at:], at
