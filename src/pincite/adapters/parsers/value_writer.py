"""Values under names as canonical text: the way to a value is its heading, lists of like things are tables.

What is small stands as lines `name: value` under the heading of what holds it; what is large gets a heading of its own.
"""

from collections.abc import Iterator, Sequence

from pincite.adapters.parsers.assembly import CanonicalBuilder
from pincite.adapters.parsers.cleaning import clean
from pincite.adapters.parsers.value_trees import Shape, Value, leaves
from pincite.core.documents import BlockRole

_SMALL_CHARS = 400
_GROUP_CHARS = 700
_MAX_ROW_CHARS = 350
_MAX_COLUMNS = 40
_LEAST_FILLED = 0.5
_MAX_HEADING_CHARS = 200
_LONG_TEXT_CHARS = 300

Leaves = list[tuple[str, Value]]


class ValueWriter:
    """Writes values to a builder."""

    def __init__(self, builder: CanonicalBuilder) -> None:
        self._builder = builder

    def write(self, value: Value, *, level: int = 1) -> None:
        """Write what a value holds; headings begin at `level`."""
        if value.is_scalar:
            self.text(value)
        elif (columns := _columns(value)) is not None:
            self._table(value, columns)
        else:
            self._members(value, level)

    def heading(self, name: str, *, level: int) -> None:
        """Write the name of a part."""
        self._builder.write(" ".join(name.split())[:_MAX_HEADING_CHARS] or "–")
        self._builder.close_block(BlockRole.HEADING, level=level)

    def text(self, value: Value) -> None:
        """Write a long text: its paragraphs are blocks."""
        at = 0
        is_whole = len(value.text) == value.count
        for line in value.text.splitlines(keepends=True) or [""]:
            bare = line.rstrip()
            if bare:
                self._builder.glue("\n")
                self._put(bare, value.index + at if is_whole else value.index, len(bare) if is_whole else value.count)
            else:
                self._builder.close_block(BlockRole.BODY)
            at += len(line)
        self._builder.close_block(BlockRole.BODY)

    def _members(self, value: Value, level: int) -> None:
        """Write small members as lines, then each large one under its name."""
        small = [item for item in value.members if _is_small(item[1])]
        for name, member in small:
            self._lines([(_joined(name, path), leaf) for path, leaf in leaves(member)])
            if not member.is_scalar:
                self._builder.close_block(BlockRole.BODY)
        self._builder.close_block(BlockRole.BODY)
        for name, member in value.members:
            if not _is_small(member):
                self.heading(name, level=level)
                self.write(member, level=level + 1)

    def _lines(self, found: Leaves) -> None:
        for path, leaf in found:
            self._builder.glue("\n")
            if path:
                self._builder.write(f"{_plain(path)}: ")
            self._put(" ".join(leaf.text.split()), leaf.index, leaf.count)

    def _put(self, text: str, index: int, count: int) -> None:
        whole = None if len(text) == count else max(1, count)
        self._builder.write(text or "–", index=index if count else None, count=whole if count else None)

    def _table(self, value: Value, columns: Sequence[str]) -> None:
        rows = [dict(leaves(member)) for _, member in value.members]
        usual = sum(sum(len(leaf.text) + 3 for leaf in row.values()) for row in rows) // len(rows)
        head = "| " + " | ".join(map(_plain, columns)) + " |"
        if len(head) + usual > _GROUP_CHARS or usual > _MAX_ROW_CHARS:
            for row in rows:
                self._lines(list(row.items()))
                self._builder.close_block(BlockRole.TABLE)
            return
        size = 0
        for row in rows:
            added = sum(len(leaf.text) + 3 for leaf in row.values())
            if size and size + added > _GROUP_CHARS:
                self._builder.close_block(BlockRole.TABLE)
                size = 0
            if not size:
                self._builder.write(head)
                size = len(head)
            self._row([row.get(column) for column in columns])
            size += added
        self._builder.close_block(BlockRole.TABLE)

    def _row(self, cells: Sequence[Value | None]) -> None:
        self._builder.glue("\n")
        self._builder.write("|")
        for cell in cells:
            self._builder.glue(" ")
            if cell and cell.text.strip():
                self._put(" ".join(cell.text.split()), cell.index, cell.count)
                self._builder.glue(" ")
            self._builder.write("|")


def _is_small(value: Value) -> bool:
    return value.size <= (_LONG_TEXT_CHARS if value.is_scalar else _SMALL_CHARS)


def _joined(name: str, path: str) -> str:
    return f"{name} › {path}" if path else name


def _plain(text: str) -> str:
    return " ".join("".join(part for part, _, _ in clean(text)).split())


def _columns(value: Value) -> list[str] | None:
    """Return the columns of a list of like things, None for anything else."""
    items = [member for _, member in value.members]
    if value.shape is not Shape.LIST or len(items) < 2 or any(item.shape is not Shape.MAP for item in items):
        return None
    names: dict[str, None] = {}
    filled = 0
    for item in items:
        found = list(_bounded(item))
        if not all(_is_small(leaf) for _, leaf in found):
            return None
        paths = [path for path, _ in found]
        filled += len(paths)
        names.update(dict.fromkeys(paths))
        if len(names) > _MAX_COLUMNS:
            return None
    return list(names) if names and filled >= _LEAST_FILLED * len(names) * len(items) else None


def _bounded(value: Value) -> Iterator[tuple[str, Value]]:
    for number, leaf in enumerate(leaves(value)):
        if number > _MAX_COLUMNS:
            return
        yield leaf
