"""From a text with a structure of its own to its reader."""

from collections.abc import Callable

from pincite.adapters.parsers import text_kinds
from pincite.core.documents import ParsedDocument


def read_kind(
    text: str, kind: str, *, name: str, max_chars: int, max_depth: int, on_row: Callable[[int, int], None]
) -> ParsedDocument | None:
    """Read a text as the kind that it was told to be; None where it has no reader of its own, or isn't of that kind after all."""
    match kind:
        case text_kinds.TABLE:
            from pincite.adapters.parsers.delimited import read_delimited

            return read_delimited(text, max_chars=max_chars, on_row=on_row)
        case text_kinds.JSON:
            from pincite.adapters.parsers.structured import read_json_text

            return read_json_text(text, max_chars=max_chars, max_depth=max_depth)
        case text_kinds.XML:
            from pincite.adapters.parsers.structured import read_xml_text

            return read_xml_text(text, max_chars=max_chars, max_depth=max_depth)
        case text_kinds.CODE:
            from pincite.adapters.parsers.source_code import read_code

            return read_code(text, name=name, max_chars=max_chars)
        case _:
            return None
