"""What a file is, told from its bytes; its name is a hint where bytes can't tell (Markdown among text files)."""

import re
from enum import Enum

from pincite.adapters.parsers.text_kinds import kind_of_text
from pincite.core.errors import RefusedInput

_PDF_HEADER_WITHIN = 1024
_HTML = re.compile(
    rb"\s*(?:<\?xml[^>]{0,200}\?>\s*)?(?:<!--.{0,2000}?-->\s*)*<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE | re.DOTALL
)
_HTML_ELEMENT = re.compile(
    rb"<(?:p|div|table|h[1-6]|ul|ol|span|a|title|meta|article|section|br|b|i)\b[^<>]{0,300}>|&[a-z0-9#]{2,20};", re.IGNORECASE
)
_MARKDOWN_ENDINGS = (".md", ".markdown", ".mdown", ".mkd", ".mdx")
_HTML_ENDINGS = (".html", ".htm", ".xhtml", ".shtml")
_READ_NOW = (
    "PDF, DOCX, PPTX, XLSX, ODT, ODS, ODP, EPUB, RTF, CSV, HTML, JSON, XML, Markdown, e-mail, plain text and image files (PNG, "
    "JPEG, TIFF, WebP, GIF, BMP) are read now."
)
_MAIL_ENDINGS = (".eml", ".mht", ".mhtml", ".emlx")
_NO_MAIL_ENDINGS = (*_MARKDOWN_ENDINGS, *_HTML_ENDINGS, ".yaml", ".yml", ".json", ".csv", ".tsv", ".py", ".rst")
_HEADER_LINES = re.compile(rb"(?:>?From [^\r\n]*\r?\n)?((?:[!-9;-~]+[ \t]*:[^\r\n]*(?:\r?\n[ \t][^\r\n]*)*(?:\r?\n|\Z))+)")
_HEADER_NAMES = re.compile(
    rb"^(From|To|Cc|Subject|Date|Message-ID|MIME-Version|Received|Return-Path|Delivered-To|Reply-To|Sender|Content-Type)[ \t]*:",
    re.IGNORECASE | re.MULTILINE,
)
_OF_THE_ROAD = frozenset((b"date", b"message-id", b"mime-version", b"received", b"return-path", b"delivered-to"))
_LEAST_HEADERS = 3

_IMAGES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a", b"II*\x00", b"MM\x00*")
_BITMAP_HEADERS = (12, 40, 52, 56, 64, 108, 124)
_ZIP = b"PK\x03\x04"
_COMPOUND_FILE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_OTHERS: tuple[tuple[bytes, str], ...] = (
    (b"PK\x05\x06", "an empty ZIP archive"),
    (b"\x7fELF", "a program"),
    (b"MZ", "a program"),
    (b"\xcf\xfa\xed\xfe", "a program"),
    (b"\x1f\x8b", "a compressed file"),
    (b"BZh", "a compressed file"),
    (b"\xfd7zXZ\x00", "a compressed file"),
    (b"7z\xbc\xaf\x27\x1c", "a compressed file"),
    (b"(\xb5/\xfd", "a compressed file"),
    (b"Rar!\x1a\x07", "a compressed file"),
    (b"ID3", "a sound recording"),
    (b"OggS", "a sound recording"),
    (b"RIFF", "a sound or film file"),
    (b"SQLite format 3\x00", "a database"),
    (b"%!PS", "a PostScript file"),
    (b"\x80\x04\x95", "a Python pickle"),
)


class Media(Enum):
    """The kinds of files that have a reader of their own, which may still refuse them."""

    PDF = "application/pdf"
    OFFICE = "application/zip"
    OLD_OFFICE = "application/x-ole-storage"
    MAIL = "message/rfc822"
    RTF = "application/rtf"
    IMAGE = "image/*"
    HTML = "text/html"
    TABLE = "text/csv"
    JSON = "application/json"
    CODE = "text/x-source"
    XML = "application/xml"
    MARKDOWN = "text/markdown"
    TEXT = "text/plain"


_KNOWN = ((_ZIP, Media.OFFICE), (_COMPOUND_FILE, Media.OLD_OFFICE), (b"{\\rtf", Media.RTF))


def sniff(head: bytes, *, name: str) -> Media:
    """Tell the format from the first 64 kB of a file. Raises `RefusedInput` (`unsupported`)."""
    if 0 <= head.find(b"%PDF-", 0, _PDF_HEADER_WITHIN + 5) <= _PDF_HEADER_WITHIN and not _is_text_about_pdf(head, name):
        return Media.PDF
    for signature, media in _KNOWN:
        if head.startswith(signature):
            return media
    if _is_image(head):
        return Media.IMAGE
    _refuse_others(head)
    lowered = name.lower()
    if _is_mail(head, lowered):
        return Media.MAIL
    if _is_html(head, lowered):
        return Media.HTML
    return Media.MARKDOWN if lowered.endswith(_MARKDOWN_ENDINGS) else Media(kind_of_text(head, name=lowered))


def _is_image(head: bytes) -> bool:
    is_webp = head.startswith(b"RIFF") and head[8:12] == b"WEBP"
    is_bitmap = head.startswith(b"BM") and int.from_bytes(head[14:18], "little") in _BITMAP_HEADERS and head[6:10] == bytes(4)
    return head.startswith(_IMAGES) or is_webp or is_bitmap


def _is_mail(head: bytes, name: str) -> bool:
    """Whether a file begins with headers of a message: one will do under a name of mail, else a few, some from its way."""
    found = _HEADER_LINES.match(head.removeprefix(b"\xef\xbb\xbf").lstrip(b"\r\n"))
    if not found or name.endswith(_NO_MAIL_ENDINGS):
        return False
    names = {each.lower() for each in _HEADER_NAMES.findall(found.group(1))}
    if name.endswith(_MAIL_ENDINGS):
        return bool(names)
    return len(names) >= _LEAST_HEADERS and bool(names & _OF_THE_ROAD) and b"from" in names


def refuse_binary() -> RefusedInput:
    """Return the error for bytes that are no text and no known format."""
    return RefusedInput(f"The file is neither a document nor a text that can be read. {_READ_NOW}", code="unsupported")


def _is_text_about_pdf(head: bytes, name: str) -> bool:
    """Whether a text file only quotes a PDF header: it doesn't begin with it and the name says text."""
    starts_with_it = head.lstrip().startswith(b"%PDF-")
    return not starts_with_it and name.lower().endswith((*_MARKDOWN_ENDINGS, ".txt")) and b"\x00" not in head


def _refuse_others(head: bytes) -> None:
    for signature, kind in _OTHERS:
        if head.startswith(signature):
            raise RefusedInput(f"The file is {kind}, which can't be read yet. {_READ_NOW}", code="unsupported")
    if head[4:8] == b"ftyp":
        raise RefusedInput(f"The file is a film or picture, which can't be read yet. {_READ_NOW}", code="unsupported")


def _is_html(head: bytes, name: str) -> bool:
    plain = head.replace(b"\x00", b"").removeprefix(b"\xef\xbb\xbf").removeprefix(b"\xff\xfe").removeprefix(b"\xfe\xff")
    if name.endswith(_MARKDOWN_ENDINGS) or name.endswith(".txt"):
        return False
    if _HTML.match(plain):
        return True
    return name.endswith(_HTML_ENDINGS) and bool(_HTML_ELEMENT.search(plain))
