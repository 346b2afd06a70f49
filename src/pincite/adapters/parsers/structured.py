"""Structured files (JSON, JSON lines, XML, notebooks) read to canonical text."""

from pincite.adapters.parsers.assembly import CanonicalBuilder
from pincite.adapters.parsers.json_values import MalformedError, read_json, read_json_lines
from pincite.adapters.parsers.value_trees import Shape, Value
from pincite.adapters.parsers.value_writer import ValueWriter
from pincite.adapters.parsers.xml_values import as_value, blocks_of, is_prose, read_xml, said_in_picture
from pincite.core.documents import BlockRole, ParsedDocument

JSON_TYPE = "application/json"
LINES_TYPE = "application/x-ndjson"
XML_TYPE = "application/xml"
VERSION = "1"
_XML_FACTOR = 4


def read_json_text(text: str, *, max_chars: int, max_depth: int) -> ParsedDocument | None:
    """Read JSON or JSON lines; None for a text that is neither. A run's index is the character in the decoded file.

    Lines that hold no value are kept as text, their numbers in `meta` (`lines_unread`). Raises `RefusedInput`.
    """
    builder = CanonicalBuilder(max_chars=max_chars)
    meta: dict[str, str] = {}
    content_type = JSON_TYPE
    try:
        value = read_json(text, max_depth=max_depth)
    except MalformedError:
        try:
            value, bad = read_json_lines(text, max_depth=max_depth)
        except MalformedError:
            return None
        content_type = LINES_TYPE
        meta = {"lines_unread": ", ".join(map(str, bad[:100]))} if bad else {}
    if (cells := _cells(value)) is not None:
        _write_notebook(cells, ValueWriter(builder))
    else:
        ValueWriter(builder).write(value)
    return ParsedDocument(
        canonical=builder.build(),
        content_type=content_type,
        parser="json",
        parser_version=VERSION,
        title=_title(value),
        meta=meta,
    )


def read_xml_text(text: str, *, max_chars: int, max_depth: int) -> ParsedDocument:
    """Read an XML file. A run's index counts the characters between its tags. Raises `RefusedInput`."""
    root = read_xml(text, max_depth=_XML_FACTOR * max_depth)
    builder = CanonicalBuilder(max_chars=max_chars)
    title = None
    if root.name == "svg":
        ValueWriter(builder).write(said_in_picture(root))
    elif is_prose(root):
        for words, index, count, level in blocks_of(root):
            builder.write(words, index=index, count=None if len(words) == count else count)
            builder.close_block(BlockRole.HEADING if level else BlockRole.BODY, level=level)
            title = title or (words[:300] if level else None)
    else:
        writer = ValueWriter(builder)
        value = as_value(root)
        if value.text or value.members:
            writer.heading(root.name, level=1)
            writer.write(value, level=2)
        title = _title(value)
    return ParsedDocument(canonical=builder.build(), content_type=XML_TYPE, parser="xml", parser_version=VERSION, title=title)


def _title(value: Value) -> str | None:
    names = {name: member.text for name, member in value.members if member.is_scalar} if value.shape is Shape.MAP else {}
    return " ".join(names.get("title", names.get("name", "")).split())[:300] or None


def _cells(value: Value) -> list[Value] | None:
    """Return the cells of a notebook (nbformat 4), None for any other file."""
    members = dict(value.members) if value.shape is Shape.MAP else {}
    if "nbformat" not in members or "cells" not in members:
        return None
    return [cell for _, cell in members["cells"].members]


def _write_notebook(cells: list[Value], writer: ValueWriter) -> None:
    """Write texts, code and printed output of a notebook. Output in other forms (pages, pictures) is left out."""
    for cell in cells:
        parts = dict(cell.members)
        is_text = "cell_type" in parts and parts["cell_type"].text == "markdown"
        for line in _lines(parts.get("source")):
            marks = len(line.text) - len(line.text.lstrip("#"))
            if is_text and 1 <= marks <= 6:
                writer.heading(line.text.strip("# \n"), level=marks)
            else:
                writer.text(line)
        for _, output in parts["outputs"].members if "outputs" in parts else ():
            about = dict(output.members)
            data = dict(about["data"].members) if "data" in about else {}
            for line in _lines(about.get("text") or data.get("text/plain")):
                writer.text(line)


def _lines(value: Value | None) -> list[Value]:
    """Return the texts of a multi-line string: as one, or line by line where one of them may be a heading."""
    if value is None:
        return []
    return [value] if value.is_scalar else [member for _, member in value.members if member.is_scalar]
