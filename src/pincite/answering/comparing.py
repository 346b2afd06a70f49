"""Finds what a quote became in another version of its text. Pure."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

NORMALISATION = "nfc-whitespace/1"
"""Texts that are equal under it say the same: Unicode's composed form (NFC), and each run of white space as one blank."""
EXACT = "exact"

ALIKE = 0.5
"""The least share of a quote's words that a passage has to keep to be the same passage, changed."""
SHORT_CHARACTERS = 24
"""A shorter quote may stand anywhere by chance: it counts as the same only where the text around it is the same too."""
CONTEXT_CHARACTERS = 60
LEAST_CONTEXT = 8
MOST_OCCURRENCES = 500
MOST_WORDS = 1_500
"""Words of a quote that are laid beside others; of a longer one the rest counts as they do."""

_TOKEN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af\u0e00-\u0eff]|[^\W_]+|[^\w\s]|_")
_CONJOINING = range(0x1160, 0x1200)


@dataclass(frozen=True, slots=True)
class Around:
    """What stood before and after a quote."""

    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class Match:
    """Where a text says a quote now, `[start, end)`: `equal_by` is empty where it says something else in its place."""

    start: int
    end: int
    equal_by: str = ""


@dataclass(frozen=True, slots=True)
class _Normal:
    """A text under the normalisation, and per character of it where the literal one begins; one more for the end."""

    text: str
    offsets: tuple[int, ...]


def around(text: str, start: int, end: int) -> Around:
    """Return what stands around `[start, end)`."""
    return Around(text[max(0, start - CONTEXT_CHARACTERS) : start], text[end : end + CONTEXT_CHARACTERS])


def matches(quote: str, text: str, *, near: int, context: Around, then: str = "") -> list[Match]:
    """Return where a text says a quote, the likeliest first: by the text around it, then by the distance to `near`.

    First as it is; where it isn't, under the normalisation; where it isn't either, the one passage that is most like it, if any is.
    What stood in the text of `then` already is another passage, however much alike.
    """
    found = [Match(at, at + len(quote), EXACT) for at in _occurrences(quote, text)]
    likely = _ranked(found, quote, text, near, context) or _ranked(_normal_matches(quote, text), quote, text, near, context)
    if likely:
        return likely
    changed = _most_alike(quote, text, near, context, then)
    return [changed] if changed else []


def _occurrences(quote: str, text: str) -> Iterator[int]:
    at, count = text.find(quote), 0
    while quote and at >= 0 and count < MOST_OCCURRENCES:
        yield at
        at, count = text.find(quote, at + 1), count + 1


def _normal_matches(quote: str, text: str) -> list[Match]:
    parts = quote.split()
    spaced = list(re.finditer(r"\s+".join(map(re.escape, parts)), text)) if parts else []
    if spaced or all(unicodedata.is_normalized("NFC", each) for each in (quote, text)):
        return [Match(match.start(), match.end(), NORMALISATION) for match in spaced[:MOST_OCCURRENCES]]
    wanted, whole = _normal(quote).text.strip(), _normal(text)
    found = [(at, at + len(wanted)) for at in _occurrences(wanted, whole.text)]
    return [Match(whole.offsets[start], _end(text, whole.offsets[end]), NORMALISATION) for start, end in found]


def _end(text: str, end: int) -> int:
    """Leave out the white space that one blank stands for."""
    while end and text[end - 1].isspace():
        end -= 1
    return end


def _normal(text: str) -> _Normal:
    pieces: list[str] = []
    offsets: list[int] = []
    for start, end in _clusters(text):
        cluster = text[start:end]
        if cluster.isspace():
            plain = "" if pieces and pieces[-1] == " " else " "
        else:
            plain = cluster if cluster.isascii() else unicodedata.normalize("NFC", cluster)
        if plain:
            pieces.append(plain)
            offsets.extend([start] * len(plain))
    return _Normal("".join(pieces), (*offsets, len(text)))


def _clusters(text: str) -> Iterator[tuple[int, int]]:
    """Yield the parts that normalisation never joins: a character with the marks after it."""
    start = 0
    for at in range(1, len(text) + 1):
        if at == len(text) or not _joins(text[at]):
            if at > start:
                yield start, at
            start = at


def _joins(char: str) -> bool:
    return char > "\u02ff" and (unicodedata.category(char)[0] == "M" or ord(char) in _CONJOINING)


def _ranked(found: list[Match], quote: str, text: str, near: int, context: Around) -> list[Match]:
    """Drop what says something else in truth, and put the likeliest first."""
    is_short = len(quote) < SHORT_CHARACTERS and len(context.before + context.after) >= 2 * LEAST_CONTEXT
    kept: list[tuple[int, int, Match]] = []
    for match in found:
        now = around(text, match.start, match.end)
        shared = _shared(context, now)
        if not _is_cut(quote, context, now) and (not is_short or shared >= LEAST_CONTEXT):
            kept.append((-shared, abs(match.start - near), match))
    return [match for _, _, match in sorted(kept, key=lambda each: each[:2])]


def _shared(then: Around, now: Around) -> int:
    """Count the characters around that are the same, white space apart."""
    before = zip(reversed("".join(then.before.split())), reversed("".join(now.before.split())), strict=False)
    after = zip("".join(then.after.split()), "".join(now.after.split()), strict=False)
    return sum(next((at for at, (a, b) in enumerate(pairs) if a != b), CONTEXT_CHARACTERS) for pairs in map(list, (before, after)))


def _is_cut(quote: str, then: Around, now: Around) -> bool:
    """Say whether a quote is part of a longer word or number now, and wasn't: `10` in `100` or in `10.5`."""
    begins, ends = quote[:1], quote[-1:]
    return (_goes_on(now.before[::-1], begins) and not _goes_on(then.before[::-1], begins)) or (
        _goes_on(now.after, ends) and not _goes_on(then.after, ends)
    )


def _goes_on(beyond: str, edge: str) -> bool:
    if not beyond or not edge.isalnum():
        return False
    if edge.isdigit() and beyond[0] in ".,'’" and beyond[1:2].isdigit():
        return True
    return beyond[0].isalnum() and (beyond[0].isdigit() == edge.isdigit())


def _most_alike(quote: str, text: str, near: int, context: Around, then: str) -> Match | None:
    """Return the passage that keeps the most of a quote's words, None where none keeps enough."""
    wanted = [match[0] for match in _TOKEN.finditer(quote[: MOST_WORDS * 20])][:MOST_WORDS]
    best: tuple[float, int, Match] | None = None
    for at in _candidates(quote, text, near, context):
        slack = len(quote) // 2 + 40
        first, last = max(0, at - slack), min(len(text), at + len(quote) + slack)
        laid = _laid(wanted, text, first, last)
        if laid is None or text[laid[1].start : laid[1].end] in then:
            continue
        share, match = laid
        order = (share, -abs(match.start - near))
        if best is None or order > best[:2]:
            best = (*order, match)
    return best[2] if best and best[0] >= ALIKE else None


def _candidates(quote: str, text: str, near: int, context: Around) -> list[int]:
    """Return where a quote may begin now: pieces of it, and of what stood around it, vote by where they are found."""
    whole = context.before + quote + context.after
    size = max(4, min(12, len(quote) // 4))
    step = max(1, len(whole) // 40)
    width = max(16, len(quote) // 4)
    votes: Counter[int] = Counter()
    for offset in range(0, max(1, len(whole) - size + 1), step):
        piece = whole[offset : offset + size]
        for found in list(_occurrences(piece, text))[:50] if piece.strip() else []:
            bucket = (found - offset + len(context.before)) // width
            votes.update((bucket, bucket + 1))
    likely = sorted(votes.items(), key=lambda item: (-item[1], abs(item[0] * width - near)))
    return [bucket * width for bucket, _ in likely[:6]]


def _laid(wanted: list[str], text: str, first: int, last: int) -> tuple[float, Match] | None:
    """Lay a quote's words beside those of a stretch of text; return the share that both have, and the run that stands for it."""
    tokens = [(match[0], match.start(), match.end()) for match in _TOKEN.finditer(text, first, last)]
    laid = SequenceMatcher(None, wanted, [token for token, _, _ in tokens], autojunk=False)
    blocks = _together([(each.a, each.b, each.size) for each in laid.get_matching_blocks() if each.size])
    if not blocks:
        return None
    (a, b, _), (c, d, size) = blocks[0], blocks[-1]
    start, end = max(0, b - a), min(len(tokens), d + size + len(wanted) - c - size)
    weight = sum(len(word) for word in wanted)
    kept = sum(len(wanted[at]) for a, _, size in blocks for at in range(a, a + size))
    return kept / max(1, weight), Match(tokens[start][1], tokens[end - 1][2])


def _together(blocks: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """Leave out words at the edges that agree by chance: more was put between them and the rest than they weigh."""
    found = list(blocks)
    while len(found) > 1:
        first, last = _strays(found[0], found[1]), _strays(found[-2], found[-1])
        if first > 3 * found[0][2] + 1:
            found.pop(0)
        elif last > 3 * found[-1][2] + 1:
            found.pop()
        else:
            break
    return found


def _strays(one: tuple[int, int, int], next_: tuple[int, int, int]) -> int:
    """Return how many more words stand between two blocks than did."""
    (a, b, size), (c, d, _) = one, next_
    return (d - b - size) - (c - a - size)
