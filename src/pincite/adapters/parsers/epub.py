"""EPUB books (EPUB 2 and 3) read to canonical text: the parts of the spine in order, each a web page.

A printed page of the book, where it lists them, is a page; else each part is one. Places are characters of the decoded part.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pincite.adapters.parsers.archive import Archive
from pincite.adapters.parsers.assembly import CanonicalBuilder
from pincite.adapters.parsers.content_types import EPUB
from pincite.adapters.parsers.decoding import decode_text
from pincite.adapters.parsers.epub_package import Book, Entry, open_book, picture_part
from pincite.adapters.parsers.html import html_items
from pincite.adapters.parsers.html_pictures import linked_source
from pincite.adapters.parsers.leaves import Leaf, LeafWriter, Table
from pincite.adapters.parsers.tables import MADE
from pincite.core.documents import BlockRole, Page, ParsedDocument
from pincite.core.errors import RefusedInput
from pincite.core.figures import FigurePlace

VERSION = "4"
_ID = re.compile(r"""<[^<>]{0,2000}?\s(?:id|name)\s*=\s*(?:"([^"<>]{1,500})"|'([^'<>]{1,500})')""")
_DRAWS = re.compile(r"<(?:img|svg|image|object|video)\b", re.IGNORECASE)
_MAX_PART_BYTES = 64 * 1024 * 1024
_MAX_LABEL_CHARS = 200
_DEEPEST_HEADING = 6


def read_epub(
    archive: Archive, *, max_depth: int, max_pages: int, max_chars: int, on_page: Callable[[int, int], None]
) -> ParsedDocument:
    """Read a book. Raises `RefusedInput`: `encrypted` for one with DRM, `corrupt`, `too_deep`, `too_large`, `too_many_pages`."""
    book = open_book(archive, max_depth=max_depth)
    if len(book.spine) > max_pages:
        raise _too_many_pages(max_pages)
    writer = _Writer(book, CanonicalBuilder(max_chars=max_chars))
    for number, part in enumerate(book.spine, start=1):
        on_page(number, len(book.spine))
        if part not in archive:
            raise RefusedInput("The book lacks a part that it names. Get it again, or save it again.", code="corrupt")
        writer.write(part, decode_text(archive.read(part, max_bytes=_MAX_PART_BYTES), is_html=True))
        if len(writer.pages) > max_pages:
            raise _too_many_pages(max_pages)
    return ParsedDocument(
        canonical=writer.builder.build(tuple(writer.pages)),
        content_type=EPUB,
        parser="epub",
        parser_version=VERSION,
        title=book.title or None,
        pages_unread=writer.unread,
        doc_date=book.date,
        figures=tuple(writer.figures),
    )


def _too_many_pages(most: int) -> RefusedInput:
    return RefusedInput(f"The book has more than {most:,} pages. Split it and add the parts.", code="too_many_pages")


@dataclass(slots=True)
class _Sheet:
    """Where the pages of a part begin in its text, and their numbers."""

    starts: list[int]
    first: int

    def page_at(self, index: int) -> int:
        return self.first + max(0, bisect_right(self.starts, index) - 1)


class _Writer:
    """Writes one part after the other."""

    def __init__(self, book: Book, builder: CanonicalBuilder) -> None:
        self.builder = builder
        self.pages: list[Page] = []
        self.unread = 0
        self.figures: list[FigurePlace] = []
        self._book = book
        self._label = ""

    def write(self, part: str, text: str) -> None:
        places = _places_of_ids(text)
        items = html_items(text, index=0, is_xml=True, pictures=lambda attributes, _: picture_part(part, linked_source(attributes)))
        if all(isinstance(item, Leaf) and not item.pieces for item in items) and _DRAWS.search(text):
            self.unread += 1
        sheet = self._sheet(part, places)
        outlined = list(_outlined(items, self._book.contents.get(part, []), places))
        leaves = LeafWriter(self.builder, page=sheet.first, page_at=sheet.page_at)
        leaves.write(outlined)
        self.figures += leaves.figures()

    def _sheet(self, part: str, places: dict[str, int]) -> _Sheet:
        """Number the pages of a part. What stands before its first printed page goes on the one before."""
        first = len(self.pages) + 1
        printed = sorted((places.get(entry.fragment, 0), entry.title) for entry in self._book.pages.get(part, []))
        starts = [0]
        if not self._book.pages:
            self._label = self._book.label(part)
        elif printed and not printed[0][0]:
            self._label = printed.pop(0)[1]
        self._add_page()
        for start, label in printed:
            self._label = label
            starts.append(start)
            self._add_page()
        return _Sheet(starts, first)

    def _add_page(self) -> None:
        number = len(self.pages) + 1
        self.pages.append(Page(number, self._label[:_MAX_LABEL_CHARS] or str(number)))


def _places_of_ids(text: str) -> dict[str, int]:
    return {found.group(1) or found.group(2): found.start() for found in reversed(list(_ID.finditer(text)))}


def _outlined(items: list[Leaf | Table], contents: list[Entry], places: dict[str, int]) -> Iterator[Leaf | Table]:
    """Yield items with headings where the table of contents points and the text has none."""
    waiting = sorted(((places.get(entry.fragment, 0), entry) for entry in contents), key=lambda pair: pair[0])
    has_headings = any(isinstance(item, Leaf) and item.role is BlockRole.HEADING for item in items[:3])
    for item in items:
        while waiting and waiting[0][0] <= _index(item):
            at, entry = waiting.pop(0)
            level = min(entry.depth, _DEEPEST_HEADING)
            if isinstance(item, Leaf) and item.role is BlockRole.BODY and _is_same(item.text, entry.title):
                item.role, item.level = BlockRole.HEADING, level
            elif not at and not has_headings:
                yield Leaf(BlockRole.HEADING, level, [(entry.title, MADE, 0)])
        yield item


def _index(item: Leaf | Table) -> int:
    """Return where in its part an item begins; a table of nothing begins nowhere."""
    leaf = next((each for each in item.content if isinstance(each, Leaf)), None) if isinstance(item, Table) else item
    return next((index for _, index, _ in leaf.pieces if index >= 0), -1) if leaf else -1


def _is_same(left: str, right: str) -> bool:
    return left.casefold() == " ".join(right.split()).casefold()
