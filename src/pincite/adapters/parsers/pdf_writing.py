"""Paragraphs of a PDF written as blocks of canonical text, each character with its place on its page."""

from collections.abc import Iterator, Sequence

from pincite.adapters.parsers.assembly import CanonicalBuilder
from pincite.adapters.parsers.pdf_heads import HeadedRows, TableHeads
from pincite.adapters.parsers.pdf_hyphens import Vocabulary
from pincite.adapters.parsers.pdf_lines import Line
from pincite.adapters.parsers.pdf_paragraphs import Paragraph
from pincite.adapters.parsers.pdf_scripts import has_no_blanks

_DASHES = "–—"


def write_paragraph(builder: CanonicalBuilder, paragraph: Paragraph, vocabulary: Vocabulary, heads: TableHeads) -> None:
    """Write one paragraph as a block; words that a line end cut are mended. A table has bars between its cells.

    A long table becomes several blocks, each under the head of its columns.
    """
    groups = heads.groups(paragraph)
    if not paragraph.table:
        _write_lines(builder, paragraph.lines, paragraph.glues, vocabulary)
        builder.close_block(paragraph.role, level=paragraph.level)
    for group in groups:
        _write_rows(builder, group, vocabulary)
        builder.close_block(paragraph.role, level=paragraph.level)


def _write_rows(builder: CanonicalBuilder, group: HeadedRows, vocabulary: Vocabulary) -> None:
    page = next((line.page for row in group.rows for cell in row for line in cell), None)
    for texts in group.carried:
        builder.glue("\n")
        builder.write("|", page=page)
        builder.write("".join(f" {text} |" if text else " |" for text in texts))
    for row in group.rows:
        builder.glue("\n")
        builder.write("|", page=page)
        for cell in row:
            builder.glue(" ")
            if cell:
                _write_lines(builder, cell, [" "] * (len(cell) - 1), vocabulary)
            builder.glue(" ")
            builder.write("|")


def _write_lines(builder: CanonicalBuilder, lines: Sequence[Line], glues: Sequence[str], vocabulary: Vocabulary) -> None:
    for line, following, glue in zip(lines, [*lines[1:], None], [*glues, ""], strict=True):
        text, mended, joint = line.text, "", _glue(line, following, glue)
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
            builder.write("-", page=line.page, index=line.hyphen if line.hyphen >= 0 else line.index(len(text)))
        builder.glue(joint)


def ends_with_hyphen(line: Line) -> bool:
    """Whether a line ends with a hyphen that stands at a word."""
    return line.hyphen >= 0 or (line.text.endswith("-") and line.text[-2:-1].isalnum())


def _glue(line: Line, following: Line | None, glue: str) -> str:
    """Return what stands before the next line: no blank where a dash does, nor in scripts that put none between words."""
    if glue != " ":
        return glue
    is_dashed = line.text[-1] in _DASHES and line.text[-2:-1].isalnum()
    is_unspaced = following is not None and has_no_blanks(line.text[-1]) and has_no_blanks(following.text[0])
    return "" if is_dashed or is_unspaced else glue


def _write(builder: CanonicalBuilder, line: Line, part: str, at: int, *, swallows: bool) -> None:
    """Write a part of a line. One that swallows the hyphen behind it has its last letter stand for both, so that boxes hold it."""
    kept = part[:-1] if swallows else part
    for text, index in _runs(line, kept, at):
        builder.write(text, page=line.page, index=index)
    if swallows:
        builder.write(part[-1:], page=line.page, index=line.index(at + len(part) - 1), count=2)


def _runs(line: Line, part: str, at: int) -> Iterator[tuple[str, int | None]]:
    """Cut a part of a line into stretches that the file has in one, each with its index, None for a blank that isn't there."""
    if not line.indices:
        yield part, line.start + at
        return
    indices = line.indices[at : at + len(part)]
    first = 0
    for number in range(1, len(part) + 1):
        if number == len(part) or indices[number] != indices[number - 1] + 1 or indices[number - 1] < 0:
            yield part[first:number], indices[first] if indices[first] >= 0 else None
            first = number


def _parts(line: Line, text: str) -> Iterator[tuple[str, int]]:
    """Cut a line where marks of footnotes are left out."""
    at = 0
    for start, length in sorted(line.dropped):
        yield text[at:start], at
        at = start + length
    yield text[at:], at
