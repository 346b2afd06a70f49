"""Canonical text put together piece by piece, with its blocks and source runs."""

from collections.abc import Sequence

from pincite.adapters.parsers.cleaning import clean, is_clean
from pincite.core.documents import Block, BlockRole, CanonicalText, Page, SourceRun
from pincite.core.errors import RefusedInput

BLOCK_BORDER = "\n\n"
"""A single line feed would end no sentence: a heading would run into the paragraph behind it."""


class CanonicalBuilder:
    """Collects blocks in order, with a blank line between them. A block without a visible character leaves no trace."""

    def __init__(self, *, max_chars: int, controls: dict[str, str] | None = None) -> None:
        self._max_chars = max_chars
        self._controls = controls
        self._parts: list[str] = []
        self._length = 0
        self._blocks: list[Block] = []
        self._runs: list[SourceRun] = []
        self._glue = ""
        self._start = -1
        self._page: int | None = None

    def write(self, text: str, *, page: int | None = None, index: int | None = None, count: int | None = None) -> None:
        """Add characters to the open block. With `index` they come from there in the file, else parsing made them.

        With `count` they stand as a whole for so many characters of the file (an entity), else one for one.
        """
        if count is None and text and is_clean(text):
            self._append(text, page=page, index=index, count=len(text))
            return
        for kept, offset, width in clean(text, controls=self._controls):
            if count is not None:
                self._append(kept, page=page, index=index, count=count)
            else:
                self._append(kept, page=page, index=None if index is None else index + offset, count=width)

    def write_row(
        self, cells: Sequence[tuple[str, int]], *, page: int | None = None, bars: bool = True, as_one: bool = False
    ) -> None:
        """Add a line of clean texts, each with the number of the cell that it stands for; bars go around and between them.

        With `as_one` the line is one run over all its cells, which takes less memory.
        """
        if self._start >= 0:
            self._add("\n")
        else:
            self._open(page)
        parts = ["| "] if bars else []
        at = self._length + 2 * bars
        for text, index in cells:
            if text and not as_one:
                self._runs.append(SourceRun(at, len(text), page or 0, index, 1))
            parts.append(f"{text} | " if bars and text else "| " if bars else text)
            at += len(parts[-1])
        line = "".join(parts).rstrip()
        if as_one:
            self._runs.append(SourceRun(self._length, len(line), page or 0, cells[0][1], cells[-1][1] - cells[0][1] + 1))
        self._add(line)

    def join_rows(self, *, within: int) -> None:
        """Make the last two rows of this block one run, if each of them is one and in the file so few cells lie between."""
        if len(self._runs) < 2:
            return
        above, row = self._runs[-2:]
        if (
            above.start >= self._start
            and above.start + above.length + 1 == row.start
            and 0 <= row.index - above.index - above.count < within
        ):
            count = row.index + row.count - above.index
            self._runs[-2:] = [SourceRun(above.start, row.start + row.length - above.start, above.page, above.index, count)]

    def glue(self, text: str) -> None:
        """Put `text` (a blank, a line feed) before whatever comes next in this block."""
        if self._start >= 0:
            self._glue = text

    def _append(self, text: str, *, page: int | None, index: int | None, count: int) -> None:
        if self._start < 0:
            if text.isspace():
                return
            self._open(page)
        if self._glue:
            self._add(self._glue)
            self._glue = ""
        if index is not None:
            self._add_run(SourceRun(self._length, len(text), page or 0, index, count))
        self._add(text)

    def _open(self, page: int | None) -> None:
        if self._blocks:
            self._add(BLOCK_BORDER)
        self._start, self._page, self._glue = self._length, page, ""

    def _add(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)
        if self._length > self._max_chars:
            raise RefusedInput(
                f"The file holds more than {self._max_chars:,} characters of text. Split it and add the parts.", code="too_large"
            )

    def _add_run(self, run: SourceRun) -> None:
        last = self._runs[-1] if self._runs else None
        if last and _continues(last, run):
            joined = last.length + run.length
            self._runs[-1] = SourceRun(last.start, joined, last.page, last.index, joined)
        else:
            self._runs.append(run)

    def close_block(self, role: BlockRole, *, level: int = 0) -> None:
        """End the open block under a role."""
        if self._start >= 0:
            self._blocks.append(Block(role, self._start, self._length, self._page, level))
        self._start, self._glue = -1, ""

    @property
    def blocks(self) -> Sequence[Block]:
        """The blocks so far."""
        return self._blocks

    def build(self, pages: tuple[Page, ...] = ()) -> CanonicalText:
        """Return what was collected."""
        return CanonicalText("".join(self._parts), tuple(self._blocks), pages, tuple(self._runs))


def _continues(last: SourceRun, run: SourceRun) -> bool:
    return (
        last.index + last.count == run.index
        and last.start + last.length == run.start
        and last.page == run.page
        and last.length == last.count
        and run.length == run.count
    )
