"""Markdown files read to canonical text: the words without their markup, code as it stands."""

import re
from collections.abc import Callable, Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token

from pincite.adapters.parsers.assembly import CanonicalBuilder
from pincite.adapters.parsers.row_groups import row_groups
from pincite.core.documents import BlockRole, ParsedDocument
from pincite.core.errors import RefusedInput

CONTENT_TYPE = "text/markdown"
VERSION = "2"
_FRONT_MATTER = re.compile(r"\A---[ \t]*\r?\n(.*?)\r?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_TITLE_FIELD = re.compile(r"^title:\s*(?P<quote>[\"']?)(?P<title>.+?)(?P=quote)\s*$", re.MULTILINE)
_LINE_END = re.compile(r"\r\n?|\n")
_DEFAULT_DEPTH = 100


def read_markdown(text: str, *, max_chars: int, max_depth: int = _DEFAULT_DEPTH) -> ParsedDocument:
    """Read a Markdown text (CommonMark 0.31 with tables and strikethrough); each run of canonical text has its index in `text`.

    Front matter gives the title and is no text. Raises `RefusedInput` (`too_deep`, `too_large`).
    """
    front = _FRONT_MATTER.match(text)
    declared = _TITLE_FIELD.search(front.group(1)) if front else None
    start = front.end() if front else 0
    writer = _Writer(CanonicalBuilder(max_chars=max_chars), text, start)
    writer.write(_parse(text[start:], max_depth=max_depth))
    return ParsedDocument(
        canonical=writer.builder.build(),
        content_type=CONTENT_TYPE,
        parser="markdown-it",
        parser_version=VERSION,
        title=declared.group("title").strip() if declared else writer.first_heading,
    )


def _parse(source: str, *, max_depth: int) -> list[Token]:
    parser = MarkdownIt("commonmark", {"maxNesting": max_depth}).enable(["table", "strikethrough"])
    try:
        tokens = parser.parse(source)
    except RecursionError as error:
        raise _too_deep() from error
    # The parser drops what is nested deeper than its bound without a word.
    if any(token.level >= max_depth - 1 for token in tokens):
        raise _too_deep()
    return tokens


def _too_deep() -> RefusedInput:
    return RefusedInput("Lists or quotes in the Markdown are nested too deeply to be read.", code="too_deep")


class _Writer:
    """Walks the tokens of a document and writes one block for each leaf: paragraph, heading, item, code, table."""

    def __init__(self, builder: CanonicalBuilder, source: str, start: int) -> None:
        self.builder = builder
        self.first_heading: str | None = None
        self._source = source
        self._line_starts = [start, *(found.end() for found in _LINE_END.finditer(source, start)), len(source)]
        self._at, self._end = start, len(source)
        self._marker = ""
        self._in_heading = False
        self._counters: list[int | None] = []
        self._rows: list[list[Token]] = []
        self._handlers: dict[str, Callable[[Token], None]] = {
            "bullet_list_open": lambda token: self._counters.append(None),
            "ordered_list_open": lambda token: self._counters.append(int(token.attrGet("start") or 1)),
            "bullet_list_close": lambda token: self._end_list(),
            "ordered_list_close": lambda token: self._end_list(),
            "list_item_open": lambda token: self._start_item(),
            "heading_close": lambda token: self._close(BlockRole.HEADING, level=int(token.tag[1:])),
            "paragraph_close": lambda token: self._close(BlockRole.BODY),
            "table_open": lambda token: self._rows.clear(),
            "tr_open": lambda token: self._rows.append([]),
            "table_close": lambda token: self._table(),
            "inline": self._inline,
            "fence": self._code,
            "code_block": self._code,
            "html_block": self._html,
        }

    def write(self, tokens: Sequence[Token]) -> None:
        """Write all tokens in order."""
        for token in tokens:
            self._go_to(token)
            self._in_heading = token.type == "heading_open" or (self._in_heading and token.type == "inline")
            if handle := self._handlers.get(token.type):
                handle(token)

    def _go_to(self, token: Token) -> None:
        if token.map:
            last = len(self._line_starts) - 1
            self._at, self._end = self._line_starts[min(token.map[0], last)], self._line_starts[min(token.map[1], last)]

    def _end_list(self) -> None:
        self._counters.pop()
        self._marker = ""

    def _start_item(self) -> None:
        counter = self._counters[-1]
        if counter is not None:
            self._counters[-1] = counter + 1
        self._marker = "- " if counter is None else f"{counter}. "

    def _table(self) -> None:
        """Write a table; a long one in several blocks, each under its head."""
        texts = [["".join(_pieces(cell)).strip() for cell in row] for row in self._rows]
        for group in row_groups(texts, heads=[0]):
            for number in group:
                self._row(self._rows[number])
            self._close(BlockRole.TABLE)
        self._rows, self._marker = [], ""

    def _row(self, cells: Sequence[Token]) -> None:
        self.builder.glue("\n")
        self.builder.write("|")
        for number, cell in enumerate(cells):
            if not number:
                self._go_to(cell)
            self.builder.glue(" ")
            for text in _pieces(cell):
                self._literal(text)
            self.builder.glue(" ")
            self.builder.write("|")

    def _close(self, role: BlockRole, *, level: int = 0) -> None:
        self.builder.close_block(role, level=level)

    def _inline(self, token: Token) -> None:
        if self._rows:
            self._rows[-1].append(token)
            return
        pieces = list(_pieces(token))
        if self._in_heading:
            self.first_heading = self.first_heading or " ".join("".join(pieces).split()) or None
        elif self._marker:
            self.builder.write(self._marker)
            self._marker = ""
        for text in pieces:
            self._literal(text)

    def _literal(self, text: str) -> None:
        """Write characters, with their place in the file when they stand in this block's lines as they are."""
        found = self._source.find(text, self._at, self._end) if text.strip() else -1
        if found < 0:
            self.builder.write(text)
            return
        self._at = found + len(text)
        self.builder.write(text, index=found)

    def _code(self, token: Token) -> None:
        self._marker = ""
        feeds = ""
        for line in token.content.split("\n"):
            if line.strip():
                self.builder.glue(feeds)
                self._literal(line)
                feeds = ""
            feeds += "\n"
        self._close(BlockRole.BODY)

    def _html(self, token: Token) -> None:
        from pincite.adapters.parsers.html import write_html

        found = self._source.find(token.content.rstrip("\n"), self._at, self._end)
        write_html(self.builder, token.content, index=found if found >= 0 else None)


def _pieces(token: Token) -> Iterator[str]:
    for child in token.children or ():
        if child.type in ("text", "code_inline", "text_special", "image"):
            yield child.content
        elif child.type in ("softbreak", "hardbreak"):
            yield " " if child.type == "softbreak" else "\n"
