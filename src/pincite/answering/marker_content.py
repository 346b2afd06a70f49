"""What stands between the brackets of a marker: numbers, the words for a source, ranges, lists and places inside a source."""

import re
from enum import Enum

from pincite.answering.marker_words import AND_WORDS, LABEL_WORDS, PLACE_WORDS, SEE_WORDS, SOURCE_WORDS, TO_WORDS

MAX_RANGE_WIDTH = 20
"""A bare range that spans more numbers than this is an interval, not a row of labels."""

Ranges = tuple[tuple[int, int], ...]
"""Label numbers in the order written, as closed ranges `(low, high)`."""


class Form(Enum):
    """How sure the writing alone makes a marker."""

    BARE = "bare"
    """Only numbers: what stands around it decides (`[1]`, `[1, 2]`)."""
    NAMED = "named"
    """Says itself that it is a source (`[S1]`, `[Source 1]`, `【1†source】`)."""
    LOOSE = "loose"
    """A citation only if every number in it was issued (`[1 2]`, `[#1]`, `[see 1]`)."""


Token = tuple[str, str]

_WORDS = LABEL_WORDS | SEE_WORDS | AND_WORDS | TO_WORDS | PLACE_WORDS
_FIRST_WORDS = LABEL_WORDS | SEE_WORDS
_MAX_DIGITS = 6

_MARKS_IN_WORDS = "\u0300-\u036f\u064b-\u065f\u0900-\u0903\u093a-\u094f\u0a81-\u0a83\u0abc-\u0acd\u0e31-\u0e4e"
_TOKEN = re.compile(
    rf"(?P<number>\d+)|(?P<word>(?:[^\W\d_]|[{_MARKS_IN_WORDS}])+)|(?P<dash>[-–—‑~～〜])|(?P<comma>[,;、，；،؛&])"
    r"|(?P<dagger>†(?:(?![,;]\s*\d+†).)*)|(?P<colon>[:：])|(?P<dot>\.)|(?P<hash>[#＃])|(?P<caret>\^)|(?P<place>§)|(?P<bar>\|)"
    r"|(?P<blank>[\s\u200b-\u200f\u2066-\u2069\ufeff]+)|(?P<other>.)",
    re.DOTALL,
)
_SIGNS = {
    "number": "n",
    "dash": "-",
    "comma": ",",
    "dagger": "t",
    "colon": ":",
    "dot": ".",
    "hash": "#",
    "caret": "^",
    "place": "p",
    "bar": "|",
}

_LABEL = r"(?:w[.:#-]?#?){0,2}"
_PLACE = r"(?:,?:?p\.?n(?:-n)?)"
_ITEM = rf"{_LABEL}n(?:-{_LABEL}n)?{_PLACE}{{0,2}}t?"
_LIST = re.compile(rf"(?P<see>(?:v\.?:?)+)?{_ITEM}(?:[,|]{{0,2}} ?{_ITEM})*")
_BARE = re.compile(r"n(?:-n)?(?:,{1,2}n(?:-n)?)*")
_LOOSE = re.compile(r"n(?: n)+|#n(?:,#n)*")
_CARETS = re.compile(r"\^n(?:,n)*\^")
_FOREIGN = re.compile(r"n:nt")
_NUMBERS = re.compile(r"p\.?n(?:-n)?|n-[w.:#-]*n|n")
_TITLED_NUMBER = re.compile(r"w[.:#]?#?n")
_SOURCE_FIRST = re.compile(r"(?:v\.?:?)*w")
_THOUSANDS = re.compile(r"\s*\d{1,3}(?:,\d{3})+\s*")


def read_content(content: str, *, parenthesis: bool) -> tuple[Form, Ranges] | None:
    """Return how sure the words between two brackets are a marker, and its numbers; None if they are none.

    No numbers means a citation whose label can't be ours (`4:0†source`). In parentheses only the words for a source make one.
    """
    tokens = _tokens(content)
    shape = _shape(tokens)
    form = _form(shape) if all(kind != "number" or len(value) <= _MAX_DIGITS for kind, value in tokens) else None
    if parenthesis:
        named = form is not None and _SOURCE_FIRST.match(shape) and _names_source(tokens)
        return (form, _ranges(tokens, shape)) if form and named else None
    if len(next((value for kind, value in tokens if kind == "number"), "")) > _MAX_DIGITS:
        return None
    if form is None:
        return _read_titled(tokens, shape)
    if _FOREIGN.fullmatch(shape):
        return Form.NAMED, ()
    if form is Form.BARE and _THOUSANDS.fullmatch(content):
        return None
    ranges = _ranges(tokens, shape)
    return (form, ranges) if _is_plausible(tokens, ranges, form) else None


def could_be_content(content: str, *, parenthesis: bool) -> bool:
    """Return whether more text could still make `content` a marker."""
    tokens = [token for token in _tokens(content) if token[0] != "blank"]
    if not tokens:
        return True
    if any(kind == "dagger" for kind, _ in tokens) or _is_titled(tokens):
        return True
    kind, value = tokens[0]
    if kind not in ("number", "word", "hash", "caret") or (parenthesis and kind != "word"):
        return False
    if kind == "word" and not _begins(value, _FIRST_WORDS, whole=len(tokens) > 1):
        return False
    last = len(tokens) - 1
    return all(_token_fits(token, whole=index < last or content[-1:].isspace()) for index, token in enumerate(tokens))


def _tokens(content: str) -> list[Token]:
    return [(match.lastgroup or "other", match.group()) for match in _TOKEN.finditer(content)]


def _sign(kind: str, value: str, *, first: bool) -> str:
    """Return one letter for a token: n number, w label word, p place word, v see, `,` and, `-` to, `x` none of ours."""
    if kind != "word":
        return _SIGNS.get(kind, "x")
    word = value.casefold()
    if word in LABEL_WORDS and (first or word not in PLACE_WORDS):
        return "w"
    kinds = ((",", AND_WORDS), ("-", TO_WORDS), ("p", PLACE_WORDS), ("v", SEE_WORDS))
    return next((sign for sign, words in kinds if word in words), "x")


def _shape(tokens: list[Token]) -> str:
    """Return the tokens as a string of signs; a blank stays only between two numbers."""
    signs: list[str] = []
    blank = False
    for index, (kind, value) in enumerate(tokens):
        if kind == "blank":
            blank = True
            continue
        following = tokens[index + 1][0] if index + 1 < len(tokens) else ""
        sign = _sign(kind, value, first=not signs or (value in "Ss" and following == "number"))
        if blank and signs and signs[-1] in "nt" and sign in "nw":
            signs.append(" ")
        signs.append(sign)
        blank = False
    return "".join(signs)


def _form(shape: str) -> Form | None:
    if _BARE.fullmatch(shape):
        return Form.BARE
    if _LOOSE.fullmatch(shape):
        return Form.LOOSE
    if _CARETS.fullmatch(shape) or _FOREIGN.fullmatch(shape):
        return Form.NAMED
    match = _LIST.fullmatch(shape)
    if match is None or not set("wtpv") & set(shape):
        return None
    return Form.LOOSE if match["see"] else Form.NAMED


def _names_source(tokens: list[Token]) -> bool:
    """Return whether the first word but for `see` is one for a source."""
    words = [value.casefold() for kind, value in tokens if kind == "word"]
    return next((word in SOURCE_WORDS for word in words if word not in SEE_WORDS), False)


def _read_titled(tokens: list[Token], shape: str) -> tuple[Form, Ranges] | None:
    """Read `[Source 1: Annual report, page 3]`: the model's own words about a source are dropped with the marker."""
    if not _is_titled(tokens):
        return None
    values = [int(value) for kind, value in tokens if kind == "number"]
    named = [shape[: match.end()].count("n") - 1 for match in _TITLED_NUMBER.finditer(shape)]
    return Form.NAMED, tuple((values[index], values[index]) for index in named)


def _is_titled(tokens: list[Token]) -> bool:
    heads = [token for token in tokens if token[0] != "blank"]
    if heads[1:2] and heads[1][0] in ("colon", "dot", "hash"):
        del heads[1]
    if len(heads) < 3 or heads[0][1].casefold() not in SOURCE_WORDS:
        return False
    return heads[1][0] == "number" and heads[2][0] in ("colon", "comma", "dash")


def _ranges(tokens: list[Token], shape: str) -> Ranges:
    """Return the label numbers; numbers behind a place word (`p. 5`) are pages and left out."""
    values = iter(int(value) for kind, value in tokens if kind == "number")
    ranges: list[tuple[int, int]] = []
    for match in _NUMBERS.finditer(shape):
        numbers = [next(values) for sign in match.group() if sign == "n"]
        if match.group()[0] != "p":
            ranges.append((numbers[0], numbers[-1]))
    return tuple(ranges)


def _is_plausible(tokens: list[Token], ranges: Ranges, form: Form) -> bool:
    if any(low > high for low, high in ranges):
        return False
    if form is Form.NAMED:
        return True
    padded = any(kind == "number" and len(value) > 1 and int(value[0]) == 0 for kind, value in tokens)
    return not padded and all(low > 0 and high - low <= MAX_RANGE_WIDTH for low, high in ranges)


def _token_fits(token: Token, *, whole: bool) -> bool:
    kind, value = token
    if kind == "word":
        return _begins(value, _WORDS, whole=whole)
    return kind != "other" and (kind != "number" or len(value) <= _MAX_DIGITS)


def _begins(value: str, words: frozenset[str], *, whole: bool) -> bool:
    folded = value.casefold()
    return folded in words if whole else any(word.startswith(folded) for word in words)
