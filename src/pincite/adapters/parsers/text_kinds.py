"""Kinds of text files that have a structure of their own, told by what they say; by their name where that leaves it open."""

import re

from pincite.adapters.parsers.decoding import decode_text
from pincite.adapters.parsers.delimited import looks_delimited
from pincite.adapters.parsers.json_values import begins_as_json
from pincite.adapters.parsers.source_code import ENDINGS
from pincite.core.errors import RefusedInput

TABLE = "text/csv"
JSON = "application/json"
XML = "application/xml"
CODE = "text/x-source"
TEXT = "text/plain"
_HEAD_BYTES = 65_536
_XML_START = re.compile(
    r"[\s\ufeff]*(?:<\?xml\s|<!DOCTYPE\s+(?!html)[A-Za-z]|<[A-Za-z_][\w.:-]*(?:\s+[\w.:-]+\s*=|\s*/?>))", re.IGNORECASE
)
_XML_DECLARED = re.compile(r"[\s\ufeff]*<\?xml\s", re.IGNORECASE)
_XML_ENDINGS = (
    ".xml",
    ".svg",
    ".rss",
    ".atom",
    ".xsd",
    ".xsl",
    ".xslt",
    ".wsdl",
    ".plist",
    ".kml",
    ".gpx",
    ".xlf",
    ".tei",
    ".dita",
)
_JSON_ENDINGS = (".json", ".jsonl", ".ndjson", ".geojson", ".ipynb", ".webmanifest", ".har", ".json5")
_TABLE_ENDINGS = (".csv", ".tsv", ".tab", ".psv")


def kind_of_text(head: bytes, *, name: str) -> str:
    """Return the content type that a text file is read as, from its beginning; `name` is in lower case."""
    sample = _sample(head)
    if _XML_DECLARED.match(sample) or (name.endswith(_XML_ENDINGS) and _XML_START.match(sample)):
        return XML
    if name.endswith(ENDINGS):
        return CODE
    if name.endswith(_JSON_ENDINGS) or begins_as_json(sample, is_cut=len(head) >= _HEAD_BYTES):
        return JSON
    if name.endswith(_TABLE_ENDINGS) or looks_delimited(sample):
        return TABLE
    return TEXT


def _sample(head: bytes) -> str:
    """Return the beginning of a text, empty where its characters can't be told."""
    try:
        return decode_text(head)
    except RefusedInput:
        return ""
