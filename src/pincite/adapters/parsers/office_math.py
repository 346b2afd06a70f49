"""Equations of office files (OMML, ISO/IEC 29500-1, section 22.1) as one line of text: `x=(-b±√(b^2-4ac))/2a`.

The notation follows UnicodeMath (Unicode Technical Note 28) where a person can read it.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable
from xml.etree.ElementTree import Element

from pincite.adapters.parsers.placed_text import Places
from pincite.adapters.parsers.tables import GLUE, MADE, Piece

_SIMPLE = re.compile(r"[\w.,′'’%°∞]*|.|[([{|‖⌈⌊].*[)\]}|‖⌉⌋]", re.DOTALL)
_MATH_LETTERS = re.compile("[\U0001d400-\U0001d7ff]")
_ROOTS = {"": "√", "2": "√", "3": "∛", "4": "∜"}
_MATH = ("m_oMath", "m_oMathPara")
_BUILT = frozenset({"m_sSub", "m_sSup", "m_sSubSup", "m_limLow", "m_limUpp", "m_f"})

Pieces = list[Piece]


def is_math(element: Element) -> bool:
    """Whether an element is an equation."""
    return element.tag in _MATH


def math_pieces(element: Element, places: Places) -> Pieces:
    """Return an equation as text. What notation adds, such as parentheses, has no place in the file."""
    return _Linear(places).content(element)


def _made(text: str) -> Pieces:
    return [(text, MADE, 0)]


def _text(pieces: Pieces) -> str:
    return "".join(text for text, _, _ in pieces).strip()


def _grouped(pieces: Pieces) -> Pieces:
    """Put parentheses round what is more than one name or number, and take the blanks at its ends away."""
    while pieces and pieces[0][1] == GLUE:
        pieces = pieces[1:]
    while pieces and pieces[-1][1] == GLUE:
        pieces = pieces[:-1]
    return pieces if _SIMPLE.fullmatch(_text(pieces)) else [*_made("("), *pieces, *_made(")")]


def _property(element: Element, name: str, default: str = "") -> str:
    """Return the value of a property of an equation's part, `default` where it isn't given."""
    for properties in element:
        if properties.tag.endswith("Pr") and (child := properties.find(name)) is not None:
            return child.get("m_val", "")
    return default


def _is_set(element: Element, name: str) -> bool:
    return _property(element, name, "0") not in ("0", "off", "false")


class _Linear:
    def __init__(self, places: Places) -> None:
        self._places = places
        self._writers: dict[str, Callable[[Element], Pieces]] = {
            "m_t": self._letters,
            "w_t": self._letters,
            "m_f": self._fraction,
            "m_sSup": lambda e: [*self._base(e), *self._script("^", e, "m_sup")],
            "m_sSub": lambda e: [*self._base(e), *self._script("_", e, "m_sub")],
            "m_sSubSup": lambda e: [*self._base(e), *self._script("_", e, "m_sub"), *self._script("^", e, "m_sup")],
            "m_sPre": lambda e: [*self._script("_", e, "m_sub"), *self._script("^", e, "m_sup"), *self._base(e)],
            "m_limLow": lambda e: [*self._base(e), *self._script("_", e, "m_lim")],
            "m_limUpp": lambda e: [*self._base(e), *self._script("^", e, "m_lim")],
            "m_rad": self._root,
            "m_nary": self._nary,
            "m_d": self._delimited,
            "m_func": self._function,
            "m_acc": lambda e: [*_grouped(self._part(e, "m_e")), *_made(_property(e, "m_chr", "\u0302"))],
            "m_bar": lambda e: [*_grouped(self._part(e, "m_e")), *_made("\u0332" if _property(e, "m_pos") == "bot" else "\u0305")],
            "m_m": lambda e: self._joined((self._joined(row.findall("m_e"), ", ") for row in e.iterfind("m_mr")), "; "),
            "m_eqArr": lambda e: self._joined(e.findall("m_e"), "; "),
            "m_oMathPara": lambda e: self._joined(e.findall("m_oMath"), "; "),
            "m_phant": lambda e: [] if _property(e, "m_show", "1") in ("0", "off", "false") else self._part(e, "m_e"),
        }

    def content(self, element: Element) -> Pieces:
        """Return an element as text."""
        write = self._writers.get(element.tag)
        if write:
            return write(element)
        if element.tag.endswith("Pr") or element.tag in ("w_del", "w_moveFrom"):
            return []
        pieces: Pieces = []
        is_built = False
        for child in element:
            more = self.content(child)
            # Without the blank a letter behind `x_n` would look like a part of the index.
            pieces += _made(" ") if is_built and _text(more)[:1].isalnum() else []
            pieces += more
            is_built = child.tag in _BUILT or (is_built and not more)
        return pieces

    def _letters(self, element: Element) -> Pieces:
        """Return letters; those of the mathematical alphabets as plain ones, by which people search."""
        text = (element.text or "").replace("&", "")
        return list(self._places.take(_MATH_LETTERS.sub(lambda found: unicodedata.normalize("NFKC", found.group()), text)))

    def _part(self, element: Element, tag: str) -> Pieces:
        child = element.find(tag)
        return [] if child is None else self.content(child)

    def _base(self, element: Element) -> Pieces:
        return _grouped(self._part(element, "m_e"))

    def _script(self, sign: str, element: Element, tag: str) -> Pieces:
        pieces = self._part(element, tag)
        return [*_made(sign), *_grouped(pieces)] if _text(pieces) else []

    def _fraction(self, element: Element) -> Pieces:
        bar = "¦" if _property(element, "m_type") == "noBar" else "/"
        return [*_grouped(self._part(element, "m_num")), *_made(bar), *_grouped(self._part(element, "m_den"))]

    def _root(self, element: Element) -> Pieces:
        degree = [] if _is_set(element, "m_degHide") else self._part(element, "m_deg")
        sign = _ROOTS.get(_text(degree))
        radicand = [*_made("("), *self._part(element, "m_e"), *_made(")")]
        return [*(_made(sign) if sign else [*_grouped(degree), *_made("√")]), *radicand]

    def _nary(self, element: Element) -> Pieces:
        sign = _made(_property(element, "m_chr", "∫"))
        limits = [*self._script("_", element, "m_sub"), *self._script("^", element, "m_sup")]
        return [*sign, *limits, *(_made(" ") if limits else []), *self._part(element, "m_e")]

    def _delimited(self, element: Element) -> Pieces:
        inner = self._joined(element.findall("m_e"), _property(element, "m_sepChr", "|"))
        return [*_made(_property(element, "m_begChr", "(")), *inner, *_made(_property(element, "m_endChr", ")"))]

    def _function(self, element: Element) -> Pieces:
        argument = self._part(element, "m_e")
        gap = [] if _text(argument).startswith(("(", "[", "{", "|")) else _made(" ")
        return [*self._part(element, "m_fName"), *gap, *argument]

    def _joined(self, parts: Iterable[Element | Pieces], sign: str) -> Pieces:
        joined: Pieces = []
        for number, part in enumerate(parts):
            joined += _made(sign) if number and sign else []
            joined += self.content(part) if isinstance(part, Element) else part
        return joined
