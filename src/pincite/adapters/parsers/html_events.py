"""An HTML text as a stream of visible text and balanced tags, each piece of text with its place in the source."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from html import unescape
from html.parser import HTMLParser
from typing import Protocol

from pincite.core.errors import RefusedInput

Attributes = Sequence[tuple[str, str | None]]

# Elements without an end tag.
VOID = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"),
)
# Elements whose text nobody sees on the page, or that only lead away from it.
UNSEEN = frozenset(
    (
        *("script", "style", "template", "noscript", "svg", "annotation", "annotation-xml", "iframe", "object", "audio", "video"),
        *("canvas", "map", "nav", "button", "select", "datalist", "textarea", "head", "title"),
    )
)
# Elements that begin and end a line.
BLOCKS = frozenset(
    (
        *("address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "dialog", "dir", "div", "dl"),
        *("dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hgroup", "hr"),
        *("html", "legend", "li", "main", "menu", "ol", "p", "pre", "search", "section", "summary", "table"),
        *("tbody", "td", "tfoot", "th", "thead", "tr", "ul"),
    )
)
# Signs that stand between the parts of a formula (MathML Core, section 3), before the second and the third.
_BETWEEN = {"mfrac": "/", "msup": "^", "msub": "_", "msubsup": "_^", "munder": "_", "mover": "^", "munderover": "_^"}
_AROUND = {"mfenced": "(", "msqrt": "√(", "mroot": "√("}
# How generators of documentation and sites call what only leads away, where they don't use `nav`.
_WAYS = frozenset(
    ("nav", "navbar", "navheader", "navfooter", "navigation", "breadcrumb", "breadcrumbs", "skip-link", "skiplink", "toctree-nav"),
)
_HIDING_STYLE = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|(?:font-size|opacity|max-height)\s*:\s*0(?![.\d]*[1-9])"
    r"|(?:left|top|right|text-indent)\s*:\s*-\d{3,}",
    re.IGNORECASE,
)
# A start tag ends these open elements (HTML Standard, section 13.1.2.4, optional tags), but not beyond the elements after the bar.
_ENDED_BY: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    "li": (frozenset({"li"}), frozenset({"ul", "ol", "menu", "dir"})),
    "dt": (frozenset({"dt", "dd"}), frozenset({"dl"})),
    "dd": (frozenset({"dt", "dd"}), frozenset({"dl"})),
    "td": (frozenset({"td", "th"}), frozenset({"table"})),
    "th": (frozenset({"td", "th"}), frozenset({"table"})),
    "tr": (frozenset({"tr"}), frozenset({"table"})),
    "tbody": (frozenset({"tbody", "thead", "tfoot"}), frozenset({"table"})),
    "tfoot": (frozenset({"tbody", "thead", "tfoot"}), frozenset({"table"})),
}
_NO_ENDS: tuple[frozenset[str], frozenset[str]] = (frozenset(), frozenset())
_TABLE_PARTS = frozenset({"td", "th", "tr", "tbody", "thead", "tfoot", "caption"})
_CELLS = frozenset({"table", "td", "th", "caption"})
_SCOPE = frozenset({"table", "td", "th", "li", "dd", "button", "object"})
_REFERENCE = re.compile(r"&(?:#[0-9]{1,8}|#[xX][0-9a-fA-F]{1,7}|[A-Za-z][A-Za-z0-9]{1,31});?")


class Sink(Protocol):
    """Receives the stream: block elements alone, each `start` followed by its `end`, the innermost first."""

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """A block opens."""
        ...

    def end(self, tag: str) -> None:
        """The innermost block closes."""
        ...

    def line_break(self) -> None:
        """A line ends inside a block."""
        ...

    def text(self, text: str, *, index: int, count: int) -> None:
        """Visible text that stands for `count` characters of the source from `index`; one to one when it is as long."""
        ...

    def made(self, text: str) -> None:
        """A sign that the page shows and the source has no character for."""
        ...

    def title(self, text: str) -> None:
        """A part of the document's title."""
        ...

    def picture(self, attributes: dict[str, str], *, index: int, count: int) -> None:
        """A picture, whose tag is `count` characters of the source from `index`."""
        ...


@dataclass(slots=True)
class _Element:
    tag: str
    is_seen: bool
    end: str = ""
    children: int = 0


class HtmlReader(HTMLParser):
    """Feeds a sink. Raises `RefusedInput` (`too_deep`) when elements are nested more than `max_depth` deep.

    With `is_xml` a slash at its end closes any element.
    """

    def __init__(self, sink: Sink, *, max_depth: int, is_xml: bool = False) -> None:
        super().__init__(convert_charrefs=False)
        self._sink = sink
        self._max_depth = max_depth
        self._is_xml = is_xml
        self._open: list[_Element] = []
        self._counts: Counter[str] = Counter()
        self._line_starts: list[int] = [0]
        self._source = ""

    def read(self, source: str) -> None:
        """Read a whole document."""
        self._source = source
        self._line_starts += [found.end() for found in re.finditer("\n", source)]
        # With a blank at its end no version of the tokenizer drops the ampersand of an unfinished reference there.
        self.feed(source + " ")
        self.close()
        while self._open:
            self._pop()

    @property
    def _index(self) -> int:
        line, column = self.getpos()
        return self._line_starts[min(line, len(self._line_starts)) - 1] + column

    def handle_starttag(self, tag: str, attrs: Attributes) -> None:
        """Open an element, after those that it ends."""
        attributes = {name: value or "" for name, value in attrs}
        self._end_implied(tag)
        is_seen = self._is_seen and not _is_hidden(tag, attributes)
        if (tag == "img" and is_seen) or (tag == "image" and self._is_drawn):
            self._sink.picture(attributes, index=self._index, count=len(self.get_starttag_text() or ""))
        if tag in VOID:
            self._void(tag, is_seen=is_seen)
            return
        if len(self._open) >= self._max_depth:
            raise RefusedInput("The elements of the HTML are nested too deeply to be read.", code="too_deep")
        end = self._begin_in_formula(tag) if is_seen and self._counts["math"] else ""
        self._open.append(_Element(tag, is_seen, end))
        self._counts[tag] += 1
        if is_seen and tag in BLOCKS:
            self._sink.start(tag, attributes)

    def _begin_in_formula(self, tag: str) -> str:
        """Write the signs before an element of a formula, and return those behind it."""
        parent = self._open[-1]
        parent.children += 1
        signs = _BETWEEN.get(parent.tag, "")
        if 2 <= parent.children <= len(signs) + 1:
            self._sink.made(signs[parent.children - 2])
        opening = _AROUND.get(tag) or ("(" if tag == "mrow" and signs else "")
        self._sink.made(opening)
        return ")" if opening else ""

    def _void(self, tag: str, *, is_seen: bool) -> None:
        if is_seen and tag == "br":
            self._sink.line_break()
        elif is_seen and tag == "hr":
            self._sink.start(tag, {})
            self._sink.end(tag)

    def handle_startendtag(self, tag: str, attrs: Attributes) -> None:
        """Open an element; a slash closes only those that never have content, and in XHTML all."""
        self.handle_starttag(tag, attrs)
        if self._is_xml and tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        """Close an element and what was left open in it. An end without a start is ignored, and so is one that would reach too far:

        out of a cell, or from a phrase out of the block that it stands in.
        """
        if self._counts[tag]:
            self._close_up_to(frozenset({tag}), _fence(tag))

    def _end_implied(self, tag: str) -> None:
        if tag in BLOCKS and self._counts["p"]:
            self._close_up_to(frozenset({"p"}), _SCOPE)
        ended, fence = _ENDED_BY.get(tag, _NO_ENDS)
        if any(self._counts[name] for name in ended):
            self._close_up_to(ended, fence)

    def _close_up_to(self, ended: frozenset[str], fence: frozenset[str]) -> None:
        for depth in range(len(self._open) - 1, -1, -1):
            tag = self._open[depth].tag
            if tag in ended:
                while len(self._open) > depth:
                    self._pop()
                return
            if tag in fence:
                return

    def _pop(self) -> None:
        element = self._open.pop()
        self._counts[element.tag] -= 1
        self._sink.made(element.end)
        if element.is_seen and element.tag in BLOCKS:
            self._sink.end(element.tag)

    @property
    def _is_seen(self) -> bool:
        return not self._open or self._open[-1].is_seen

    @property
    def _is_drawn(self) -> bool:
        """Whether a drawing stands where it is seen: it hides what is in it as text, and shows it as pictures."""
        outer = next((at for at, element in enumerate(self._open) if element.tag == "svg"), -1)
        return outer >= 0 and (outer == 0 or self._open[outer - 1].is_seen)

    def handle_data(self, data: str) -> None:
        """Pass visible text on."""
        if self._open and self._open[-1].tag == "title" and not self._counts["svg"]:
            self._sink.title(unescape(data))
        elif self._is_seen and not (self._counts["math"] and data.isspace()):
            index = self._index
            data = data[: len(self._source) - index]
            self._sink.text(data, index=index, count=len(data))

    def handle_entityref(self, name: str) -> None:
        """Pass a named character on."""
        self._reference(f"&{name}")

    def handle_charref(self, name: str) -> None:
        """Pass a numbered character on."""
        self._reference(f"&#{name}")

    def _reference(self, reference: str) -> None:
        index = self._index
        found = _REFERENCE.match(self._source, index)
        written = found.group() if found and found.group().startswith(reference) else reference
        if self._open and self._open[-1].tag == "title":
            self._sink.title(unescape(written))
        elif self._is_seen:
            self._sink.text(unescape(written), index=index, count=len(written))

    def parse_marked_section(self, i: int, report: bool = True) -> int:
        """Pass a marked section over. One of an unknown kind ends at the next bracket; there the library gives up."""
        try:
            return super().parse_marked_section(i, report)
        except AssertionError:
            return self.rawdata.find(">", i) + 1 or -1

    def unknown_decl(self, data: str) -> None:
        """Ignore a marked section."""


def _fence(tag: str) -> frozenset[str]:
    """Return the elements that an end tag doesn't reach beyond."""
    if tag in UNSEEN or tag == "table":
        return frozenset()
    if tag in _TABLE_PARTS:
        return frozenset({"table"})
    return _CELLS if tag in BLOCKS else BLOCKS


def _leads_away(tag: str, attributes: dict[str, str]) -> bool:
    """Say whether a block is navigation by its class. The page itself may carry such a class too, and stays."""
    return tag not in {"html", "body", "main", "article"} and not _WAYS.isdisjoint(attributes.get("class", "").lower().split())


def _is_hidden(tag: str, attributes: dict[str, str]) -> bool:
    if tag in UNSEEN or attributes.get("role") == "navigation" or _leads_away(tag, attributes):
        return True
    if "hidden" in attributes and attributes["hidden"].lower() != "until-found":
        return True
    return bool(_HIDING_STYLE.search(attributes.get("style", "")))
