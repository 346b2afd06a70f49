"""Parts of office files in XML, read with expat: bounded, without entities, in one set of names.

Elements and attributes get short names (`w_p` for `w:p`: in paths of ElementTree a colon means something else), the same for the
transitional and the strict form of the standard (ISO/IEC 29500). Of alternatives (`mc:AlternateContent`) the one that an office
program of today shows is in the tree, the others are not. Text stands where ElementTree has it: before the first child in `text`,
behind a child in its `tail`.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from xml.etree.ElementTree import Element
from xml.parsers import expat

from pincite.core.errors import RefusedInput

_TRANSITIONAL = "http://schemas.openxmlformats.org/"
_STRICT = "http://purl.oclc.org/ooxml/"
_MICROSOFT = "http://schemas.microsoft.com/office/"
_OPEN = "urn:oasis:names:tc:opendocument:xmlns:"
_PREFIXES = {
    f"{_TRANSITIONAL}wordprocessingml/2006/main": "w",
    f"{_STRICT}wordprocessingml/main": "w",
    f"{_TRANSITIONAL}presentationml/2006/main": "p",
    f"{_STRICT}presentationml/main": "p",
    f"{_TRANSITIONAL}spreadsheetml/2006/main": "x",
    f"{_STRICT}spreadsheetml/main": "x",
    f"{_TRANSITIONAL}drawingml/2006/main": "a",
    f"{_STRICT}drawingml/main": "a",
    f"{_TRANSITIONAL}drawingml/2006/chart": "c",
    f"{_STRICT}drawingml/chart": "c",
    f"{_TRANSITIONAL}drawingml/2006/diagram": "dgm",
    f"{_STRICT}drawingml/diagram": "dgm",
    f"{_TRANSITIONAL}officeDocument/2006/relationships": "r",
    f"{_STRICT}officeDocument/relationships": "r",
    f"{_TRANSITIONAL}officeDocument/2006/math": "m",
    f"{_STRICT}officeDocument/math": "m",
    f"{_TRANSITIONAL}markup-compatibility/2006": "mc",
    f"{_TRANSITIONAL}package/2006/relationships": "rel",
    f"{_TRANSITIONAL}package/2006/content-types": "ct",
    f"{_MICROSOFT}drawing/2010/main": "a14",
    "urn:schemas-microsoft-com:vml": "v",
    "http://purl.org/dc/elements/1.1/": "dc",
    "http://www.w3.org/XML/1998/namespace": "xml",
    "http://www.w3.org/1999/xlink": "xlink",
    **{
        f"{_OPEN}{name}:1.0": prefix
        for name, prefix in (
            *((same, same) for same in ("office", "style", "text", "table", "meta", "presentation", "chart", "manifest")),
            *(("drawing", "draw"), ("xsl-fo-compatible", "fo"), ("svg-compatible", "svg"), ("datastyle", "number")),
        )
    },
}
_KNOWN = (_TRANSITIONAL, _STRICT, "http://schemas.microsoft.com/", "urn:schemas-microsoft-com:")
_BUFFER_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Selection:
    """Elements above the level that is asked for, by their names, that are not like others.

    What is `skipped` is passed over with all that is in it; what is `opened` doesn't count as a level; what is `announced` comes
    before what is in it, without content.
    """

    skipped: frozenset[str] = frozenset()
    opened: frozenset[str] = frozenset()
    announced: frozenset[str] = frozenset()


_ALL = Selection()


def children(
    chunks: Iterable[bytes], *, level: int, max_depth: int, may_name_type: bool = False, selection: Selection = _ALL
) -> Iterator[Element]:
    """Yield the elements that stand `level` deep under the root, each as soon as it is complete; they are kept nowhere.

    Raises `RefusedInput`: `corrupt`, also for a document type declaration, and `too_deep`. With `may_name_type` a part may name
    a type as books do, which is not fetched, but not declare anything of its own.
    """
    reader = _Reader(level, max_depth, selection)
    if may_name_type:
        reader.parser.StartDoctypeDeclHandler = _refuse_declarations
    parser = reader.parser
    try:
        for piece in chunks:
            parser.Parse(piece, False)
            yield from reader.take()
        parser.Parse(b"", True)
    except (expat.ExpatError, ValueError, LookupError) as error:
        raise RefusedInput("A part of the file is damaged. Save it again from the program that made it.", code="corrupt") from error
    yield from reader.take()


def tree(chunks: Iterable[bytes], *, max_depth: int, may_name_type: bool = False) -> Element:
    """Return the root of a small part. Raises `RefusedInput` (`corrupt`, `too_deep`)."""
    [root] = children(chunks, level=0, max_depth=max_depth, may_name_type=may_name_type)
    return root


class _Reader:
    """Builds elements at and under a level. Elements above it leave no trace."""

    def __init__(self, level: int, max_depth: int, selection: Selection) -> None:
        self._selection = selection
        self.parser = expat.ParserCreate(namespace_separator=" ")
        self.parser.buffer_text = True
        self.parser.buffer_size = _BUFFER_BYTES
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self.parser.StartNamespaceDeclHandler = self._declare
        self.parser.StartDoctypeDeclHandler = _refuse_doctype
        self._level = level
        self._max_depth = max_depth
        self._names: dict[str, str] = {}
        self._namespaces: dict[str, str] = {}
        self._complete: list[Element] = []
        # One entry an open element: its element, None for one that leaves no trace.
        self._open: list[Element | None] = []
        self._texts: list[list[str]] = []
        self._above = 0
        self._skipped_from = 0
        self._alternatives: list[bool] = []

    def take(self) -> list[Element]:
        """Return what was completed since the last call."""
        complete, self._complete = self._complete, []
        return complete

    def _declare(self, prefix: str | None, uri: str | None) -> None:
        self._namespaces[prefix or ""] = uri or ""

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._open.append(None)
        if len(self._open) > self._max_depth:
            raise RefusedInput("The file is nested too deeply to be read.", code="too_deep")
        if self._skipped_from:
            return
        tag = self._short(name)
        if tag.startswith("mc_") and self._choose(tag, attributes):
            return
        if not self._texts and self._passes(tag, attributes):
            return
        element = self._element(tag, attributes)
        if self._texts:
            parent = self._parent()
            self._put_text(parent)
            parent.append(element)
        self._open[-1] = element
        self._texts.append([])

    def _passes(self, tag: str, attributes: dict[str, str]) -> bool:
        """Say whether an element stands above the level, or isn't wanted."""
        if tag in self._selection.skipped:
            self._skipped_from = len(self._open)
        elif tag in self._selection.opened:
            pass
        elif self._above < self._level:
            self._above += 1
            if tag in self._selection.announced:
                self._complete.append(self._element(tag, attributes))
        else:
            return False
        return True

    def _element(self, tag: str, attributes: dict[str, str]) -> Element:
        return Element(tag, {self._short(key): value for key, value in attributes.items()})

    def _put_text(self, element: Element) -> None:
        """Put the text since the last child behind it, or before the first."""
        text = "".join(self._texts[-1])
        self._texts[-1].clear()
        if len(element):
            element[-1].tail = text
        else:
            element.text = text

    def _parent(self) -> Element:
        return next(element for element in reversed(self._open) if element is not None)

    def _choose(self, tag: str, attributes: dict[str, str]) -> bool:
        """Decide on an alternative; whether the element is one of those that frame alternatives."""
        if tag == "mc_AlternateContent":
            self._alternatives.append(False)
            return True
        if tag not in ("mc_Choice", "mc_Fallback") or not self._alternatives:
            return False
        if self._alternatives[-1] or not self._understands(attributes.get("Requires", "")):
            self._skipped_from = len(self._open)
        else:
            self._alternatives[-1] = True
        return True

    def _understands(self, prefixes: str) -> bool:
        return all(self._namespaces.get(prefix, "").startswith(_KNOWN) for prefix in prefixes.split())

    def _end(self, name: str) -> None:
        element = self._open.pop()
        if self._skipped_from:
            if len(self._open) < self._skipped_from:
                self._skipped_from = 0
            return
        if element is not None:
            self._put_text(element)
            self._texts.pop()
            if not self._texts:
                self._complete.append(element)
            return
        tag = self._short(name)
        if tag == "mc_AlternateContent":
            self._alternatives.pop()
        elif tag not in ("mc_Choice", "mc_Fallback") and tag not in self._selection.opened:
            self._above -= 1

    def _text(self, text: str) -> None:
        if self._texts and not self._skipped_from:
            self._texts[-1].append(text)

    def _short(self, name: str) -> str:
        short = self._names.get(name)
        if short is None:
            uri, _, local = name.rpartition(" ")
            prefix = _PREFIXES.get(uri, "other") if uri else ""
            short = self._names[name] = f"{prefix}_{local}" if prefix else local
        return short


def _refuse_declarations(name: str, system_id: str | None, public_id: str | None, has_internal_subset: bool) -> None:
    if has_internal_subset:
        _refuse_doctype()


def _refuse_doctype(*_: object) -> None:
    raise RefusedInput(
        "A part of the file declares a document type, as office programs never do and harmful files often. Save it again.",
        code="corrupt",
    )
