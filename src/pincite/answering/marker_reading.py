"""Whether numbers in brackets are a citation: what stands before and behind them decides."""

import re
from enum import Enum

from pincite.answering.marker_content import Form
from pincite.answering.marker_follow import Follow, read_definition, read_destination
from pincite.answering.marker_grammar import Marker, Scan, scan
from pincite.answering.marker_words import ARRAY_NAMES, LIKELY_ARRAY_NAMES


class Reading(Enum):
    """What a marker is where it stands."""

    CITATION = "citation"
    EITHER = "either"
    """A citation if every number in it was issued, else text."""
    TEXT = "text"
    MORE = "more"
    """The next characters decide."""


class Chain(Enum):
    """What kind of bracket closed immediately before."""

    NONE = "none"
    CITATION = "citation"
    INDEX = "index"
    TEXT = "text"
    """Something in brackets: a label directly behind makes it a reference link (`[Paris][1]`)."""
    EDITORIAL = "editorial"
    """`[sic]`, `[…]`, `[2019]`: no link text, so a label may follow."""


_MEMBER = re.compile(r"(?:->|::)[A-Za-z_]\w*$")
_GREEK = re.compile(r"[α-ωΑ-Ω]")
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_DOTTED = re.compile(r"(?:[A-Za-z_][A-Za-z0-9_]*\.)+([A-Za-z_][A-Za-z0-9_]*)")
_TOKEN = re.compile(r"[^\s\[\](){}<>\"“”„«»,;|*=+/、，。；：（）]+$")
_CAMEL = re.compile(r"[a-z]{2,}[A-Z][a-z]")
_CALL = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)\(([^()]*)\)$")
_TUPLE = re.compile(r"\(\d+(?:, ?\d+)+,?\)$")
_PLURAL = frozenset(("s", "es", "n", "en", "r", "in", "innen", "e", "a", "o", "as", "os", "x"))
_CODE_BEHIND = re.compile(r" ?[+*/-]?=|\.[a-z_]|\+\+|->")
_CODE_START = re.compile(r" ?[+*/-]?|\.")
_ASSIGNED = re.compile(r"(?:^|\s)(?:=|\+=|==|\+|return|let|const)\s+[a-z]\w*$")
_OPERATOR = re.compile(r"(?:[=∈∉⊂⊆⊃⊇≤≥≠≈∪∩×]|(?<=\S )[+<]|\\[A-Za-z]+|[\"']\s*:)$")
_SETS = re.compile(
    r"(?:\b(?:interval|array|vector|tuple|matrix|coordinates?|segment|Intervall|intervalle|intervalo|intervallo|Vektor|vecteur)"
    r"|区间|區間|区間|数组|數組|配列|구간|배열|интервал\w*|отрез\w*|массив\w*|अंतराल|الفترة|المجال|\b[A-Za-z] in|\w\()$"
)
_NUMBERED = re.compile(
    r"\b(?:range|list|set|ages?|aged|pages?|pp?\.|lines?|rows?|columns?|scale|values?|points?|index|years?|between|from"
    r"|Seiten?|Zeilen?|Bereich|liste|lista|rango)(?: of)?$",
    re.IGNORECASE,
)
_SET_BEHIND = re.compile(r" ?[×∪∩∖^⊂⊆]")
_ORDINAL = re.compile(r"(?:st|nd|rd|th)\b")
_ADDRESS = re.compile(r"(?:\w+://|www\.)\S*$")
_ADDRESS_BEHIND = re.compile(r"[\w=/&?#%~-]|\.\w")


def read(
    text: str, start: int, marker: Marker, *, before: str, chain: Chain = Chain.NONE, line_start: bool = False, final: bool = False
) -> Reading:
    """Return what the marker at `text[start:marker.end]` is: `Paris[1]` is a citation, `x[1]`, `my_list[1]`, `f()[1]` are indices.

    `before` is the text of its line in front of it without indentation, quote and list marks; `chain` tells of a bracket that
    closed immediately before; `line_start` is True if nothing but such marks precedes it. More text changes no reading but `MORE`.
    """
    image = text[start] == "[" and before.endswith("!") and not before[-2:-1].strip()
    if image or chain in (Chain.INDEX, Chain.TEXT):
        return Reading.TEXT
    behind = _behind(text, start, marker, line_start=line_start, final=final)
    if behind is not Reading.CITATION:
        return behind
    if marker.form is Form.LOOSE:
        return Reading.EITHER
    if text[start] != "[" or chain is not Chain.NONE:
        return Reading.CITATION
    return _before(text, marker, before, final=final)


def _before(text: str, marker: Marker, before: str, *, final: bool) -> Reading:
    if _ADDRESS.search(before):
        return _in_address(text, marker.end, final=final)
    if not before[-1:].strip():
        return _standing(text, marker, before, final=final)
    last = before[-1]
    if last.isalnum() or last == "_":
        return _behind_word(text, marker, before, final=final)
    return _behind_call(before) if last == ")" else _behind_sign(marker, before)


def _behind(text: str, start: int, marker: Marker, *, line_start: bool, final: bool) -> Reading:
    """Read the characters behind: they make a link, a definition or an ordinal of it, or leave it a citation."""
    end = marker.end
    following = text[end : end + 1]
    if not following:
        return Reading.CITATION if final else Reading.MORE
    if text[start] != "[":
        return Reading.CITATION
    follow = Follow.NOTHING
    if following == "(":
        follow = read_destination(text, end, final=final)
    elif following == "[":
        follow = _read_reference(text, end, final=final)
    elif following == ":" and line_start:
        follow = read_definition(text, end, final=final)
    elif following in "snrt" and marker.form is Form.BARE:
        follow = _read_ordinal(text, end, final=final)
    elif following == "=" or (following in "+{" and marker.several):
        follow = Follow.LINK
    return {Follow.LINK: Reading.TEXT, Follow.MORE: Reading.MORE}.get(follow, Reading.CITATION)


def _read_reference(text: str, end: int, *, final: bool) -> Follow:
    """Tell `[1][2]`, two labels, from the reference link `[1][ref]`."""
    following = text[end + 1 : end + 2]
    if not following:
        return Follow.NOTHING if final else Follow.MORE
    found = scan(text, end, final=final)
    if found is Scan.MORE:
        return Follow.MORE
    return Follow.NOTHING if isinstance(found, Marker) or following in "^!" else Follow.LINK


def _read_ordinal(text: str, end: int, *, final: bool) -> Follow:
    letters = text[end : end + 3]
    if len(letters) < 3 and letters in ("s", "n", "r", "t", "st", "nd", "rd", "th") and not final:
        return Follow.MORE
    return Follow.LINK if _ORDINAL.match(letters) else Follow.NOTHING


def _in_address(text: str, end: int, *, final: bool) -> Reading:
    following = text[end : end + 2]
    if len(following) < 2 and following in ("", ".") and not final:
        return Reading.MORE
    return Reading.TEXT if _ADDRESS_BEHIND.match(following) else Reading.EITHER


def _standing(text: str, marker: Marker, before: str, *, final: bool) -> Reading:
    """Read bare numbers that stand alone: behind an operator, or behind a word such as `interval`, they are values."""
    if marker.form is not Form.BARE:
        return Reading.CITATION
    words = before.rstrip()
    if _OPERATOR.search(words):
        return Reading.TEXT
    return _set(text, marker, words, final=final) if marker.several else Reading.CITATION


def _set(text: str, marker: Marker, words: str, *, final: bool) -> Reading:
    following = text[marker.end : marker.end + 2]
    if following in ("", " ") and not final:
        return Reading.MORE
    if _SETS.search(words) or _SET_BEHIND.match(following):
        return Reading.TEXT
    return Reading.EITHER if _NUMBERED.search(words) else Reading.CITATION


def _behind_sign(marker: Marker, before: str) -> Reading:
    """Read a marker glued to a character that is no letter, digit or `)`."""
    last = before[-1]
    if last in "=\\@<":
        return Reading.TEXT
    if last == "^":
        return Reading.EITHER
    if last in "%+#":
        return Reading.CITATION if before[-2:-1].isalnum() or before.endswith("++") else Reading.TEXT
    values = last in "([{" and marker.several and _SETS.search(before)
    return Reading.TEXT if values else Reading.CITATION


def _behind_call(before: str) -> Reading:
    match = _CALL.search(before)
    if match is None:
        return Reading.TEXT if _TUPLE.search(before) else Reading.CITATION
    name, content = match.groups()
    if not content or _identifier(name) is Reading.TEXT:
        return Reading.TEXT
    return Reading.CITATION if content in _PLURAL else Reading.EITHER


def _behind_word(text: str, marker: Marker, before: str, *, final: bool) -> Reading:
    match = _TOKEN.search(before)
    token = match.group() if match else before[-1]
    if token.startswith("_") and token.endswith("_"):
        return Reading.CITATION
    if _MEMBER.search(before) or (marker.several and _SETS.search(before)):
        return Reading.TEXT
    reading = _word(token)
    if reading is Reading.TEXT or marker.form is Form.NAMED or not _IDENTIFIER.fullmatch(token.rpartition(".")[2]):
        return reading
    if _ASSIGNED.search(before):
        return Reading.TEXT
    following = text[marker.end : marker.end + 3]
    if _CODE_START.fullmatch(following) and not final:
        return Reading.MORE
    return Reading.TEXT if _CODE_BEHIND.match(following) else reading


def _word(token: str) -> Reading:
    """Return what a label glued to this word is, from the word alone."""
    if re.search(r"(?:\\|\$(?=[A-Za-z_]))[A-Za-z_]*$", token) and not re.fullmatch(r"\$[A-Z]+", token):
        return Reading.TEXT
    dotted = _DOTTED.fullmatch(token)
    if dotted:
        sure = dotted.group(1) in ARRAY_NAMES | LIKELY_ARRAY_NAMES or token.startswith(("self.", "this."))
        return Reading.TEXT if sure else Reading.EITHER
    if len(token) == 1 and _GREEK.match(token):
        return Reading.TEXT
    return _identifier(token) if _IDENTIFIER.fullmatch(token) else Reading.CITATION


def _identifier(word: str) -> Reading:
    base = word.rstrip("0123456789")
    if len(base) == 1 and base.islower():
        return Reading.TEXT if base == word else Reading.EITHER
    if "_" in word or _CAMEL.match(word) or base in ARRAY_NAMES:
        return Reading.TEXT
    return Reading.EITHER if base in LIKELY_ARRAY_NAMES or len(word) == 1 else Reading.CITATION
