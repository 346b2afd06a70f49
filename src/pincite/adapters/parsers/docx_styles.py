"""Styles of a Word document: which paragraphs are headings, titles and captions, which text is hidden."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from xml.etree.ElementTree import Element

MAX_HEADING_LEVEL = 9
_BODY_LEVEL = 9
_MAX_CHAIN = 20
_FALSE = frozenset({"0", "false", "off", "none"})


@dataclass(frozen=True, slots=True)
class Numbered:
    """The list that a paragraph belongs to and its level there, from 0. None where the paragraph itself doesn't say."""

    list_id: str | None = None
    level: int | None = None


@dataclass(frozen=True, slots=True)
class ParagraphLook:
    """What a style, or a paragraph by itself, says. `outline` is the level of a heading from 0, 9 for body text."""

    name: str = ""
    outline: int | None = None
    numbered: Numbered = Numbered()
    is_hidden: bool | None = None
    style_id: str = ""


class Styles:
    """The styles of a document, each with what it inherits."""

    def __init__(self, elements: Iterable[Element]) -> None:
        own: dict[str, ParagraphLook] = {}
        based_on: dict[str, str] = {}
        self._default = ""
        self._numbering: dict[str, str] = {}
        for element in elements:
            if element.tag != "w_style":
                continue
            style_id = element.get("w_styleId", "")
            own[style_id] = replace(read_look(element), name=value(element, "w_name").lower(), style_id=style_id)
            based_on[style_id] = value(element, "w_basedOn")
            if element.get("w_type") == "paragraph" and is_on(element.get("w_default", "0")):
                self._default = style_id
            if element.get("w_type") == "numbering":
                self._numbering[style_id] = own[style_id].numbered.list_id or ""
        self._looks = {style_id: _inherit(style_id, own, based_on) for style_id in own}

    def look(self, style_id: str) -> ParagraphLook:
        """Return what a style says; for one that isn't there what its id says, else the document's usual paragraph."""
        return self._looks.get(style_id) or _guess(style_id) or self._looks.get(self._default) or ParagraphLook()

    def is_hidden(self, style_id: str) -> bool | None:
        """Return whether a style of characters hides text; None when it doesn't say."""
        look = self._looks.get(style_id)
        return look.is_hidden if look else None

    def list_of(self, style_id: str) -> str:
        """Return the list that a numbering style stands for, empty when there is none."""
        return self._numbering.get(style_id, "")


def read_look(element: Element) -> ParagraphLook:
    """Return what the paragraph properties (and for a style, the run properties) under an element say."""
    properties = element.find("w_pPr")
    hidden = flag(element.find("w_rPr"), "w_vanish")
    if properties is None:
        return ParagraphLook(is_hidden=hidden)
    numbering = properties.find("w_numPr")
    numbered = Numbered()
    if numbering is not None:
        numbered = Numbered(value(numbering, "w_numId") or None, whole(value(numbering, "w_ilvl")))
    return ParagraphLook(outline=whole(value(properties, "w_outlineLvl")), numbered=numbered, is_hidden=hidden)


def heading_level(look: ParagraphLook) -> int:
    """Return the level of a heading from 1, 0 for a paragraph that is none."""
    if look.name == "toc heading":
        return 1
    if look.outline is not None:
        return look.outline + 1 if 0 <= look.outline < _BODY_LEVEL else 0
    return 1 if look.name == "title" else 0


def value(element: Element, path: str) -> str:
    """Return the `w_val` of a child, empty where there is none."""
    child = element.find(path)
    return "" if child is None else child.get("w_val", "")


def whole(text: str) -> int | None:
    """Return a small whole number, None for anything else."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 7 else None


def flag(properties: Element | None, tag: str) -> bool | None:
    """Return whether properties turn something on; None when they don't say."""
    child = None if properties is None else properties.find(tag)
    return None if child is None else is_on(child.get("w_val", "1"))


def is_on(text: str) -> bool:
    """Whether a value of the standard's type on/off says on."""
    return text.lower() not in _FALSE


def _inherit(style_id: str, own: Mapping[str, ParagraphLook], based_on: Mapping[str, str]) -> ParagraphLook:
    """Join a style with those it rests on. A heading or caption stays one in the styles derived from it."""
    look = own[style_id]
    name = look.name
    seen = {style_id}
    for _ in range(_MAX_CHAIN):
        style_id = based_on.get(style_id, "")
        base = own.get(style_id)
        if base is None or style_id in seen:
            break
        seen.add(style_id)
        look = overlay(base, look)
        name = name if _says_role(name) else base.name or name
    return replace(look, name=name, outline=look.outline if look.outline is not None else _named_level(name))


def overlay(base: ParagraphLook, own: ParagraphLook) -> ParagraphLook:
    """Return what holds when `own` says more or other things than `base`."""
    number = own.numbered.list_id if own.numbered.list_id is not None else base.numbered.list_id
    level = own.numbered.level if own.numbered.level is not None else base.numbered.level
    return ParagraphLook(
        name=own.name or base.name,
        outline=own.outline if own.outline is not None else base.outline,
        numbered=Numbered(number, level),
        is_hidden=own.is_hidden if own.is_hidden is not None else base.is_hidden,
        style_id=own.style_id or base.style_id,
    )


def _guess(style_id: str) -> ParagraphLook | None:
    """Return the look of a built-in style that a program used but didn't write into the file."""
    word = style_id.lower().rstrip("0123456789 ").replace("-", "")
    number = style_id[len(word) :].strip()
    name = f"{word} {number}".strip()
    return ParagraphLook(name=name, outline=_named_level(name), style_id=style_id) if _says_role(name) else None


def _says_role(name: str) -> bool:
    return name in ("title", "caption", "toc heading") or _named_level(name) is not None


def _named_level(name: str) -> int | None:
    """Return the outline level that a built-in name means; these names are the same in every language of Word."""
    word, _, number = name.partition(" ")
    level = whole(number) if word == "heading" else None
    return level - 1 if level and level <= MAX_HEADING_LEVEL else None
