"""JSON (RFC 8259) and JSON lines as values with their places. Numbers stay as they are written, however many digits they have."""

import json
import re

from pincite.adapters.parsers.value_trees import Shape, Value, scalar, too_deep
from pincite.core.errors import RefusedInput

_TOKEN = re.compile(
    r'[ \t\r\n\ufeff]*(?:(?P<string>"[^"\\]*(?:\\.[^"\\]*)*")|(?P<mark>[{}\[\]:,])|(?P<word>-?[A-Za-z0-9][A-Za-z0-9.+-]*))',
    re.DOTALL,
)
_WORD = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|-?NaN|-?Infinity")
_SAMPLE_DEPTH = 10_000
_BLANKS = re.compile(r"[ \t\r\n]*")


class MalformedError(ValueError):
    """The text is no JSON from `at` on."""

    def __init__(self, at: int) -> None:
        super().__init__(f"no JSON at character {at}")
        self.at = at


class JsonReader:
    """Reads values from a text, one after the other. Of members with one name the last counts, in its place."""

    def __init__(self, text: str, *, max_depth: int) -> None:
        self._text = text
        self._max_depth = max_depth
        self._open: list[Value] = []
        self._names: list[str | None] = []

    def read(self, start: int, end: int) -> tuple[Value, int]:
        """Return the value that begins at `start`, and where it ends. Raises `MalformedError`, `RefusedInput` (`too_deep`)."""
        self._open, self._names = [], []
        at, expected = start, "value"
        while True:
            found = _TOKEN.match(self._text, at, end)
            if not found:
                raise MalformedError(at)
            value, expected = self._take(found, expected)
            at = found.end()
            if value is not None:
                return value, at

    def _take(self, found: "re.Match[str]", expected: str) -> tuple[Value | None, str]:
        """Follow one token; return the outermost value once it is complete, and what may come next."""
        kind, token = found.lastgroup, found.group(found.lastgroup or 0)
        at = found.end() - len(token)
        if kind != "mark":
            if expected.startswith("name") and kind == "string":
                self._names[-1] = _unquoted(token)
                return None, "colon"
            if not expected.startswith("value") or (kind == "word" and not _WORD.fullmatch(token)):
                raise MalformedError(at)
            return self._place(_string(token, at) if kind == "string" else scalar(token, at, len(token)))
        if token in "{[" and expected.startswith("value"):
            return None, self._begin(Shape.MAP if token == "{" else Shape.LIST)
        if token in "}]" and expected in ("border", "name or end" if token == "}" else "value or end"):
            return self._end(Shape.MAP if token == "}" else Shape.LIST, at)
        if token == ":" and expected == "colon":
            return None, "value"
        if token == "," and expected == "border":
            return None, "name" if self._open[-1].shape is Shape.MAP else "value"
        raise MalformedError(at)

    def _begin(self, shape: Shape) -> str:
        if len(self._open) >= self._max_depth:
            raise too_deep()
        self._open.append(Value(shape))
        self._names.append(None)
        return "name or end" if shape is Shape.MAP else "value or end"

    def _end(self, shape: Shape, at: int) -> tuple[Value | None, str]:
        if not self._open or self._open[-1].shape is not shape:
            raise MalformedError(at)
        value = self._open.pop()
        self._names.pop()
        if shape is Shape.MAP and len({name for name, _ in value.members}) < len(value.members):
            value.members = list(dict(value.members).items())
        return self._place(value.close())

    def _place(self, value: Value) -> tuple[Value | None, str]:
        if not self._open:
            return value, ""
        holder = self._open[-1]
        name = self._names[-1] if holder.shape is Shape.MAP else str(len(holder.members))
        holder.members.append((name or "", value))
        return None, "border"


def _string(token: str, at: int) -> Value:
    text = _unquoted(token)
    return scalar(text, at + 1, len(token) - 2)


def _unquoted(token: str) -> str:
    if "\\" not in token:
        return token[1:-1]
    try:
        return json.loads(token, strict=False)
    except ValueError:
        return token[1:-1]


def read_json(text: str, *, max_depth: int) -> Value:
    """Return the one value of a text. Raises `MalformedError`, `RefusedInput` (`too_deep`)."""
    value, at = JsonReader(text, max_depth=max_depth).read(0, len(text))
    at = _BLANKS.match(text, at).end()  # type: ignore[union-attr]
    if at < len(text):
        raise MalformedError(at)
    return value


def read_json_lines(text: str, *, max_depth: int) -> tuple[Value, list[int]]:
    """Return the values of a text with one on each line as a list, and the numbers of lines that hold none; these are texts.

    Raises `MalformedError` when most lines hold no value, `RefusedInput` (`too_deep`).
    """
    reader = JsonReader(text, max_depth=max_depth)
    found, bad, start = Value(Shape.LIST), list[int](), 0
    for number, line in enumerate(text.split("\n"), start=1):
        end = start + len(line)
        if line.strip():
            value = _line(reader, text, start, end)
            if value is None:
                bad.append(number)
                value = scalar(line.strip(), start + len(line) - len(line.lstrip()), len(line.strip()))
            found.members.append((f"line {number}", value))
        start = end + 1
    if len(bad) * 2 >= len(found.members):
        raise MalformedError(0)
    return found.close(), bad


def _line(reader: JsonReader, text: str, start: int, end: int) -> Value | None:
    try:
        value, at = reader.read(start, end)
    except MalformedError:
        return None
    return None if text[at:end].strip() else value


def begins_as_json(sample: str, *, is_cut: bool) -> bool:
    """Whether a text begins with a map or list, as far as it is there."""
    start = len(sample) - len(sample.lstrip(" \t\r\n\ufeff"))
    if sample[start : start + 1] not in ("{", "["):
        return False
    try:
        _, end = JsonReader(sample, max_depth=_SAMPLE_DEPTH).read(start, len(sample))
    except MalformedError as error:
        # A string, number or word may be cut by the end of the sample.
        return is_cut and (error.at >= len(sample) - 1 or sample.find('"', error.at, error.at + 3) >= 0)
    except RefusedInput:
        return True
    behind = sample[end:].lstrip()
    return not behind or (behind.startswith("{") and "\n" in sample[end : len(sample) - len(behind)])
