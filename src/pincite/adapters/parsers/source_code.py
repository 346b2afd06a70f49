"""Source code and settings files read to canonical text: lines as they stand, under the names of what they define.

Definitions are found by their first line, a pattern for each family of languages, and nest by their indentation; no language is
parsed. Code that is laid out in another way loses headings, never text.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from pincite.adapters.parsers.assembly import CanonicalBuilder
from pincite.core.documents import BlockRole, ParsedDocument

CONTENT_TYPE = "text/x-source"
VERSION = "1"
_MODIFIERS = (
    r"(?:(?:export|default|declare|public|private|protected|internal|static|final|abstract|sealed|open|override|virtual|async|suspend"
    r"|inline|unsafe|extern|partial|readonly|data|case|implicit|lazy|synchronized|native|constexpr|const|pub(?:\([a-z: ]+\))?"
    r"|@\w+(?:\([^)]*\))?)\s+)*"
)
_NAME = r"(?P<name>[A-Za-z_$~][\w$]*)"
_TYPE = r"(?:[\w.:$]+(?:<[^;{}()]{0,80}>)?(?:\[\])*[\s*&]+)"
_WORDS = (
    r"if|else|for|foreach|while|switch|catch|return|do|try|using|lock|with|match|when|new|throw|await|yield|case|sizeof|typeof|elif|not"
    r"|and|or"
)
_TYPES = (
    r"class|interface|enum(?:\s+class)?|struct|record|trait|object|namespace|module|union|protocol|extension|impl|mod"
    r"|annotation\s+class"
)

_PYTHON = (rf"(?:async\s+)?(?:def|class)\s+{_NAME}",)
_SCRIPT = (
    rf"{_MODIFIERS}(?:{_TYPES}|type|function\*?)\s+{_NAME}",
    rf"{_MODIFIERS}(?:const|let|var)\s+{_NAME}\s*(?::[^=]{{1,80}})?=\s*(?:async\s*)?(?:function\b|\([^)]*\)\s*(?::[^=]{{1,60}})?=>|\w+\s*=>|class\b)",
    rf"{_MODIFIERS}(?:get\s+|set\s+|\*\s*|#)?(?!(?:{_WORDS}|function)\b){_NAME}\s*(?:<[^(){{}}]{{0,60}}>)?\([^;{{}}]*\)\s*(?::[^;{{}}]{{1,80}})?\{{\s*$",
)
_BRACES = (
    rf"{_MODIFIERS}(?:{_TYPES}|typedef\s+struct)\s+(?:<[^>]{{0,60}}>\s*)?{_NAME}",
    rf"{_MODIFIERS}(?:fn|func|fun|function|def|macro_rules!)\s+(?:\([^)]{{0,80}}\)\s*)?{_NAME}",
    rf"{_MODIFIERS}type\s+{_NAME}\s+(?:struct|interface)\b",
    rf"{_MODIFIERS}(?:<[^>]{{0,60}}>\s*)?(?:(?!(?:{_WORDS})\b){_TYPE}){{0,4}}(?:[\w]+::)?(?!(?:{_WORDS})\b){_NAME}\s*\([^;]*$",
)
_RUBY = (r"(?:class|module|def)\s+(?:self\.)?(?P<name>[A-Za-z_][\w.:?!=]*)",)
_SHELL = (r"(?:function\s+)?(?P<name>[\w:-]+)\s*\(\)\s*\{?", r"function\s+(?P<name>[\w:-]+)")
_CREATE = r"(?i:create)\s+(?:(?i:or\s+replace|temp|temporary|unique|materialized)\s+)*"
_CREATED = r"(?i:table|view|function|procedure|trigger|index|type|schema)\s+(?:(?i:if\s+not\s+exists)\s+)?"
_SQL = (rf"{_CREATE}{_CREATED}(?P<name>[\w.\"`\[\]]+)",)
_SECTIONS = (r"\[\[?(?P<name>[^\[\]\n]{1,200})\]\]?\s*(?:[#;].*)?$",)

# Keys that hold something; those deep inside stay lines, or every few of them would be found apart from the rest.
_KEY = r"(?P<name>[^\s#&*!|>%@`\"'\-\[\]{},:][^:#]{0,100}|\"[^\"]{1,100}\"|'[^']{1,100}')"
_KEYS = (rf"{_KEY}:\s*(?:[&!]\S*\s*)?(?:[|>][-+\d]*)?\s*(?:#.*)?$",)
_DEEPEST_KEY = 2

_FAMILIES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys((".py", ".pyi", ".pyw", ".pyx"), _PYTHON),
    **dict.fromkeys((".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".vue", ".svelte"), _SCRIPT),
    **dict.fromkeys((".java", ".kt", ".kts", ".scala", ".groovy", ".cs", ".swift", ".dart", ".php"), _BRACES),
    **dict.fromkeys((".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".m", ".mm", ".go", ".rs", ".zig", ".proto"), _BRACES),
    **dict.fromkeys((".rb", ".rake"), _RUBY),
    **dict.fromkeys((".sh", ".bash", ".zsh", ".ksh"), _SHELL),
    **dict.fromkeys((".sql", ".ddl"), _SQL),
    **dict.fromkeys((".yaml", ".yml"), _KEYS),
    **dict.fromkeys((".toml", ".ini", ".cfg", ".conf", ".properties", ".editorconfig"), _SECTIONS),
}
ENDINGS = tuple(_FAMILIES)
_INDENT = re.compile(r"[ \t]*")
_TAB_COLUMNS = 4
_MAX_LINE_CHARS = 400
_MAX_LEVEL = 6
_COMMENT = re.compile(r"[ \t]*(?:#|//|/\*|\*|--|;|@|\[|\"\"\"|''')")
_CLOSING = re.compile(r"[ \t]*(?:[)\]{}]|(?:public|private|protected|default|case\b.*):|end\b|fi\b|done\b|esac\b)")


class _Line(NamedTuple):
    start: int
    text: str
    indent: int


@dataclass(slots=True)
class _Definition:
    indent: int
    name: str


def read_code(text: str, *, name: str, max_chars: int) -> ParsedDocument:
    """Read a file of code or settings. A run's index is the character in the decoded file; `name` tells the language."""
    name = name.replace("\\", "/").rpartition("/")[2] or "–"
    family = _FAMILIES.get(next((ending for ending in ENDINGS if name.lower().endswith(ending)), ""), ())
    writer = _Writer(name, [re.compile(pattern) for pattern in family], CanonicalBuilder(max_chars=max_chars))
    writer.nests = family is not _SECTIONS
    writer.deepest = _DEEPEST_KEY if family is _KEYS else None
    return writer.read(text)


class _Writer:
    """Writes runs of lines between blank lines as blocks, and a heading before each definition; the file's name is the first."""

    def __init__(self, name: str, patterns: list["re.Pattern[str]"], builder: CanonicalBuilder) -> None:
        self.nests = True
        """Whether what stands further in belongs to what stands over it; else a definition holds until the next."""
        self.deepest: int | None = None
        """The indentation up to which definitions are looked for; None for any."""
        self._name = name
        self._patterns = patterns
        self._builder = builder
        self._open: list[_Definition] = []
        self._held: list[_Line] = []

    def read(self, text: str) -> ParsedDocument:
        if text.strip():
            self._heading(self._name, 1)
        for line in _lines(text):
            if not line.text.strip():
                self._release()
                self._builder.close_block(BlockRole.BODY)
            elif found := self._definition(line):
                self._begin(found, line)
            elif _COMMENT.match(line.text) and not self._is_inside(line):
                # What is said over a definition belongs to it.
                self._held.append(line)
            else:
                self._release()
                self._put(line)
        self._release()
        self._builder.close_block(BlockRole.BODY)
        return ParsedDocument(
            canonical=self._builder.build(), content_type=CONTENT_TYPE, parser="code", parser_version=VERSION, title=self._name
        )

    def _definition(self, line: _Line) -> "re.Match[str] | None":
        if len(line.text) > _MAX_LINE_CHARS or (self.deepest is not None and line.indent > self.deepest):
            return None
        for pattern in self._patterns:
            if found := pattern.match(line.text, _INDENT.match(line.text).end()):  # type: ignore[union-attr]
                return found
        return None

    def _begin(self, found: "re.Match[str]", line: _Line) -> None:
        while self._open and (self._open[-1].indent >= line.indent or not self.nests):
            self._open.pop()
        self._builder.close_block(BlockRole.BODY)
        name = found.group("name")
        self._heading(name, len(self._open) + 2, index=line.start + found.start("name"))
        self._open.append(_Definition(line.indent if self.nests else -1, name))
        self._release()
        self._put(line)

    def _is_inside(self, line: _Line) -> bool:
        return bool(self._open) and line.indent > self._open[-1].indent

    def _is_item(self, line: _Line) -> bool:
        """Whether a line is an item of the list that the key over it holds: it may stand as far out as the key."""
        return self.deepest is not None and line.indent == self._open[-1].indent and line.text.lstrip().startswith("- ")

    def _release(self) -> None:
        held, self._held = self._held, []
        for line in held:
            self._put(line)

    def _put(self, line: _Line) -> None:
        self._leave(line)
        bare = line.text.rstrip()
        self._builder.glue("\n")
        self._builder.write(bare, index=line.start)

    def _leave(self, line: _Line) -> None:
        """Name the holder again where a line stands behind a definition that is over."""
        if not self._open or line.indent > self._open[-1].indent or self._definition(line) or _CLOSING.match(line.text):
            return
        kept = [definition for definition in self._open if definition.indent < line.indent]
        if len(kept) == len(self._open) or _COMMENT.match(line.text) or self._is_item(line):
            return
        self._open = kept
        self._builder.close_block(BlockRole.BODY)
        self._heading(kept[-1].name if kept else self._name, len(kept) + 1)

    def _heading(self, name: str, level: int, *, index: int | None = None) -> None:
        self._builder.write(name, index=index)
        self._builder.close_block(BlockRole.HEADING, level=min(level, _MAX_LEVEL))


def _lines(text: str) -> Iterator[_Line]:
    at = 0
    for raw in text.splitlines(keepends=True):
        indent = _INDENT.match(raw).group()  # type: ignore[union-attr]
        yield _Line(at, raw.rstrip("\r\n"), len(indent.expandtabs(_TAB_COLUMNS)))
        at += len(raw)
