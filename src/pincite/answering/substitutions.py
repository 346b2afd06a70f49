"""What stands in a claim in place of what its sources say: strange words, numbers of other things, negated forms. Pure."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from pincite.answering.matching import shared_start
from pincite.core.ports.models import WordSense
from pincite.language.quantities import Amount
from pincite.language.words import words

FIRST_UNSPACED = "\u0e00"
"""From here on lie the scripts that put no blanks between words."""

_MOST_RUNS = 8
_MOST_OTHERS = 16
_LONGEST_LOOK = 14
_LEAST_STEM = 2
_FOLLOWS = 0.75
"""A claim that has this share of its words in the order of a sentence follows it."""
_FEW = 6
_NEGATION = 3
"""A negation and a verb in another form."""
_SWAPPED = 32
"""What has more letters isn't a word or a name in place of another."""
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
    overlaps = word >= FIRST_UNSPACED and len(word) > 1 and text.endswith(word[:-1])
    return text + word[-1] if overlaps else f"{text} {word}"


def strangeness(missing: Sequence[Run], others: Sequence[Run], sense: WordSense) -> Mapping[str, float]:
    """Return how unlike what the sources say in their place the missing words are, and how rare they are."""
    if not missing:
        return {"least like": 1.0, "unlike": 0.0, "rarest": 0.0, "rare": 0.0}
    longest = sorted(missing, key=lambda run: -run.letters)[:_MOST_RUNS]
    candidates = [run.text for run in sorted(others, key=lambda run: -run.letters)[:_MOST_OTHERS]]
    likeness = [max((sense.likeness(*bared(run.text, other)) for other in candidates), default=0.0) for run in longest]
    rarity = [sense.rarity(run.text) for run in longest]
    return {"least like": min(likeness), "unlike": sum(1 - like for like in likeness), "rarest": max(rarity), "rare": sum(rarity)}


def bared(left: str, right: str) -> tuple[str, str]:
    """Take away what two runs share at their ends: the characters of pairs that reach into the words beside."""
    if left < FIRST_UNSPACED or left == right:
        return left, right
    first = shared_start(left, right)
    left, right = left[first:] or left, right[first:] or right
    last = next((at for at, (a, b) in enumerate(zip(reversed(left), reversed(right), strict=False)) if a != b), 0)
    return left[: len(left) - last] or left, right[: len(right) - last] or right


@dataclass(frozen=True, slots=True)
class Line:
    """Words in a row: as they are written, their stems, which of them count, which are surely names, which negate."""

    texts: Sequence[str]
    stems: Sequence[str]
    counts: Sequence[bool]
    names: Sequence[bool]
    negations: Collection[int] = ()


@dataclass(frozen=True, slots=True)
class _Edit:
    """What a claim has in place of words of a sentence: those that count on both sides, and whether a number stands beside."""

    there: Sequence[str]
    here: Sequence[str]
    are_names: bool
    counts_things: bool

    @property
    def is_swap(self) -> bool:
        return 0 < _letters(self.there) <= _SWAPPED and 0 < _letters(self.here) <= _SWAPPED


def _letters(found: Sequence[str]) -> int:
    """Count the letters of words, of which pairs and triples of characters overlap."""
    return sum(1 if word >= FIRST_UNSPACED else len(word) for word in found)


@dataclass(frozen=True, slots=True)
class Edits:
    """How far a claim follows one sentence word by word, and what it has in place of what stands there.

    `swap` holds, when nothing else differs, which words of the claim stand in place of which of the sentence, `[start, end)` each;
    `is_denied` says that nothing differs but a negation.
    """

    features: Mapping[str, float]
    swap: tuple[tuple[int, int], tuple[int, int]] | None = None
    is_denied: bool = False


def edits(claim: Line, sentence: Line, sense: WordSense) -> Edits:
    """Compare a claim with one sentence word by word."""
    blocks = SequenceMatcher(None, sentence.stems, claim.stems, autojunk=False).get_opcodes()
    order = sum(last - first for kind, _, _, first, last in blocks if kind == "equal") / max(1, len(claim.stems))
    follows = order >= _FOLLOWS
    differing = [block for block in blocks if block[0] != "equal"]
    found = [_edit(claim, sentence, block) for block in differing] if follows else []
    changed = [edit for edit in found if edit.here]
    swaps = [edit for edit in changed if edit.is_swap]
    others = sum(bool(edit.here or edit.there) for edit in found) - len(swaps)
    denied = follows and len(differing) == 1 and _is_negation(claim, sentence, differing[0])
    swap = (differing[0][3:], differing[0][1:3]) if len(differing) == len(swaps) == 1 else None
    features = {
        "in order": order,
        "edits": float(len(changed)),
        "edit letters": float(sum(len(word) for edit in changed for word in edit.here)),
        "edit unlike": max((_unlike(edit.here, edit.there, sense) for edit in changed), default=0.0),
        "swaps": float(len(swaps)),
        "swap unlike": max((_unlike(edit.here, edit.there, sense) for edit in swaps), default=0.0),
        "swapped names": float(sum(edit.are_names for edit in swaps)),
        "swapped beside number": float(sum(edit.counts_things for edit in swaps)),
        "only swapped": float(bool(swaps) and not others),
        "edits but swaps": float(others),
        "one swapped": float(swap is not None),
        "only negated": float(denied),
    }
    return Edits(features, swap, denied)


def _is_negation(claim: Line, sentence: Line, block: tuple[str, int, int, int, int]) -> bool:
    """Say whether few words differ, of which one side's negate."""
    _, a, b, c, d = block
    here, there = (any(at in line.negations for at in range(*run)) for line, run in ((claim, (c, d)), (sentence, (a, b))))
    return here != there and max(b - a, d - c) <= _NEGATION


def _edit(claim: Line, sentence: Line, block: tuple[str, int, int, int, int]) -> _Edit:
    _, a, b, c, d = block
    return _Edit(
        _counting(sentence, a, b),
        _counting(claim, c, d),
        any(claim.names[c:d]) and any(sentence.names[a:b]),
        any(map(str.isdigit, "".join((*sentence.texts[max(0, a - 1) : a], *sentence.texts[b : b + 1])))),
    )


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
