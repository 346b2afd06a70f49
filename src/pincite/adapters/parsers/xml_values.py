"""XML files as values, or as text where they are documents. Entities of their own are refused, nothing outside is ever opened."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from pincite.adapters.parsers.value_trees import Shape, Value, scalar, too_deep
from pincite.core.errors import RefusedInput

_DECLARATION = re.compile(r"\A[\s\ufeff]*<\?xml[^>]*\?>")
_TITLES = {"title", "head", "heading", "caption", "name", "label"}
_SAID = {"title", "desc", "text"}
_MAX_ATTRIBUTES = 100_000


@dataclass(slots=True)
class Node:
    """An element: its name without prefix, attributes, and content in order: texts with their numbers, and elements."""

    name: str
    attributes: dict[str, str] = field(default_factory=dict[str, str])
    content: list["tuple[str, int] | Node"] = field(default_factory=list["tuple[str, int] | Node"])

    @property
    def elements(self) -> "list[Node]":
        """The elements right inside."""
        return [item for item in self.content if isinstance(item, Node)]

    @property
    def texts(self) -> list[tuple[str, int]]:
        """The texts right inside that say something."""
        return [item for item in self.content if isinstance(item, tuple) and item[0].strip()]

    def words(self) -> Iterator[tuple[str, int]]:
        """Yield all texts inside, in order."""
        for item in self.content:
            if isinstance(item, Node):
                yield from item.words()
            else:
                yield item


class _Reader:
    def __init__(self, max_depth: int) -> None:
        self.parser = expat.ParserCreate("utf-8", namespace_separator=" ")
        self.parser.buffer_text = True
        self.parser.buffer_size = 1 << 16
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self.parser.EntityDeclHandler = _refuse_entity
        self.parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
        self.root: Node | None = None
        self._open: list[Node] = []
        self._max_depth = max_depth
        self._taken = 0

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if len(self._open) >= self._max_depth:
            raise too_deep()
        if len(attributes) > _MAX_ATTRIBUTES:
            raise RefusedInput("An element in the file has far too many attributes.", code="too_large")
        node = Node(_local(name), {_local(key): value for key, value in attributes.items()})
        if self._open:
            self._open[-1].content.append(node)
        else:
            self.root = node
        self._open.append(node)

    def _end(self, name: str) -> None:
        self._open.pop()

    def _text(self, text: str) -> None:
        if self._open:
            self._open[-1].content.append((text, self._taken))
        self._taken += len(text)


def _local(name: str) -> str:
    return name.rpartition(" ")[2]


def _refuse_entity(*_: object) -> None:
    raise RefusedInput(
        "The file declares entities of its own, as harmful files do. Save it with the entities written out and add it again.",
        code="corrupt",
    )


def read_xml(text: str, *, max_depth: int) -> Node:
    """Return the root of an XML text. Raises `RefusedInput` (`corrupt`, `too_deep`, `too_large`)."""
    reader = _Reader(max_depth)
    # The characters are known by now: what the file declares about its bytes no longer holds.
    body = _DECLARATION.sub("", text, count=1).lstrip("\ufeff")
    try:
        reader.parser.Parse(body.encode("utf-8", "replace"), True)
    except (expat.ExpatError, ValueError) as error:
        raise RefusedInput(
            "The XML is damaged and can't be read. Save it again from the program that made it.", code="corrupt"
        ) from error
    if reader.root is None:
        raise RefusedInput("The file holds no text.", code="no_text")
    return reader.root


def is_prose(root: Node) -> bool:
    """Whether an XML file is a document for reading: somewhere words and elements stand in one line."""
    stack = [root]
    while stack:
        node = stack.pop()
        if node.texts and node.elements:
            return True
        stack += node.elements
    return False


def said_in_picture(root: Node) -> Value:
    """Return what a drawing (SVG) says: its titles, descriptions and texts."""
    found, stack = Value(Shape.LIST), [root]
    while stack:
        node = stack.pop()
        if node.name in _SAID:
            words = list(node.words())
            text = " ".join("".join(piece for piece, _ in words).split())
            if text:
                found.members.append(("", scalar(text, words[0][1], words[-1][1] + len(words[-1][0]) - words[0][1])))
        else:
            stack += reversed(node.elements)
    return found.close()


def as_value(node: Node) -> Value:
    """Return an element as a value: attributes and elements are members, elements with one name a list."""
    elements = node.elements
    if not elements and not node.attributes:
        return _joined(node)
    members = [(f"@{name}", scalar(value, 0, 0)) for name, value in node.attributes.items()]
    groups: dict[str, list[Node]] = {}
    for element in elements:
        groups.setdefault(element.name, []).append(element)
    if len(groups) == 1 and len(elements) > 1 and not members:
        return _list(elements)
    members += [(name, as_value(group[0]) if len(group) == 1 else _list(group)) for name, group in groups.items()]
    if node.texts:
        members.append(("text", _joined(node)))
    return Value(Shape.MAP, members=members).close()


def _list(elements: list[Node]) -> Value:
    return Value(Shape.LIST, members=[(str(at), as_value(element)) for at, element in enumerate(elements)]).close()


def _joined(node: Node) -> Value:
    texts = node.texts
    text = " ".join(" ".join(piece for piece, _ in texts).split())
    if not texts:
        return scalar("", 0, 0)
    first, last = texts[0], texts[-1]
    return scalar(text, first[1], last[1] + len(last[0]) - first[1])


def blocks_of(node: Node, level: int = 1) -> Iterator[tuple[str, int, int, int]]:
    """Yield the paragraphs of a document as `(text, index, count, level)`; the level is 0 but for headings."""
    if node.texts or not node.elements:
        words = list(node.words())
        text = " ".join("".join(piece for piece, _ in words).split())
        if text:
            start = words[0][1]
            yield text, start, words[-1][1] + len(words[-1][0]) - start, level if node.name.lower() in _TITLES else 0
        return
    inner = level + (node.elements[0].name.lower() in _TITLES)
    for at, element in enumerate(node.elements):
        yield from blocks_of(element, level if at == 0 else inner)
