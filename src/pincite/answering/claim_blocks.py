"""The paragraphs, list items and table rows of an answer: the parts of its Markdown that are split into claims, line by line."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from pincite.answering.protected_blocks import MarkdownState
from pincite.answering.protected_regions import Doubt, Ends, Region, resolve_region

_LINE = re.compile(r"[^\n]*\n?")
_PREFIX = re.compile(r"(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t]|$)))*[ \t]*(?:\[[ xX]\][ \t])?")
_ITEM = re.compile(r"[ \t>]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)")
_SKIPPED = re.compile(
    r"#{1,6}(?:\s|$)|\$\$(?:[^$]*\$\$)?$|\\\[(?:.*\\\])?$|<!--|\\begin\{|(?:[-*_=][ \t]*){3,}$|\[[^\]\n]+\]:[ \t]*\S+$"
)
_DELIMITER = re.compile(r"[ \t>]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*")
_CELL = re.compile(r"(?:\\.|`[^`\n]*`|[^|\n\\])+")
_INDENT = re.compile(r" {4}| {0,3}\t")
_PROSE = re.compile(r"[*_]{0,3}(?:[^\W_]|[\"'“‘«„(¿¡「『])")
"""How a line begins that is text whatever follows in it, as long as that holds no bar."""


@dataclass(slots=True)
class Block:
    """A paragraph, list item or table row: the pieces of the text that are split into claims."""

    pieces: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    cells: bool = False

    @property
    def start(self) -> int:
        """Return where it begins."""
        return self.pieces[0][0]

    @property
    def end(self) -> int:
        """Return where it ends."""
        return self.pieces[-1][1]

    def behind(self, offset: int) -> "Block":
        """Return what of it lies behind an offset."""
        return Block([(max(start, offset), end) for start, end in self.pieces if end > offset], self.cells)


@dataclass(slots=True)
class BlockReader:
    """Cuts a text into blocks as its lines come. `current` is the paragraph or item that the next line may go on with."""

    current: Block = field(default_factory=Block)
    _state: MarkdownState = field(default_factory=MarkdownState)
    _in_table: bool = False

    @property
    def is_unsure(self) -> bool:
        """Say whether code, math or HTML was opened before the next line that may or may not go on in it."""
        return self._region is not None and not self._region.certain

    @property
    def _region(self) -> Region | None:
        region = self._state.spans.region
        return region if region is not None and region.ends >= Ends.BLANK_LINE else None

    def read(self, text: str, start: int, end: int, *, ahead: str) -> Iterator[Block]:
        """Take the line `[start, end)` of the text, and yield the blocks that are complete with it; `ahead` is the line behind."""
        line = text[start:end].rstrip("\n")
        skipped = self._skips(text, start, line)
        head = "|" in line and "|" in ahead and _DELIMITER.fullmatch(ahead) is not None
        self._in_table = table = (self._in_table or head) and "|" in line and not skipped
        if self.current.pieces and (skipped or table or _ITEM.match(line)):
            yield from self.finish()
        if table and not head and not _DELIMITER.fullmatch(line):
            yield from _row(text, start, start + len(line))
        elif not skipped and not table:
            self.current.pieces.append((start + _prefix_length(line), end))

    def finish(self) -> Iterator[Block]:
        """Yield the block that nothing goes on with any more."""
        if self.current.pieces:
            block, self.current = self.current, Block()
            yield block

    def foresee(self, text: str, start: int, end: int) -> tuple[bool, Block] | None:
        """Return the block that a line, of which `[start, end)` has come, belongs to, and whether it begins with that line.

        None where that can't be told before the line is complete.
        """
        line = text[start:end]
        body = line[_prefix_length(line) :]
        if self._region or self._state.is_code or self._in_table or "|" in line:
            return None
        if _INDENT.match(line) or not _PROSE.match(body):
            return None
        is_new = not self.current.pieces or _ITEM.match(line) is not None
        before = [] if is_new else self.current.pieces
        return is_new, Block([*before, (start + _prefix_length(line), end)])

    def _skips(self, text: str, start: int, line: str) -> bool:
        """Move the state over a line and return whether it holds no claim: blank, code, heading, rule, formula, definition."""
        region = self._region
        protected = region is not None and (region.certain or resolve_region(region, text, start, final=True) is Doubt.PROTECTED)
        self._state.advance(line)
        skipped = protected or self._state.is_code
        self._state.advance("\n")
        body = line[_prefix_length(line) :].rstrip()
        return skipped or not body or _SKIPPED.match(body) is not None


def blocks_of(text: str) -> Iterator[Block]:
    """Yield the paragraphs, items and table rows that hold claims."""
    reader = BlockReader()
    lines = [match.span() for match in _LINE.finditer(text) if match.group()]
    for index, (start, end) in enumerate(lines):
        ahead = text[slice(*lines[index + 1])].rstrip() if index + 1 < len(lines) else ""
        yield from reader.read(text, start, end, ahead=ahead)
    yield from reader.finish()


def _prefix_length(line: str) -> int:
    match = _PREFIX.match(line)
    return match.end() if match else 0


def _row(text: str, start: int, end: int) -> Iterator[Block]:
    cells = [match.span() for match in _CELL.finditer(text, start, end)]
    if cells:
        yield Block(cells, cells=True)
