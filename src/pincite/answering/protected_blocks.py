"""Which lines of Markdown are code: fences, indented blocks, the quotes and lists around them (CommonMark 0.31, 4 and 5)."""

import re
from dataclasses import dataclass
from enum import Enum

from pincite.answering.protected_spans import TAIL_CHARS, Spans

_HEADING = re.compile(r"#{1,6}(?:\s|$)")
_RULE = re.compile(r"\s*(?:[-*_=]\s*)+")
_INERT = re.compile(r"[^\n\r\\`$<>\[\](){}\"'~]+")
_INDENT = 4
_FENCE_LENGTH = 3
_MAX_LISTS = 32


class Mode(Enum):
    """Where in a line the machine is."""

    PREFIX = "prefix"
    BODY = "body"
    INDENTED = "indented"
    FENCE_RUN = "fence_run"
    FENCE_INFO = "fence_info"
    FENCED_PREFIX = "fenced_prefix"
    FENCED = "fenced"
    FENCE_END = "fence_end"


_CODE_MODES = frozenset((Mode.INDENTED, Mode.FENCE_INFO, Mode.FENCED_PREFIX, Mode.FENCED, Mode.FENCE_END))


@dataclass(slots=True)
class Fence:
    """An opened code fence: its mark, the length of its run, and the quote depth and indentation of what holds it."""

    mark: str
    length: int
    quotes: int
    base: int
    has_content: bool = False


class MarkdownState:
    """Follows Markdown character by character and says where a citation cannot stand."""

    def __init__(self) -> None:
        self.spans = Spans()
        self.mode = Mode.PREFIX
        self.body = ""
        self._paragraph = False
        self._lists: list[int] = []
        self._fence: Fence | None = None
        self._last_quotes = 0
        self._mark = ""
        self._length = 0
        self._trailing = False
        self._start_line()

    def _start_line(self) -> None:
        self._column = self._quotes = 0
        self._pending = ""
        self._marker_end: int | None = None
        self._item = self._eat = False
        self.body = ""

    @property
    def certain(self) -> bool:
        """True where the text is code, math, HTML or a link's address for sure."""
        region = self.spans.region
        return self.is_code or (region is not None and region.certain)

    @property
    def is_code(self) -> bool:
        """True inside a code block and on the lines of its fence."""
        return self.mode in _CODE_MODES or (self.mode is Mode.FENCE_RUN and self._length >= _FENCE_LENGTH)

    @property
    def is_plain(self) -> bool:
        """True inside a line of text where no stretch is open or about to open."""
        return self.mode is Mode.BODY and self.spans.is_plain

    @property
    def in_container(self) -> bool:
        """True on a line that a list or quote mark opens."""
        return self._item or self._quotes > 0

    @property
    def line_start(self) -> bool:
        """True while only indentation, quote and list marks have been seen on the line."""
        return not self.body.strip()

    def advance(self, text: str) -> None:
        """Move over the text."""
        pos = 0
        while pos < len(text):
            match = _INERT.match(text, pos) if self.mode is Mode.BODY else None
            if match:
                self.run(match.group())
                pos = match.end()
            else:
                self._step(text[pos])
                pos += 1

    def run(self, text: str) -> None:
        """Move over characters inside a line that open and close nothing."""
        self._grow(text)
        self.spans.run(text)

    def skip(self, marker: str) -> None:
        """Move over a marker that was read as a citation; `settle` came before."""
        self._grow(marker)
        self.spans.skip(marker)

    def settle(self, char: str) -> None:
        """Decide what the next character, neither blank nor line feed, decides, without moving."""
        if self.mode is Mode.PREFIX and not self._continues(char):
            self._enter(char)
        elif self.mode is Mode.FENCED_PREFIX:
            self._enter_fenced(char)
        elif self.mode is Mode.FENCE_RUN and char != self._mark:
            self._end_run()
        elif self.mode is Mode.FENCE_END and (char != self._mark or self._trailing):
            self._resume_fence()
        if self.mode is Mode.BODY:
            self.spans.settle(char)

    def _step(self, char: str) -> None:
        if char == "\n":
            self._newline()
        elif char in " \t\r":
            self._blank(char)
        else:
            self.settle(char)
            self._consume(char)

    def _grow(self, text: str) -> None:
        if len(self.body) < TAIL_CHARS:
            self.body += text[:TAIL_CHARS]

    def _consume(self, char: str) -> None:
        match self.mode:
            case Mode.PREFIX | Mode.FENCED_PREFIX:
                self._consume_prefix(char)
            case Mode.BODY:
                self._grow(char)
                self.spans.step(char)
            case Mode.FENCE_RUN | Mode.FENCE_END:
                self._length += 1
            case Mode.FENCE_INFO if char == "`" == self._mark:
                self.mode = Mode.BODY
                self.spans.open_code(self._length)
                self.spans.step(char)
            case _:
                pass

    def _consume_prefix(self, char: str) -> None:
        self._eat = char == ">"
        if self._eat:
            self._quotes += 1
            self._column = 0
        else:
            self._pending += char
            self._column += 1

    def _continues(self, char: str) -> bool:
        """Return whether the character can still belong to the quote and list marks in front of a line."""
        digit = char.isascii() and char.isdecimal()
        if self._pending:
            return self._pending.isdecimal() and len(self._pending) < 10 and (char in ".)" or digit)
        deep = self._column - self._base(self._column) >= _INDENT or len(self._lists) >= _MAX_LISTS
        return not deep and (char in ">-*+" or digit)

    def _base(self, column: int) -> int:
        return max((offset for offset in self._lists if offset <= column), default=0)

    def _blank(self, char: str) -> None:
        if self.mode is Mode.FENCE_RUN:
            self._end_run()
        if self.mode is Mode.PREFIX and self._pending:
            if self._pending.isdecimal():
                self._enter(char)
            else:
                self._open_item()
        match self.mode:
            case Mode.PREFIX | Mode.FENCED_PREFIX:
                self._indent(char)
            case Mode.BODY:
                self._grow(char)
                self.spans.step(char)
            case Mode.FENCE_END:
                self._trailing = True
            case _:
                pass

    def _indent(self, char: str) -> None:
        width = _INDENT - self._column % _INDENT if char == "\t" else int(char == " ")
        self._column += width - self._eat
        self._eat = False

    def _open_item(self) -> None:
        start = self._column - len(self._pending)
        self._leave_quotes()
        if self._marker_end is not None:
            self._lists.append(start)
        self._lists = [offset for offset in self._lists if offset <= start]
        self.spans.break_block()
        self._paragraph, self._item, self._pending, self._marker_end = False, True, "", self._column

    def _leave_quotes(self) -> None:
        lazy = self._paragraph and not self._item and self._quotes < self._last_quotes
        if lazy:
            return
        if self._quotes != self._last_quotes:
            self._lists.clear()
            self.spans.break_block()
            self._paragraph = False
        self._last_quotes = self._quotes

    def _enter(self, char: str) -> None:
        """Begin the body of a line: code by its indentation, a fence, or text."""
        start = self._column - len(self._pending)
        self._leave_quotes()
        if self._marker_end is not None:
            self._lists.append(start if start - self._marker_end <= _INDENT else self._marker_end + 1)
        elif not self._paragraph:
            self._lists = [offset for offset in self._lists if offset <= start]
        if start - self._base(start) >= _INDENT and not self._paragraph:
            self.mode = Mode.INDENTED
        elif char in "`~" and not self._pending:
            self.mode, self._mark, self._length = Mode.FENCE_RUN, char, 0
        else:
            self._enter_text(char)

    def _enter_text(self, char: str) -> None:
        pending, self._pending = self._pending, ""
        self.mode = Mode.BODY
        self.spans.line_bound = not pending and char in "#|"
        if self.spans.line_bound:
            self.spans.break_block()
        for replayed in pending:
            self._grow(replayed)
            self.spans.step(replayed)

    def _end_run(self) -> None:
        """End a run of fence marks at the start of a line: three make a fence, fewer are text."""
        run = self._mark * min(self._length, TAIL_CHARS)
        if self._length >= _FENCE_LENGTH:
            self.mode = Mode.FENCE_INFO
            self.spans.break_block()
            return
        self.mode = Mode.BODY
        self.spans.line_bound = False
        for char in run:
            self._grow(char)
            self.spans.step(char)

    def _open_fence(self) -> None:
        base = self._base(self._column)
        self._fence = Fence(self._mark, self._length, self._quotes, max(base, self._column - _INDENT + 1))

    def _enter_fenced(self, char: str) -> None:
        """Begin a line inside a fence: its end, the end of the quote or list around it, or code."""
        fence = self._fence
        if fence is None or (char == ">" and self._quotes < fence.quotes):
            return
        dedented = self._column < fence.base
        if self._quotes < fence.quotes or (dedented and fence.has_content and char != fence.mark):
            self._leave_fence(char)
        elif char == fence.mark and self._column < fence.base + _INDENT:
            self.mode, self._mark, self._length, self._trailing = Mode.FENCE_END, char, 0, False
        else:
            # A first line that stands left of its list was written by someone who doesn't indent code in lists.
            fence.base = 0 if dedented else fence.base
            fence.has_content = True
            self.mode = Mode.FENCED

    def _leave_fence(self, char: str) -> None:
        self._fence = None
        self._paragraph = False
        self.mode = Mode.PREFIX
        self.settle(char)

    def _resume_fence(self) -> None:
        """Go on with code: the run that looked like the end of a fence has text behind it, or is too short."""
        fence = self._fence
        if fence is not None and self._column < fence.base and fence.has_content and not self._trailing:
            self._fence, self._paragraph = None, False
            self._enter(self._mark) if self._length == 0 else self._end_run()
            return
        if fence is not None:
            fence.has_content = True
        self.mode = Mode.FENCED

    def _newline(self) -> None:
        if self.mode is Mode.FENCE_RUN:
            self._end_run()
        if self.mode is Mode.PREFIX and self._pending:
            self._enter_pending()
        goes_on = False
        match self.mode:
            case Mode.PREFIX:
                self._paragraph = False
                self.spans.break_block()
            case Mode.BODY:
                self._paragraph = not (_HEADING.match(self.body) or _RULE.fullmatch(self.body))
                goes_on = self.spans.newline()
            case Mode.FENCE_INFO:
                self._paragraph = False
                self._open_fence()
            case Mode.FENCED_PREFIX | Mode.FENCE_END:
                self._end_fenced_line()
            case Mode.INDENTED | Mode.FENCED | Mode.FENCE_RUN:
                pass
        self._start_line()
        self.mode = Mode.BODY if goes_on else Mode.FENCED_PREFIX if self._fence else Mode.PREFIX

    def _enter_pending(self) -> None:
        """Take a lone `-` or `1.` for an empty list item and lone digits for text."""
        if self._pending.isdecimal():
            self._enter("\n")
        else:
            self._open_item()
            self._lists.append(self._column + 1)

    def _end_fenced_line(self) -> None:
        fence = self._fence
        if fence is None:
            return
        left = self.mode is Mode.FENCED_PREFIX and self._quotes < fence.quotes
        if left or (self.mode is Mode.FENCE_END and self._length >= fence.length):
            self._fence = None
