"""What an EPUB book says of itself: its parts in order, its table of contents, its printed pages, and whether it is locked."""

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote
from xml.etree.ElementTree import Element

from pincite.adapters.parsers.archive import Archive
from pincite.adapters.parsers.xml_parts import tree
from pincite.core.errors import RefusedInput

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_MAX_BYTES = 32 * 1024 * 1024
_MAX_ENTRIES = 50_000
_FONT_METHODS = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
_PAGES = frozenset({"application/xhtml+xml", "text/html", "text/x-oeb1-document"})
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of a table: its title, where it points in a part (empty: at its beginning), how deep it stands, from 1."""

    title: str
    fragment: str
    depth: int = 1


@dataclass(frozen=True, slots=True)
class Book:
    """A book: the names of its parts in the order of reading, and by part the lines of its contents and its printed pages."""

    title: str
    date: str
    spine: tuple[str, ...]
    contents: dict[str, list[Entry]]
    pages: dict[str, list[Entry]]

    def label(self, part: str) -> str:
        """Return what to call a part: as the table of contents does, else by its file."""
        entries = self.contents.get(part, ())
        return next((entry.title for entry in entries), posixpath.splitext(posixpath.basename(part))[0])


def is_book(archive: Archive) -> bool:
    """Whether an archive is an EPUB book."""
    if "mimetype" in archive and archive.read("mimetype", max_bytes=4096).strip() == b"application/epub+zip":
        return True
    return _CONTAINER in archive and any(name.endswith(".opf") for name in archive.names())


def open_book(archive: Archive, *, max_depth: int) -> Book:
    """Read what a book says of itself. Raises `RefusedInput` (`corrupt`, `encrypted`, `too_deep`)."""
    return _Opening(archive, max_depth).book()


class _Opening:
    def __init__(self, archive: Archive, max_depth: int) -> None:
        self._archive = archive
        self._max_depth = max_depth

    def book(self) -> Book:
        path = self._package_path()
        package = self._tree(path)
        items = {item.get("id", ""): item for item in _all(package, "item")}
        refs = [items.get(ref.get("idref", "")) for ref in _all(package, "itemref")]
        spine = [_at(path, item.get("href", ""))[0] for item in refs if item is not None and _is_page(item)]
        if not spine:
            raise RefusedInput("The book names no parts to read. Get it again, or save it again.", code="corrupt")
        self._check_locks(set(spine))
        contents, pages = self._tables(path, items, next(_all(package, "spine")))
        date = next((found.group() for each in _all(package, "date") if (found := _DAY.match(_text(each)))), "")
        title = next((text for each in _all(package, "title") if (text := _text(each))), "")
        return Book(title, date, tuple(dict.fromkeys(spine)), contents, pages)

    def _tree(self, part: str) -> Element:
        if part not in self._archive:
            raise RefusedInput("The book lacks the part that lists its parts. Get it again, or save it again.", code="corrupt")
        return tree([self._archive.read(part, max_bytes=_MAX_BYTES)], max_depth=self._max_depth, may_name_type=True)

    def _package_path(self) -> str:
        if _CONTAINER in self._archive:
            for root in _all(self._tree(_CONTAINER), "rootfile"):
                return _at("", "/" + root.get("full-path", ""))[0]
        return next((name for name in self._archive.names() if name.endswith(".opf")), _CONTAINER)

    def _check_locks(self, spine: set[str]) -> None:
        """Refuse a book whose text is locked. Fonts are often scrambled, which locks nothing."""
        if _ENCRYPTION not in self._archive:
            return
        for locked in _all(self._tree(_ENCRYPTION), "EncryptedData"):
            methods = [each.get("Algorithm", "") for each in _all(locked, "EncryptionMethod")]
            parts = {_at("", "/" + each.get("URI", ""))[0] for each in _all(locked, "CipherReference")}
            if parts & spine or not all(method in _FONT_METHODS for method in methods[:1]):
                raise RefusedInput(
                    "The book is locked by its seller (DRM) and can be opened in the seller's program alone. Add a copy without.",
                    code="encrypted",
                )

    def _tables(
        self, path: str, items: dict[str, Element], spine: Element
    ) -> tuple[dict[str, list[Entry]], dict[str, list[Entry]]]:
        """Return the table of contents and that of printed pages, by part, as the book's navigation or its NCX gives them."""
        navigation = next((item for item in items.values() if "nav" in item.get("properties", "").split()), None)
        contents: dict[str, list[Entry]] = {}
        pages: dict[str, list[Entry]] = {}
        if navigation is not None and (root := self._tree_if_sound(_at(path, navigation.get("href", ""))[0])) is not None:
            base = _at(path, navigation.get("href", ""))[0]
            for table in _all(root, "nav"):
                kinds = f"{_own(table, 'type')} {table.get('role', '')}".split()
                if {"toc", "doc-toc"} & set(kinds) and not contents:
                    contents = _by_part(base, _listed(table, 0))
                elif {"page-list", "doc-pagelist"} & set(kinds) and not pages:
                    pages = _by_part(base, _listed(table, 0))
        ncx = items.get(spine.get("toc", "")) or next((i for i in items.values() if "dtbncx" in i.get("media-type", "")), None)
        if ncx is not None and not (contents and pages):
            base = _at(path, ncx.get("href", ""))[0]
            if (root := self._tree_if_sound(base)) is not None:
                contents = contents or _by_part(base, _points(root, "navPoint", 0))
                pages = pages or _by_part(base, _points(root, "pageTarget", 0))
        return contents, pages

    def _tree_if_sound(self, part: str) -> Element | None:
        """Return a table; None for one that is missing or damaged, without which the book can be read."""
        try:
            return self._tree(part)
        except RefusedInput as error:
            if error.code != "corrupt":
                raise
            return None


def _is_page(item: Element) -> bool:
    return item.get("media-type", "").strip().lower() in _PAGES


def picture_part(part: str, link: str) -> str:
    """Return the part that a picture in another part is; "" without a link."""
    return _at(part, link)[0] if link else ""


def _at(base: str, link: str) -> tuple[str, str]:
    """Return the part that a link in another part points to, in lower case as the archive knows it, and the place in it."""
    path, _, fragment = link.replace("\\", "/").partition("#")
    joined = posixpath.normpath(posixpath.join("/", posixpath.dirname(base), unquote(path))).lstrip("/")
    return joined.lower(), unquote(fragment)


def _by_part(base: str, lines: Iterator[tuple[str, str, int]]) -> dict[str, list[Entry]]:
    tables: dict[str, list[Entry]] = {}
    for count, (link, title, depth) in enumerate(lines):
        if count >= _MAX_ENTRIES:
            break
        part, fragment = _at(base, link)
        if link and title:
            tables.setdefault(part, []).append(Entry(title, fragment, depth))
    return tables


def _listed(element: Element, depth: int) -> Iterator[tuple[str, str, int]]:
    """Yield link, title and depth of the lines of a list of web links (EPUB 3)."""
    for child in element:
        match _name(child):
            case "ol" | "ul":
                yield from _listed(child, depth + 1)
            case "a":
                yield child.get("href", ""), _text(child), depth
            case _:
                yield from _listed(child, depth)


def _points(element: Element, kind: str, depth: int) -> Iterator[tuple[str, str, int]]:
    """Yield link, title and depth of the points of an NCX (EPUB 2)."""
    for child in element:
        if _name(child) != kind:
            yield from _points(child, kind, depth)
            continue
        link = next((each.get("src", "") for each in child if _name(each) == "content"), "")
        title = next((_text(each) for each in child if _name(each) == "navLabel"), "")
        yield link, title, depth + 1
        yield from _points(child, kind, depth + 1)


def _all(element: Element, name: str) -> Iterator[Element]:
    return (each for each in element.iter() if _name(each) == name)


def _name(element: Element) -> str:
    return element.tag.rpartition("_")[2]


def _own(element: Element, name: str) -> str:
    return next((value for key, value in element.attrib.items() if key.rpartition("_")[2] == name), "")


def _text(element: Element) -> str:
    return " ".join(" ".join(element.itertext()).split())
