"""From a file to its parser."""

import os
from collections.abc import Callable

from pincite.adapters.parsers.decoding import decode_text, looks_like_text
from pincite.adapters.parsers.sniff import Media, refuse_binary, sniff
from pincite.adapters.parsers.text_readers import read_kind
from pincite.core.documents import ParsedDocument
from pincite.core.errors import RefusedInput

_HEAD_BYTES = 65_536
# A table in a table takes four elements; nothing that people write needs more of them inside each other.
_XML_DEPTH = 4


def read_file(
    path: str,
    *,
    name: str,
    max_pages: int,
    max_chars: int,
    max_depth: int,
    max_unpacked_bytes: int,
    max_pixels: int = 100_000_000,
    on_page: Callable[[int, int], None],
) -> ParsedDocument:
    """Read a file of any format that is known; it has no text only where OCR may find some.

    Raises `RefusedInput`. Only the module that its format needs is imported.
    """
    with open(path, "rb") as file:
        head = file.read(_HEAD_BYTES)
    if not head:
        raise RefusedInput("The file is empty.", code="empty_file")
    media = sniff(head, name=name or os.path.basename(path))
    if media is Media.PDF:
        from pincite.adapters.parsers.pdf import read_pdf

        return read_pdf(path, max_pages=max_pages, max_chars=max_chars, on_page=on_page)
    if media is Media.IMAGE:
        from pincite.adapters.parsers.images import read_image

        return read_image(path, max_pages=max_pages, max_pixels=max_pixels)
    if media is Media.OLD_OFFICE:
        return _read_old_office(path, max_chars=max_chars)
    if media is Media.OFFICE:
        document = _read_archive(path, max_pages, max_chars, max_depth, max_unpacked_bytes, on_page)
    elif media in (Media.MAIL, Media.RTF):
        document = _read_marked(path, media, max_chars=max_chars)
    else:
        document = _read_text(path, media, name=name or path, max_chars=max_chars, max_depth=max_depth, on_page=on_page)
    if not document.canonical.text and not document.figures:
        raise RefusedInput("The file holds no text.", code="no_text")
    return document


def _read_archive(
    path: str, max_pages: int, max_chars: int, max_depth: int, max_unpacked_bytes: int, on_page: Callable[[int, int], None]
) -> ParsedDocument:
    """Read a book, an office file, or the list of an archive of files."""
    from pincite.adapters.parsers.archive import Archive
    from pincite.adapters.parsers.epub_package import is_book
    from pincite.adapters.parsers.office import is_office, read_office
    from pincite.adapters.parsers.office_parts import OfficeBounds

    depth = _XML_DEPTH * max_depth
    with open(path, "rb") as file:
        archive = Archive(file, max_bytes=max_unpacked_bytes)
        if is_book(archive):
            from pincite.adapters.parsers.epub import read_epub

            return read_epub(archive, max_depth=depth, max_pages=max_pages, max_chars=max_chars, on_page=on_page)
        if not is_office(archive):
            from pincite.adapters.parsers.zip_files import read_zip

            return read_zip(archive, max_chars=max_chars)
    bounds = OfficeBounds(max_unpacked_bytes, depth)
    return read_office(path, bounds=bounds, max_pages=max_pages, max_chars=max_chars, on_page=on_page)


def _read_old_office(path: str, *, max_chars: int) -> ParsedDocument:
    """Read an Outlook message; refuse any other compound file."""
    import mmap

    from pincite.adapters.parsers.msg import is_msg, read_msg
    from pincite.adapters.parsers.old_office import refuse_old_office

    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as raw:
        if is_msg(raw):
            return read_msg(raw, max_chars=max_chars)
    raise refuse_old_office(path)


def _read_marked(path: str, media: Media, *, max_chars: int) -> ParsedDocument:
    """Read a message or an RTF text: bytes, parts of which are in encodings of their own."""
    import mmap

    from pincite.adapters.parsers.mail import read_mail
    from pincite.adapters.parsers.mbox import is_mailbox, read_mailbox

    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as raw:
        if media is Media.MAIL:
            return read_mailbox(raw, max_chars=max_chars) if is_mailbox(raw) else read_mail(raw, max_chars=max_chars)
        from pincite.adapters.parsers.rtf import read_rtf

        return read_rtf(raw[:], max_chars=max_chars)


def _read_text(
    path: str, media: Media, *, name: str, max_chars: int, max_depth: int, on_page: Callable[[int, int], None]
) -> ParsedDocument:
    text = _decoded(path, media, max_chars=max_chars)
    if document := read_kind(text, media.value, name=name, max_chars=max_chars, max_depth=max_depth, on_row=on_page):
        return document
    if media is Media.HTML:
        from pincite.adapters.parsers.html import read_html

        return read_html(text, max_chars=max_chars, max_depth=10 * max_depth)
    if media is Media.MARKDOWN:
        from pincite.adapters.parsers.markdown import read_markdown

        return read_markdown(text, max_chars=max_chars, max_depth=max_depth)
    from pincite.adapters.parsers.plain_text import read_plain_text

    return read_plain_text(text, max_chars=max_chars)


def _decoded(path: str, media: Media, *, max_chars: int) -> str:
    if os.path.getsize(path) > 4 * max_chars:
        raise RefusedInput(f"The file holds more than {max_chars:,} characters. Split it and add the parts.", code="too_large")
    with open(path, "rb") as file:
        raw = file.read()
    text = decode_text(raw, is_html=media in (Media.HTML, Media.XML))
    if not looks_like_text(text):
        raise refuse_binary()
    return text
