"""Documents inside a Word document (`w:altChunk`): programs that make DOCX files hand whole web pages to Word this way."""

from pincite.adapters.parsers.decoding import decode_text
from pincite.adapters.parsers.html import html_items
from pincite.adapters.parsers.leaves import Leaf, Table
from pincite.adapters.parsers.office_package import OfficePackage
from pincite.adapters.parsers.placed_text import Places


def chunk_items(package: OfficePackage, part: str | None, places: Places) -> list[Leaf | Table]:
    """Return what a web page, web archive or text in a part says; nothing for other formats. Raises `RefusedInput`."""
    if not part or not package.has(part):
        return []
    declared = package.content_type(part)
    raw = package.read(part)
    if "message/rfc822" in declared or part.lower().endswith((".mht", ".mhtml")):
        raw, declared = _page_of_archive(raw), "text/html"
    if "html" in declared:
        text = decode_text(raw, is_html=True)
        items = html_items(text, index=places.index)
        places.index += len(text)
        return items
    if declared.startswith("text/plain"):
        return [Leaf(pieces=list(places.take(line))) for line in decode_text(raw).splitlines() if line.strip()]
    return []


def _page_of_archive(raw: bytes) -> bytes:
    """Return the first web page of a web archive (RFC 2557), empty when there is none."""
    from email import message_from_bytes

    for part in message_from_bytes(raw).walk():
        if part.get_content_type() == "text/html":
            page = part.get_payload(decode=True)
            return page if isinstance(page, bytes) else b""
    return b""
