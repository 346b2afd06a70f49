"""What stands in a claim in place of what its sources say: strange words, numbers of other things, negated forms. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from pincite.answering.matching import shared_start
from pincite.core.ports.models import WordSense
from pincite.language.quantities import Amount
from pincite.language.words import words

_MOST_RUNS = 8
_MOST_OTHERS = 16
_LONGEST_LOOK = 14
_LEAST_STEM = 2
_FOLLOWS = 0.75
"""A claim that has this share of its words in the order of a sentence follows it."""
_FEW = 6
_NEGATED = ("me", "ma", "mı", "mi", "mu", "mü", "yemez", "yama", "yeme", "amaz", "emez", "amad", "emed", "amı", "emi")
"""What follows the stem of a negated verb in Turkish."""


@dataclass(frozen=True, slots=True)
class Run:
    """Words side by side that the other text lacks, as they are written, in the form of `words`."""

    text: str
    letters: int


def runs(found: Sequence[str], lacking: Sequence[bool]) -> list[Run]:
    """Return the runs of words that lack; overlapping pairs and triples of characters are put together."""
    made: list[Run] = []
    text = ""
    for at, word in enumerate(found):
        if lacking[at]:
            follows = at > 0 and lacking[at - 1]
            text = _joined(text, word) if follows else word
        elif text:
            made.append(Run(text, len(text)))
            text = ""
    return [*made, Run(text, len(text))] if text else made


def _joined(text: str, word: str) -> str:
    overlaps = word >= "\u0e00" and len(word) > 1 and text.endswith(word[:-1])
    return text + word[-1] if overlaps else f"{text} {word}"


def strangeness(missing: Sequence[Run], others: Sequence[Run], sense: WordSense) -> Mapping[str, float]:
    """Return how unlike what the sources say in their place the missing words are, and how rare they are."""
    if not missing:
        return {"least like": 1.0, "unlike": 0.0, "rarest": 0.0, "rare": 0.0}
    longest = sorted(missing, key=lambda run: -run.letters)[:_MOST_RUNS]
    candidates = [run.text for run in sorted(others, key=lambda run: -run.letters)[:_MOST_OTHERS]]
    likeness = [max((sense.likeness(*_bared(run.text, other)) for other in candidates), default=0.0) for run in longest]
    rarity = [sense.rarity(run.text) for run in longest]
    return {"least like": min(likeness), "unlike": sum(1 - like for like in likeness), "rarest": max(rarity), "rare": sum(rarity)}


def _bared(left: str, right: str) -> tuple[str, str]:
    """Take away what two runs share at their ends: the characters of pairs that reach into the words beside."""
    if left < "\u0e00" or left == right:
        return left, right
    first = shared_start(left, right)
    left, right = left[first:] or left, right[first:] or right
    last = next((at for at, (a, b) in enumerate(zip(reversed(left), reversed(right), strict=False)) if a != b), 0)
    return left[: len(left) - last] or left, right[: len(right) - last] or right


@dataclass(frozen=True, slots=True)
class Line:
    """Words in a row: as they are written, their stems, and which of them count."""

    texts: Sequence[str]
    stems: Sequence[str]
    counts: Sequence[bool] = ()


def edits(claim: Line, sentence: Line, sense: WordSense) -> Mapping[str, float]:
    """Return how far a claim follows one sentence word by word, and what it has in place of what stands there."""
    blocks = SequenceMatcher(None, sentence.stems, claim.stems, autojunk=False).get_opcodes()
    order = sum(last - first for kind, _, _, first, last in blocks if kind == "equal") / max(1, len(claim.stems))
    if order < _FOLLOWS:
        return {"in order": order, "edits": 0.0, "edit letters": 0.0, "edit unlike": 0.0}
    changed = [(sentence.texts[a:b], _counting(claim, c, d)) for kind, a, b, c, d in blocks if kind != "equal"]
    changed = [(there, here) for there, here in changed if here]
    return {
        "in order": order,
        "edits": float(len(changed)),
        "edit letters": float(sum(len(word) for _, here in changed for word in here)),
        "edit unlike": max((_unlike(here, there, sense) for there, here in changed), default=0.0),
    }


def _counting(line: Line, first: int, end: int) -> list[str]:
    return [line.texts[at] for at in range(first, end) if line.counts[at]]


def _unlike(mine: Sequence[str], theirs: Sequence[str], sense: WordSense) -> float:
    return 1 - max((sense.likeness(word, other) for word in mine[:_FEW] for other in theirs[:_FEW]), default=0.0)


@dataclass(frozen=True, slots=True)
class Counted:
    """An amount with the words before and after it."""

    amount: Amount
    before: str
    after: str


def counted(text: str, amounts: Sequence[Amount]) -> list[Counted]:
    """Return the amounts of a text with their neighbours."""
    return [Counted(amount, *_neighbours(text, amount)) for amount in amounts]


def _neighbours(text: str, amount: Amount) -> tuple[str, str]:
    before = words(text[max(0, amount.start - _LONGEST_LOOK) : amount.start])
    start = amount.end if not amount.unit else amount.start
    after = [word for word in words(text[start : amount.end + _LONGEST_LOOK]) if not word[0].isdigit()]
    return (before[-1] if before else ""), (after[0] if after else "")


def other_things(said: Sequence[Counted], told: Sequence[Counted]) -> Mapping[str, float]:
    """Count the amounts of a claim that the sources give, but of something else."""
    after = before = 0
    for mine in said:
        same = [other for other in told if not set(mine.amount.values).isdisjoint(other.amount.values)]
        if same:
            after += not any(_alike(mine.after, other.after) or _same_unit(mine.amount, other.amount) for other in same)
            before += not any(_alike(mine.before, other.before) for other in same)
    return {"counted other": float(after), "counted after other": float(before)}


def _same_unit(mine: Amount, other: Amount) -> bool:
    return bool(mine.unit) and mine.unit == other.unit


def _alike(left: str, right: str) -> bool:
    """Whether two words are one or share their beginning."""
    if left == right:
        return True
    shared = shared_start(left, right)
    return shared >= max(_LEAST_STEM, 0.6 * min(len(left), len(right)))


def negated_forms(missing: Sequence[str], others: Sequence[str]) -> int:
    """Count the words of a claim that are a verb of its sources with the negation inside, or the other way round, in Turkish."""
    return sum(any(_is_negated_form(word, other) for other in others) for word in missing)


def _is_negated_form(word: str, other: str) -> bool:
    shared = shared_start(word, other)
    if shared < _LEAST_STEM:
        return False
    for at in {shared, shared - 1}:
        mine, theirs = word[at:], other[at:]
        if mine.startswith(_NEGATED) != theirs.startswith(_NEGATED) and max(len(mine), len(theirs)) <= _LONGEST_LOOK:
            return True
    return False
