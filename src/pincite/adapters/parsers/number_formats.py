"""Numbers, dates and times as a spreadsheet program shows them (ISO/IEC 29500-1, 18.8.30 and 18.8.31).

The names of months and days are English. The two formats that follow the reader's country (14 and 22) are shown as ISO dates, which
everybody reads the same way.
"""

import operator
import re
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from typing import NamedTuple

BUILT_IN = {
    0: "General", 1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 5: "$#,##0;-$#,##0", 6: "$#,##0;-$#,##0", 7: "$#,##0.00;-$#,##0.00",
    8: "$#,##0.00;-$#,##0.00", 9: "0%", 10: "0.00%", 11: "0.00E+00", 12: "# ?/?", 13: "# ??/??", 14: "yyyy-mm-dd", 15: "d-mmm-yy",
    16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM", 20: "h:mm", 21: "h:mm:ss", 22: "yyyy-mm-dd hh:mm",
    37: "#,##0;(#,##0)", 38: "#,##0;(#,##0)", 39: "#,##0.00;(#,##0.00)", 40: "#,##0.00;(#,##0.00)", 41: "#,##0;-#,##0;-;@",
    42: "$#,##0;-$#,##0;$-;@", 43: "#,##0.00;-#,##0.00;-;@", 44: "$#,##0.00;-$#,##0.00;$-;@", 45: "mm:ss", 46: "[h]:mm:ss",
    47: "mm:ss.0", 48: "##0.0E+0", 49: "@",
}  # fmt: skip
_TOKEN = re.compile(
    r"""(?P<bracket>\[[^\]]*\])|"(?P<quoted>[^"]*)"?|\\(?P<escaped>.)|(?P<blank>_.)|\*.|(?P<half>AM/PM|am/pm|A/P|a/p)
    |(?P<general>General|GENERAL|general|Standard)|(?P<date>y+|Y+|m+|M+|d+|D+|h+|H+|s+|S+)|(?P<exponent>[Ee][+-])|(?P<number>[0#?.,%])
    |(?P<text>@)|(?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
_ELAPSED = re.compile(r"\[(h+|m+|s+)\]", re.IGNORECASE)
_CURRENCY = re.compile(r"\[\$([^\]-]*)(?:-[^\]]*)?\]")
_CONDITION = re.compile(r"\[(<=|>=|<>|<|>|=)\s*(-?[\d.]+)\]")
_MONTHS = [
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
]
_DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
_MAX_CODE_CHARS = 500
_MAX_DECIMALS = 30
_SIGNIFICANT = 15
_LAST_DAY = 2_958_466
_COMPARE = {
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
    "=": operator.eq,
    "<>": operator.ne,
}


class Token(NamedTuple):
    """A piece of a format: its kind, and its letters."""

    kind: str
    text: str


class Section(NamedTuple):
    """One of the up to four parts of a format, with the numbers that it is for."""

    tokens: tuple[Token, ...]
    condition: tuple[str, float] | None

    @property
    def is_date(self) -> bool:
        """Whether it shows a date, a time or a span of time."""
        return any(token.kind in ("date", "elapsed") for token in self.tokens)

    def has(self, kind: str) -> bool:
        """Whether a token of this kind is in it."""
        return any(token.kind == kind for token in self.tokens)


@lru_cache(maxsize=65_536)
def show_number(raw: str, code: str, *, date1904: bool = False) -> str:
    """Return what a cell with this number in a file and this format shows; the number itself where the format can't be followed."""
    if code == "General" and raw.isdecimal() and len(raw) <= _SIGNIFICANT and raw[0] != "0":
        return raw
    try:
        return _shown(Decimal(raw.strip()), raw, code, date1904=date1904)
    except (ArithmeticError, ValueError):
        return raw


def _shown(number: Decimal, raw: str, code: str, *, date1904: bool) -> str:
    if not number.is_finite() or not -400 < number.adjusted() < 400:
        return raw
    section, is_signed = _section_for(number, sections(code))
    if section is None:
        return show_general(number)
    if section.is_date:
        return _show_date(number, section, date1904=date1904)
    return _show_value(number if is_signed else abs(number), section)


def show_general(number: Decimal) -> str:
    """Return a number without a format of its own: as many digits as it has, 15 at most."""
    if number == number.to_integral_value() and abs(number) < 10**_SIGNIFICANT:
        return str(int(number))
    rounded = Decimal(f"{number:.{_SIGNIFICANT}g}").normalize()
    return f"{rounded:f}" if -7 < rounded.adjusted() < 21 else f"{rounded:E}"


@lru_cache(maxsize=2048)
def sections(code: str) -> tuple[Section, ...]:
    """Return the sections of a format."""
    found: list[list[Token]] = [[]]
    for match in _TOKEN.finditer(code[:_MAX_CODE_CHARS]):
        kind, text = match.lastgroup or "", match.group(match.lastgroup) if match.lastgroup else ""
        if kind == "other" and text == ";":
            found.append([])
        elif kind == "bracket":
            found[-1] += _bracket(text)
        elif kind in ("quoted", "escaped", "other"):
            found[-1].append(Token("literal", text))
        elif kind == "blank":
            found[-1].append(Token("literal", " "))
        elif kind:
            found[-1].append(Token(kind, text))
    return tuple(_section(tokens) for tokens in found[:4])


def _bracket(text: str) -> list[Token]:
    if elapsed := _ELAPSED.fullmatch(text):
        return [Token("elapsed", elapsed.group(1).lower())]
    if currency := _CURRENCY.fullmatch(text):
        return [Token("literal", currency.group(1))]
    return [Token("condition", text)] if _CONDITION.fullmatch(text) else []


def _section(tokens: list[Token]) -> Section:
    condition = next((token.text for token in tokens if token.kind == "condition"), None)
    found = _CONDITION.fullmatch(condition) if condition else None
    kept = tuple(token for token in tokens if token.kind != "condition")
    return Section(kept, (found.group(1), float(found.group(2))) if found and found.group(2).count(".") < 2 else None)


def _section_for(number: Decimal, parts: tuple[Section, ...]) -> tuple[Section | None, bool]:
    """Return the section for a number, and whether it shows the sign itself; None for the number as it is."""
    numeric = [part for part in parts[:3] if not part.has("text")] if len(parts) > 1 else list(parts)
    if any(part.condition for part in numeric):
        for part in numeric:
            if part.condition is None or _COMPARE[part.condition[0]](float(number), part.condition[1]):
                return _or_none(part), True
        return None, True
    if not numeric:
        return None, True
    if number < 0 and len(numeric) > 1:
        return _or_none(numeric[1]), False
    if number == 0 and len(numeric) > 2:
        return _or_none(numeric[2]), True
    return _or_none(numeric[0]), True


def _or_none(section: Section) -> Section | None:
    kinds = {token.kind for token in section.tokens}
    return None if kinds <= {"general", "text"} and kinds else section


def _show_value(number: Decimal, section: Section) -> str:
    tokens = section.tokens
    if section.has("general"):
        return "".join(show_general(number) if t.kind == "general" else t.text for t in tokens).strip()
    if not section.has("number"):
        return "".join(token.text for token in tokens if token.kind == "literal").strip()
    places = [at for at, token in enumerate(tokens) if token.kind in ("number", "exponent")]
    slash = next((at for at, t in enumerate(tokens) if t == ("literal", "/") and places[0] < at), None)
    percent = sum(token == ("number", "%") for token in tokens)
    digits = [at for at in places if tokens[at].text != "%"]
    if not digits:
        return "".join(token.text for token in tokens)
    pattern = "".join(tokens[at].text for at in digits)
    number = number.scaleb(2 * percent)
    if slash is not None:
        return _fraction(number, pattern)
    shown = _exponential(number, pattern) if section.has("exponent") else _fixed(number, pattern)
    sign, shown = ("-", shown[1:]) if shown.startswith("-") else ("", shown)
    return (sign + _around(tokens, digits, shown)).strip()


def _around(tokens: tuple[Token, ...], digits: list[int], shown: str) -> str:
    """Put a number where its places stand in a format; literals among them (as in phone numbers) go where they stand."""
    inner = [at for at in range(digits[0], digits[-1]) if tokens[at].kind == "literal"]
    before = "".join(token.text for token in tokens[: digits[0]])
    after = "".join(token.text for token in tokens[digits[-1] + 1 :])
    if not inner or "." in shown or "E" in shown:
        return before + shown + after
    left, out = len(shown), ""
    for at in range(digits[-1], digits[0] - 1, -1):
        if tokens[at].kind == "literal":
            out = tokens[at].text + out
        elif left and tokens[at].text != ",":
            left -= 1
            out = shown[left] + out
    return before + shown[:left] + out + after


def _fixed(number: Decimal, pattern: str) -> str:
    whole, _, part = pattern.partition(".")
    scaled = len(pattern) - len(pattern.rstrip(","))
    number = number.scaleb(-3 * scaled)
    part = re.sub(r"[^0#?]", "", part)[:_MAX_DECIMALS]
    rounded = _rounded(number, len(part))
    digits, _, decimals = f"{abs(rounded):f}".partition(".")
    least = len(part.rstrip("#?"))
    decimals = decimals[: len(part)]
    while len(decimals) > least and decimals.endswith("0"):
        decimals = decimals[:-1]
    width = min(whole.count("0"), 100)
    digits = digits.rjust(width, "0") if width else digits.lstrip("0")
    if "," in whole.rstrip(","):
        digits = f"{int(digits or 0):,}".rjust(width, "0") if digits else ""
    shown = f"{digits}.{decimals}" if "." in pattern and (decimals or least) else digits
    return f"-{shown}" if rounded < 0 else shown


def _rounded(number: Decimal, places: int) -> Decimal:
    # The nearest number that a cell can hold, not its binary shadow: 1.005 is stored as 1.00499999999999989.
    number = Decimal(f"{number:.{_SIGNIFICANT}g}")
    return Decimal(round(number)) if number.adjusted() > 20 else number.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)


def _exponential(number: Decimal, pattern: str) -> str:
    mantissa, mark, exponent = re.split(r"([Ee][+-])", pattern, maxsplit=1)
    step = max(1, len(re.sub(r"[^0#?]", "", mantissa.partition(".")[0])))
    power = number.adjusted() if number else 0
    power -= power % step if step > 1 else 0
    shown = _fixed(number.scaleb(-power), mantissa)
    sign = "-" if power < 0 else "+" if mark.endswith("+") else ""
    return f"{shown}{mark[0]}{sign}{abs(power):0{max(1, min(9, exponent.count('0')))}d}"


def _fraction(number: Decimal, pattern: str) -> str:
    from fractions import Fraction

    most = 10 ** max(1, min(4, len(pattern) - len(pattern.rstrip("?#0"[:1])))) - 1 if pattern.endswith("?") else 9
    whole, rest = divmod(abs(number), 1)
    near = Fraction(rest).limit_denominator(most)
    if near == 1:
        whole, near = whole + 1, Fraction(0)
    parts = [str(int(whole))] if whole or not near else []
    parts += [f"{near.numerator}/{near.denominator}"] if near else []
    return ("-" if number < 0 else "") + " ".join(parts)


def _show_date(number: Decimal, section: Section, *, date1904: bool) -> str:
    shown = _fraction_digits(section)
    seconds = (number * 86_400).quantize(Decimal(1).scaleb(-shown), ROUND_HALF_UP)
    if section.has("elapsed"):
        return _fill(section, None, seconds)
    if not 0 <= number < _LAST_DAY:
        return show_general(number)
    return _fill(section, _moment(seconds, date1904=date1904), seconds)


def _moment(seconds: Decimal, *, date1904: bool) -> datetime:
    """Return the moment of a serial number. In the 1900 system day 60 never was; those before it are one later."""
    days = int(seconds // 86_400)
    epoch = datetime(1904, 1, 1) if date1904 else datetime(1899, 12, 31 if days < 60 else 30)
    return epoch + timedelta(days=days, microseconds=int((seconds % 86_400) * 1_000_000))


def _fraction_digits(section: Section) -> int:
    """Return how many digits of a second a format shows."""
    texts = [token.text for token in section.tokens]
    at = next((at for at, token in enumerate(section.tokens[:-1]) if token == ("number", ".") and texts[at + 1] == "0"), None)
    return 0 if at is None else min(6, len(texts[at + 1 :]) - len("".join(texts[at + 1 :]).lstrip("0")))


def _fill(section: Section, moment: datetime | None, seconds: Decimal) -> str:
    out, previous, skip = "", "", 0
    tokens = section.tokens
    has_half = section.has("half")
    for at, (kind, text) in enumerate(tokens):
        if skip:
            skip -= 1
        elif kind == "elapsed":
            out += str(int(abs(seconds) // {"h": 3600, "m": 60, "s": 1}[text[0]])).rjust(len(text), "0")
            previous = text[0]
        elif kind == "date":
            letter = text[0].lower()
            follows = next((t.text[0].lower() for t in tokens[at + 1 :] if t.kind in ("date", "elapsed")), "")
            is_minute = letter == "m" and (previous == "h" or follows == "s") and len(text) < 3
            out += _date_part("n" if is_minute else letter, len(text), moment, seconds, has_half=has_half)
            previous = letter
        elif kind == "half":
            out += ("AM" if seconds % 86_400 < 43_200 else "PM")[: 1 if len(text) == 3 else 2]
        elif (kind, text) == ("number", ".") and previous == "s" and (digits := _fraction_digits(section)):
            out += f"{seconds % 1:.{digits}f}"[1:]
            skip = digits
        elif kind in ("literal", "number"):
            out += text
    return ("-" if seconds < 0 else "") + " ".join(out.split())


def _date_part(letter: str, width: int, moment: datetime | None, seconds: Decimal, *, has_half: bool) -> str:
    second = int(abs(seconds)) % 86_400
    hour = second // 3600
    clock = {"h": (hour % 12 or 12) if has_half else hour, "n": second // 60 % 60, "s": second % 60}
    if letter in clock:
        return f"{clock[letter]:0{min(width, 2)}d}"
    if moment is None:
        return ""
    match letter:
        case "y":
            return f"{moment.year:04d}" if width > 2 else f"{moment.year % 100:02d}"
        case "m":
            name = _MONTHS[moment.month - 1]
            return {1: str(moment.month), 2: f"{moment.month:02d}", 3: name[:3], 5: name[0]}.get(width, name)
        case _:
            name = _DAYS[moment.weekday()]
            return {1: str(moment.day), 2: f"{moment.day:02d}", 3: name[:3]}.get(width, name)
