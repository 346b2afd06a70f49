"""Plain text files read to canonical text: paragraphs, or single lines where lines are meant."""

import re
from collections.abc import Callable

from pincite.adapters.parsers.assembly import CanonicalBuilder
from pincite.core.documents import BlockRole, ParsedDocument

CONTENT_TYPE = "text/plain"
VERSION = "1"
_BREAK = re.compile(r"\r\n?|[\n\x0b\x0c\x85\u2028\u2029]")
_ITEM = re.compile(r"\s*(?:[-*•–—+>|#]\s|\(?\w{1,3}[.)]\s)")
_LEAST_WIDTH = 40
_LEAST_PROSE_WIDTH = 50
_FITTING_SHARE = 0.97
_FULL_SHARE = 0.3
_SENTENCE_END = re.compile(r"[.!?:;。！？][\"'”’»)\]\d\[]*$")

Line = tuple[int, str]


def read_plain_text(text: str, *, max_chars: int) -> ParsedDocument:
    """Read a plain text; each run of canonical text has its index in `text`.

    Where lines were wrapped at a width, the lines of a paragraph are one block and a blank stands where a line feed was; any
    other line is a block of its own.
    """
    lines = lines_of(text)
    wrapped = wrapped_lines(lines)
    builder = CanonicalBuilder(max_chars=max_chars)
    is_open = False
    for (index, line), goes_on in zip(lines, wrapped, strict=True):
        indent = len(line) - len(line.lstrip()) if is_open else 0
        builder.write(line[indent:], index=index + indent)
        is_open = goes_on
        if is_open:
            builder.glue(" ")
        else:
            builder.close_block(BlockRole.BODY)
    return ParsedDocument(canonical=builder.build(), content_type=CONTENT_TYPE, parser="text", parser_version=VERSION)


def lines_of(text: str) -> list[Line]:
    """Return the lines of a text without blanks at their ends, each with its index."""
    lines: list[Line] = []
    at = 0
    for found in _BREAK.finditer(text):
        lines.append((at, text[at : found.start()].rstrip()))
        at = found.end()
    lines.append((at, text[at:].rstrip()))
    return lines


def wrapped_lines(lines: list[Line]) -> list[bool]:
    """Return for each line whether its paragraph goes on in the next."""
    pairs = [(line, following) for (_, line), (_, following) in zip(lines, [*lines[1:], (0, "")], strict=True)]
    real = [(line, following) for line, following in pairs if line and following]
    lengths = sorted(len(line) for line, _ in real)
    if not lengths:
        return [False] * len(lines)
    width = lengths[min(len(lengths) - 1, int(len(lengths) * _FITTING_SHARE))]
    if width >= _LEAST_WIDTH and _share(real, lambda line, following: _has_no_room(line, following, width)) >= _FULL_SHARE:
        return [_has_no_room(line, following, width) for line, following in pairs]
    usual = lengths[len(lengths) * 3 // 4]
    if usual >= _LEAST_PROSE_WIDTH and _share(real, lambda line, following: following[0].islower()) >= _FULL_SHARE:
        return [_runs_on(line, following, usual) for line, following in pairs]
    return [False] * len(lines)


def _share(pairs: list[tuple[str, str]], holds: Callable[[str, str], bool]) -> float:
    return sum(holds(line, following) for line, following in pairs) / len(pairs)


def _has_no_room(line: str, following: str, width: int) -> bool:
    """Whether a line ended because the next word had no room in it."""
    if not line or not following or _ITEM.match(following):
        return False
    return len(line) + 1 + len(following.split(maxsplit=1)[0]) > width


def _runs_on(line: str, following: str, width: int) -> bool:
    """Whether a line of prose wrapped at no fixed number of characters goes on: it is long and its sentence isn't over."""
    if not line or not following or following[0].isspace() or _ITEM.match(following) or _SENTENCE_END.search(line):
        return False
    return len(line) >= (0.7 if following[0].islower() else 0.8) * width
