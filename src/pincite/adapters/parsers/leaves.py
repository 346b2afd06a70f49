"""What a reader of a structured format finds, before it is written: leaves of text and tables, in the order of reading."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from pincite.adapters.parsers.assembly import CanonicalBuilder
from pincite.adapters.parsers.row_groups import declared_heads, row_groups
from pincite.adapters.parsers.tables import BLANK, GLUE, MADE, Cell, Piece, grid_rows
from pincite.core.documents import BlockRole
from pincite.core.figures import FigurePlace


@dataclass(slots=True)
class Leaf:
    """A paragraph, heading or caption as pieces of text. `quoted` says how many block quotes it stands in.

    Without pieces it may be a picture; `picture` is the name of its bytes in the file, `index` where it stands, if that is known.
    """

    role: BlockRole = BlockRole.BODY
    level: int = 0
    pieces: list[Piece] = field(default_factory=list[Piece])
    quoted: int = 0
    picture: str = ""
    index: int = -1

    @property
    def text(self) -> str:
        """The text in one line."""
        return " ".join("".join(text for text, _, _ in self.pieces).split())

    def put_before(self, marker: str) -> None:
        """Put a number or bullet that the file doesn't hold as such before the text."""
        while self.pieces and self.pieces[0][1] == GLUE:
            del self.pieces[0]
        self.pieces.insert(0, (marker, MADE, 0))


@dataclass(slots=True)
class Table:
    """A table. `content` are its leaves in order, for when it turns out to be there for the layout only."""

    is_layout: bool = False
    rows: list[list[Cell]] = field(default_factory=list[list[Cell]])
    content: list["Leaf | Table"] = field(default_factory=list["Leaf | Table"])
    quoted: int = 0


class LeafWriter:
    """Writes leaves and tables as blocks of canonical text.

    `offset` is added to the index of each piece; with None the text has no place in the file. `page` is where it stands, or
    `page_at` tells it by the index of a piece.
    """

    def __init__(
        self,
        builder: CanonicalBuilder,
        *,
        offset: int | None = 0,
        page: int | None = None,
        page_at: Callable[[int], int] | None = None,
    ) -> None:
        self._builder = builder
        self._offset = offset
        self._page = page
        self._page_at = page_at
        self._pictures: list[tuple[int, str, int | None]] = []

    def write(self, items: Sequence[Leaf | Table], *, body: BlockRole = BlockRole.BODY) -> None:
        """Write items in order; `body` is the role of what has no other."""
        for item in _without_layout(items):
            if isinstance(item, Leaf) and item.picture:
                self._picture(item)
            elif isinstance(item, Leaf):
                self._pieces(item.pieces)
                self._builder.close_block(body if item.role is BlockRole.BODY else item.role, level=item.level)
            else:
                self._table(item)

    def write_lifted(self, items: Sequence[Leaf | Table], *, role: BlockRole) -> None:
        """Write items that stand outside the body flow: all of them have this role, whatever they are there."""
        for item in _without_layout(items):
            if isinstance(item, Leaf):
                self._pieces(item.pieces)
            else:
                self._rows(grid_rows(item.rows))
            self._builder.close_block(role)

    def write_once(self, stories: Iterable[Sequence[Leaf | Table]], *, role: BlockRole) -> None:
        """Write what stands outside the body flow on many pages, such as headers: equal ones once."""
        seen: set[str] = set()
        for items in stories:
            text = "\n".join(item.text for item in items if isinstance(item, Leaf))
            if text not in seen or not text:
                self.write_lifted(items, role=role)
            seen.add(text)

    def figures(self) -> Iterator[FigurePlace]:
        """Yield the pictures among what was written, each with the caption behind or before it, else with the text before it."""
        blocks = self._builder.blocks
        for at, source, page in self._pictures:
            near = [blocks[number] for number in (at, at - 1) if 0 <= number < len(blocks) and blocks[number].page == page]
            told = next((block for block in near if block.role is BlockRole.CAPTION), near[-1] if near else None)
            yield FigurePlace(told.start if told else 0, told.end if told else 0, page, None, source)

    def _picture(self, leaf: Leaf) -> None:
        if self._page_at and leaf.index >= 0:
            self._page = self._page_at(leaf.index)
        self._pictures.append((len(self._builder.blocks), leaf.picture, self._page))

    def _pieces(self, pieces: Sequence[Piece]) -> None:
        for text, index, count in pieces:
            if index == GLUE:
                self._builder.glue(text)
            elif index < 0 or self._offset is None:
                self._builder.write(text, page=self._page)
            else:
                whole = None if len(text) == count else count
                if self._page_at:
                    self._page = self._page_at(index)
                self._builder.write(text, page=self._page, index=index + self._offset, count=whole)

    def _table(self, table: Table) -> None:
        for item in table.content:
            if isinstance(item, Leaf) and item.picture:
                self._picture(item)
            elif isinstance(item, Leaf) and item.role is BlockRole.CAPTION:
                self._pieces(item.pieces)
                self._builder.close_block(BlockRole.CAPTION)
        rows = grid_rows(table.rows)
        texts = [["".join(text for text, _, _ in pieces).strip() for pieces in row] for row in rows]
        for group in row_groups(texts, heads=declared_heads(table.rows)):
            self._rows(rows[number] for number in group)
            self._builder.close_block(BlockRole.TABLE)

    def _rows(self, rows: Iterable[list[list[Piece]]]) -> None:
        for row in rows:
            self._builder.glue("\n")
            self._builder.write("|", page=self._page)
            for pieces in row:
                self._builder.glue(" ")
                self._pieces([BLANK if piece[1] == GLUE else piece for piece in pieces])
                self._builder.glue(" ")
                self._builder.write("|", page=self._page)


def _without_layout(items: Sequence[Leaf | Table]) -> Iterator[Leaf | Table]:
    stack = list(reversed(items))
    while stack:
        item = stack.pop()
        if isinstance(item, Table) and item.is_layout:
            stack += reversed(item.content)
        else:
            yield item
