"""Markdown files read to canonical text: the words without their markup, code as it stands."""

import re
from collections.abc import Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token

from pincite.adapters.parsers.assembly import CanonicalBuilder
from pincite.core.documents import BlockRole, ParsedDocument
from pincite.core.errors import RefusedInput

CONTENT_TYPE = "text/markdown"
VERSION = "1"
_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_TITLE_FIELD = re.compile(r"^title:\s*(?P<quote>[\"']?)(?P<title>.+?)(?P=quote)\s*$", re.MULTILINE)
_HTML_TAG = re.compile(r"<!--.*?-->|</?[a-zA-Z][^<>]*>", re.DOTALL)
_MAX_NESTING = 100
_BLANK_LINES = re.compile(r"\r\n?")


def read_markdown(text: str, *, max_chars: int, max_depth: int = _MAX_NESTING) -> ParsedDocument:
    """Read a Markdown text (CommonMark with tables and strikethrough). Raises `RefusedInput` (`too_deep`)."""
    source = _BLANK_LINES.sub("\n", text)
    front = _FRONT_MATTER.match(source)
    title = _TITLE_FIELD.search(front.group(1)) if front else None
    start = front.end() if front else 0
    writer = _Writer(CanonicalBuilder(max_chars=max_chars), source, start)
    writer.write(_parse(source[start:], max_depth=max_depth))
    return ParsedDocument(
        canonical=writer.builder.build(),
        content_type=CONTENT_TYPE,
        parser="markdown-it",
        parser_version=VERSION,
        title=title.group("title") if title else writer.first_heading,
    )


def _parse(source: str, *, max_depth: int) -> list[Token]:
    parser = MarkdownIt("commonmark", {"maxNesting": max_depth, "html": True}).enable(["table", "strikethrough"])
    try:
        tokens = parser.parse(source)
    except RecursionError as error:
        raise _too_deep() from error
    if any(token.level >= max_depth - 1 for token in tokens):
        raise _too_deep()
    return tokens


def _too_deep() -> RefusedInput:
    return RefusedInput("Lists or quotes in the Markdown are nested too deeply to be read.", code="too_deep")


class _Writer:
    """Walks the tokens of a document and writes one block for each leaf: paragraph, heading, item, code, table."""

    def __init__(self, builder: CanonicalBuilder, source: str, at: int) -> None:
        self.builder = builder
        self.first_heading: str | None = None
        self._source = source
        self._at = at
        self._markers: list[str] = []
        self._counters: list[int | None] = []

    def write(self, tokens: Sequence[Token]) -> None:
        """Write all tokens in order."""
        table: list[list[str]] = []
        for number, token in enumerate(tokens):
            match token.type:
                case "bullet_list_open":
                    self._counters.append(None)
                case "ordered_list_open":
                    self._counters.append(int(token.attrGet("start") or 1))
                case "bullet_list_close" | "ordered_list_close":
                    self._counters.pop()
                case "list_item_open":
                    self._markers.append(self._marker())
                case "heading_open":
                    self._heading(tokens[number + 1], int(token.tag[1:]))
                case "inline" if tokens[number - 1].type == "paragraph_open":
                    self._leaf(token)
                case "inline" if tokens[number - 1].type in ("th_open", "td_open"):
                    table[-1].append(_plain(token).replace("|", "\\|"))
                case "tr_open":
                    table.append([])
                case "table_close":
                    self._table(table)
                    table = []
                case "fence" | "code_block":
                    self._code(token.content)
                case "html_block":
                    self._html(token.content)
                case _:
                    pass

    def _marker(self) -> str:
        counter = self._counters[-1]
        if counter is None:
            return "- "
        self._counters[-1] = counter + 1
        return f"{counter}. "

    def _heading(self, token: Token, level: int) -> None:
        text = _plain(token)
        if text.strip() and self.first_heading is None:
            self.first_heading = " ".join(text.split())
        self._text_of(token)
        self.builder.close_block(BlockRole.HEADING, level=level)

    def _leaf(self, token: Token) -> None:
        if self._markers:
            self.builder.write("".join(self._markers[-1:]))
            self._markers.clear()
        self._text_of(token)
        self.builder.close_block(BlockRole.BODY)

    def _text_of(self, token: Token) -> None:
        for text in _pieces(token):
            self._literal(text)

    def _literal(self, text: str) -> None:
        """Write characters with their place in the file where they stand there as they are."""
        found = self._source.find(text, self._at) if text.strip() else -1
        if found < 0:
            self.builder.write(text)
            return
        self._at = found + len(text)
        self.builder.write(text, index=found)

    def _code(self, content: str) -> None:
        self._markers.clear()
        for number, line in enumerate(content.rstrip("\n").split("\n")):
            if number:
                self.builder.glue("\n")
            self._literal(line)
        self.builder.close_block(BlockRole.BODY)

    def _table(self, rows: Sequence[Sequence[str]]) -> None:
        for number, row in enumerate(rows):
            if number:
                self.builder.glue("\n")
            self.builder.write(f"| {' | '.join(row)} |")
        self.builder.close_block(BlockRole.TABLE)

    def _html(self, content: str) -> None:
        self.builder.write(" ".join(_HTML_TAG.sub(" ", content).split()))
        self.builder.close_block(BlockRole.BODY)


def _pieces(token: Token) -> Iterator[str]:
    for child in token.children or ():
        match child.type:
            case "text" | "code_inline" | "text_special":
                yield child.content
            case "softbreak":
                yield " "
            case "hardbreak":
                yield "\n"
            case "image":
                yield child.content
            case _:
                pass


def _plain(token: Token) -> str:
    return "".join(_pieces(token))
