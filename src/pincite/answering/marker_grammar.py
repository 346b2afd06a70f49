"""What a citation marker looks like: the bracket forms that models write, read from text that may still be incomplete."""

import re
from dataclasses import dataclass
from enum import Enum

MAX_MARKER_CHARS = 120
"""A bracket longer than this, in code points, is no marker; so no more than this is ever held back for one."""

MAX_ARRAY_CHARS = 400
"""A nested numeric array (`[[1, 2], [3, 4]]`) is looked at as one thing up to this length."""

MAX_RANGE_WIDTH = 20
"""A bare range that spans more numbers than this is an interval, not a row of labels."""

CLOSERS = {"[": "]", "［": "］", "【": "】", "〔": "〕", "〖": "〗", "(": ")", "（": "）"}
"""Every bracket that can open a marker, with the one that closes it."""

PARENTHESES = frozenset("(（")


class Form(Enum):
    """How sure the writing alone makes a marker."""

    BARE = "bare"
    """Only numbers: what stands around it decides (`[1]`, `[1, 2]`)."""
    NAMED = "named"
    """Says itself that it is a source (`[S1]`, `[Source 1]`, `【1†source】`)."""
    LOOSE = "loose"
    """A citation only if every number in it was issued (`(Source 1)`, `[1 2]`, `[#1]`)."""


class Scan(Enum):
    """Outcomes of a scan that found no complete marker."""

    MORE = "more"
    NO = "no"


@dataclass(frozen=True, slots=True)
class Marker:
    """A complete marker: the offset behind it and the label numbers as closed ranges `(low, high)`; no range: names no label of ours."""

    end: int
    ranges: tuple[tuple[int, int], ...]
    form: Form

    @property
    def several(self) -> bool:
        """True if it names more than one number."""
        return len(self.ranges) > 1 or any(low != high for low, high in self.ranges)


@dataclass(frozen=True, slots=True)
class Literal:
    """A stretch that holds no marker although parts of it look like one; `end` is the offset behind it."""

    end: int


_SOURCE_WORDS = frozenset(
    "source sources src quelle quellen fuente fuentes fonte fontes fonti bron bronnen källa kilde źródło zdroj kaynak nguồn sumber "
    "источник источники джерело 来源 來源 资料来源 出典 出所 情報源 출처 المصدر مصدر منبع स्रोत સ્રોત".split()
)
_LABEL_WORDS = _SOURCE_WORDS | frozenset(
    "s citation citations cite cites ref refs reference references doc docs document documents passage passages context contexts "
    "chunk chunks excerpt excerpts snippet snippets dokument documento documentos 文档 文件 文献 引用 参考 参考文献 資料 문서".split()
)
_AND_WORDS = frozenset("and und et y e en og och i oraz и та ve dan 和 及 与 與 と 및 와 과 و और".split())
_TO_WORDS = frozenset("to bis à a al through 至 到 から до से إلى".split())
_PLACE_WORDS = frozenset("p pp pg pgs page pages para section sec line lines s seite seiten página páginas 页 第 頁 ページ".split())
_WORDS = _LABEL_WORDS | _AND_WORDS | _TO_WORDS | _PLACE_WORDS
_PREFIXES = frozenset(word[:length] for word in _WORDS for length in range(1, len(word) + 1))

_MARKS_IN_WORDS = "\u0300-\u036f\u064b-\u065f\u0900-\u0903\u093a-\u094f\u0a81-\u0a83\u0abc-\u0acd"
_TOKEN = re.compile(
    rf"(?P<number>\d+)|(?P<word>(?:[^\W\d_]|[{_MARKS_IN_WORDS}])+)|(?P<dash>[-–—‑~～〜])|(?P<comma>[,;、，；،؛&])"
    r"|(?P<dagger>†(?:(?![,;]\s*\d+†).)*)|(?P<colon>[:：])|(?P<dot>\.)|(?P<hash>[#＃])|(?P<caret>\^)|(?P<place>§)"
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
}

_LABEL = r"(?:w[.:#-]?#?)?"
_ITEM = rf"{_LABEL}n(?:-{_LABEL}n)?(?:,?p\.?n(?:-n)?)?t?"
_LIST = re.compile(rf"{_ITEM}(?:,{{0,2}} ?{_ITEM})*")
_BARE = re.compile(r"n(?:-n)?(?:,{1,2}n(?:-n)?)*")
_SPACED = re.compile(r"n(?: n)+")
_HASHED = re.compile(r"#n(?:,#n)*")
_CARETS = re.compile(r"\^n(?:,n)*\^")
_FOREIGN = re.compile(r"n:nt")
_CONTENT = re.compile(r"[^\[\]［］【】〔〕〖〗\n]*")
_IN_PARENTHESES = re.compile(r"[^\[\]［］【】〔〕〖〗()（）\n]*")
_THOUSANDS = re.compile(r"\s*\d{1,3}(?:,\d{3})+\s*")
_ARRAY = re.compile(r"[\[\]\d\s,;.+\-eE]*")


def scan(text: str, start: int, *, final: bool) -> Marker | Literal | Scan:
    """Return the marker whose bracket opens at `start`, `Scan.NO`, or `Scan.MORE` while the text seen so far could still become one.

    `final` says that nothing follows `text`. More text never changes an outcome other than `Scan.MORE`.
    """
    if text.startswith("[[", start):
        return _scan_double(text, start, final=final)
    return _scan_single(text, start, final=final)


def _scan_single(text: str, start: int, *, final: bool) -> Marker | Scan:
    opener = text[start]
    pattern = _IN_PARENTHESES if opener in PARENTHESES else _CONTENT
    stop = min(len(text), start + MAX_MARKER_CHARS)
    match = pattern.match(text, start + 1, stop)
    end = match.end() if match else start + 1
    content = text[start + 1 : end]
    if end == stop:
        return Scan.NO if final or end - start >= MAX_MARKER_CHARS or not _viable(content, opener) else Scan.MORE
    return _read_content(content, opener, end + 1) if text[end] == CLOSERS[opener] else Scan.NO


def _scan_double(text: str, start: int, *, final: bool) -> Marker | Literal | Scan:
    """Read `[[1]]`, and tell it from a nested array and from `[[1] says …]`."""
    if text[start + 2 : start + 3] == "[":
        return _scan_array(text, start, final=final)
    inner = _scan_single(text, start + 1, final=final)
    if not isinstance(inner, Marker):
        return inner if inner is Scan.MORE else _scan_array(text, start, final=final)
    if inner.end == len(text) and not final:
        return Scan.MORE
    if text[inner.end : inner.end + 1] == "]":
        return Marker(inner.end + 1, inner.ranges, inner.form)
    return _scan_array(text, start, final=final)


def _scan_array(text: str, start: int, *, final: bool) -> Literal | Scan:
    stop = min(len(text), start + MAX_ARRAY_CHARS)
    match = _ARRAY.match(text, start, stop)
    run = text[start : match.end()] if match else ""
    depth = 0
    for offset, char in enumerate(run):
        depth += (char == "[") - (char == "]")
        if depth == 0:
            return Literal(start + offset + 1) if any(map(str.isdecimal, run[:offset])) else Scan.NO
    waiting = len(run) == len(text) - start and len(run) < MAX_ARRAY_CHARS and not final and run.count("[") <= 20
    return Scan.MORE if waiting and any(map(str.isdecimal, run)) else Scan.NO


def _tokens(content: str) -> list[tuple[str, str]]:
    return [(match.lastgroup or "other", match.group()) for match in _TOKEN.finditer(content)]


def _sign(kind: str, value: str, *, first: bool) -> str:
    """Return one letter for a token: n number, w label word, p place word, `,` and, `-` to, `x` none of ours."""
    if kind != "word":
        return _SIGNS.get(kind, "x")
    word = value.casefold()
    if word in _LABEL_WORDS and (first or word not in _PLACE_WORDS):
        return "w"
    for sign, words in ((",", _AND_WORDS), ("-", _TO_WORDS), ("p", _PLACE_WORDS)):
        if word in words:
            return sign
    return "x"


def _shape(tokens: list[tuple[str, str]]) -> str:
    """Return the tokens as a string of signs; a blank stays only between two numbers."""
    signs: list[str] = []
    blank = False
    for index, (kind, value) in enumerate(tokens):
        if kind == "blank":
            blank = True
            continue
        following = tokens[index + 1][0] if index + 1 < len(tokens) else ""
        first = not signs or (value in "Ss" and following == "number")
        sign = _sign(kind, value, first=first)
        if blank and signs and signs[-1] in "nt" and sign in "nw":
            signs.append(" ")
        signs.append(sign)
        blank = False
    return "".join(signs)


def _read_content(content: str, opener: str, end: int) -> Marker | Scan:
    tokens = _tokens(content)
    shape = _shape(tokens)
    if opener in PARENTHESES:
        return _read_parentheses(tokens, shape, end)
    form = _form(shape)
    if form is None:
        return _read_titled(tokens, end)
    if _FOREIGN.fullmatch(shape):
        return Marker(end, (), Form.NAMED)
    if form is Form.BARE and _THOUSANDS.fullmatch(content):
        return Scan.NO
    ranges = _ranges(tokens, shape)
    return Marker(end, ranges, form) if _plausible(tokens, ranges, form) else Scan.NO


def _form(shape: str) -> Form | None:
    if _BARE.fullmatch(shape):
        return Form.BARE
    if _SPACED.fullmatch(shape) or _HASHED.fullmatch(shape):
        return Form.LOOSE
    named = _CARETS.fullmatch(shape) or _FOREIGN.fullmatch(shape) or (_LIST.fullmatch(shape) and set("wtp") & set(shape))
    return Form.NAMED if named else None


def _read_parentheses(tokens: list[tuple[str, str]], shape: str, end: int) -> Marker | Scan:
    if not _opens_with_source(tokens) or not _LIST.fullmatch(shape):
        return Scan.NO
    return Marker(end, _ranges(tokens, shape), Form.LOOSE)


def _read_titled(tokens: list[tuple[str, str]], end: int) -> Marker | Scan:
    """Read `[Source 1: Annual report, page 3]`: the model's own words about a source are dropped with the marker."""
    if not _is_titled(tokens):
        return Scan.NO
    number = next(int(value) for kind, value in tokens if kind == "number")
    return Marker(end, ((number, number),), Form.LOOSE)


def _is_titled(tokens: list[tuple[str, str]]) -> bool:
    heads = [token for token in tokens if token[0] != "blank"]
    if heads[1:2] and heads[1][0] in ("colon", "dot", "hash"):
        del heads[1]
    return len(heads) > 2 and _opens_with_source(heads) and heads[1][0] == "number" and heads[2][0] in ("colon", "comma", "dash")


def _opens_with_source(tokens: list[tuple[str, str]]) -> bool:
    kind, value = next((token for token in tokens if token[0] != "blank"), ("", ""))
    return kind == "word" and value.casefold() in _SOURCE_WORDS


def _ranges(tokens: list[tuple[str, str]], shape: str) -> tuple[tuple[int, int], ...]:
    """Return the label numbers; numbers behind a place word (`p. 5`) are pages and left out."""
    values = iter(int(value) for kind, value in tokens if kind == "number")
    ranges: list[tuple[int, int]] = []
    for match in re.finditer(r"p\.?n(?:-n)?|n-[w.:#-]*n|n", shape):
        numbers = [next(values) for sign in match.group() if sign == "n"]
        if match.group()[0] != "p":
            ranges.append((numbers[0], numbers[-1]))
    return tuple(ranges)


def _plausible(tokens: list[tuple[str, str]], ranges: tuple[tuple[int, int], ...], form: Form) -> bool:
    if any(low > high for low, high in ranges):
        return False
    if form is Form.NAMED:
        return True
    padded = any(kind == "number" and len(value) > 1 and int(value[0]) == 0 for kind, value in tokens)
    return not padded and all(low > 0 and high - low <= MAX_RANGE_WIDTH for low, high in ranges)


def _viable(content: str, opener: str) -> bool:
    """Return whether more text could still make `content` a marker."""
    tokens = [token for token in _tokens(content) if token[0] != "blank"]
    if not tokens or "dagger" in (kind for kind, _ in tokens) or _is_titled(tokens):
        return bool(tokens) or len(content) <= 2
    kind, value = tokens[0]
    if kind not in ("number", "word", "hash", "caret") or (opener in PARENTHESES and kind != "word"):
        return False
    if kind == "word" and not _begins(value, _LABEL_WORDS, whole=len(tokens) > 1):
        return False
    last = len(tokens) - 1
    return all(_token_viable(token, whole=index < last or content[-1:].isspace()) for index, token in enumerate(tokens))


def _token_viable(token: tuple[str, str], *, whole: bool) -> bool:
    kind, value = token
    if kind == "word":
        return value.casefold() in (_WORDS if whole else _PREFIXES)
    return kind != "other" and (kind != "number" or len(value) <= 6)


def _begins(value: str, words: frozenset[str], *, whole: bool) -> bool:
    folded = value.casefold()
    return folded in words if whole else any(word.startswith(folded) for word in words)
