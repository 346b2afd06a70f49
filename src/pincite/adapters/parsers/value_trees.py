"""What a structured file says: values under names, in maps and lists, each with its place in the file."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum

from pincite.core.errors import RefusedInput

_SHORT_CHARS = 300
PATH_BORDER = " › "


class Shape(Enum):
    """What a value is made of."""

    SCALAR = "scalar"
    MAP = "map"
    LIST = "list"


@dataclass(slots=True)
class Value:
    """A value. A scalar has a text, which stands for `count` characters of the file from `index` on; others have members.

    `size` are the characters that its leaves take with their names.
    """

    shape: Shape = Shape.SCALAR
    text: str = ""
    index: int = 0
    count: int = 0
    members: list[tuple[str, "Value"]] = field(default_factory=list[tuple[str, "Value"]])
    size: int = 0

    @property
    def is_scalar(self) -> bool:
        """Whether it has a text of its own."""
        return self.shape is Shape.SCALAR

    def close(self) -> "Value":
        """Measure a value whose members are complete, and return it."""
        own = len(self.text) + 3
        self.size = own if self.is_scalar else sum(len(name) + 3 + member.size for name, member in self.members)
        return self


def scalar(text: str, index: int, count: int) -> Value:
    """Return a value of one text."""
    return Value(Shape.SCALAR, text, index, count).close()


def leaves(value: Value, path: str = "") -> Iterator[tuple[str, Value]]:
    """Yield the scalars in a value, in order, each with the names that lead to it. A short list of scalars is one of them."""
    if value.is_scalar or (value.shape is Shape.LIST and value.size <= _SHORT_CHARS and all(m.is_scalar for _, m in value.members)):
        yield path, value if value.is_scalar else _in_one_line(value)
        return
    for name, member in value.members:
        yield from leaves(member, f"{path}{PATH_BORDER}{name}" if path else name)


def _in_one_line(value: Value) -> Value:
    """Return a list of scalars as one."""
    items = [member for _, member in value.members]
    text = ", ".join(item.text for item in items)
    return scalar(text, items[0].index, items[-1].index + items[-1].count - items[0].index) if items else scalar("", 0, 0)


def too_deep() -> RefusedInput:
    """Return the error for values in values in values."""
    return RefusedInput("The values in the file are nested too deeply to be read. Save it with fewer levels.", code="too_deep")
