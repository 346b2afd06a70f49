"""Kinds of text files that have a structure of their own, told by what they say; by their name where that leaves it open."""

from pincite.adapters.parsers.decoding import decode_text
from pincite.adapters.parsers.delimited import looks_delimited
from pincite.core.errors import RefusedInput

TABLE = "text/csv"
TEXT = "text/plain"
_TABLE_ENDINGS = (".csv", ".tsv", ".tab", ".psv")


def kind_of_text(head: bytes, *, name: str) -> str:
    """Return the content type that a text file is read as, from its beginning; `name` is in lower case."""
    sample = _sample(head)
    if name.endswith(_TABLE_ENDINGS) or looks_delimited(sample):
        return TABLE
    return TEXT


def _sample(head: bytes) -> str:
    """Return the beginning of a text, empty where its characters can't be told."""
    try:
        return decode_text(head)
    except RefusedInput:
        return ""
