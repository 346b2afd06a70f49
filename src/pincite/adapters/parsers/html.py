"""HTML files read to canonical text, by way of Markdown."""

from html_to_markdown import ConversionOptions, convert

from pincite.adapters.parsers.markdown import read_markdown
from pincite.core.documents import CanonicalText, ParsedDocument

CONTENT_TYPE = "text/html"
VERSION = "1"


def read_html(text: str, *, max_chars: int, max_depth: int) -> ParsedDocument:
    """Read an HTML text. Raises `RefusedInput` (`too_deep`, `too_large`)."""
    result = convert(text, ConversionOptions(skip_images=True, escape_misc=True, escape_asterisks=True, escape_underscores=True))
    document = read_markdown(result.content or "", max_chars=max_chars, max_depth=max_depth)
    canonical = CanonicalText(document.canonical.text, document.canonical.blocks)
    return ParsedDocument(canonical, CONTENT_TYPE, "html", VERSION, result.metadata.document.title or document.title)
