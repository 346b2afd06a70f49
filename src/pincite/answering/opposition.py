"""Where a claim and a sentence about the same say the opposite: negations, opposite words. Pure."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from pincite.language.polarity import Sign, Signs

_AROUND = 4
"""Words this near say what a word is about."""
_WITHIN = 6
"""A negation this near negates a word."""
_LONG = 3
"""Shorter words are about nothing in particular."""


@dataclass(frozen=True, slots=True)
class Turned:
    """A sentence as it is compared: stems, which of them count, and what turns it."""

    stems: Sequence[str]
    content: Collection[str]
    signs: Signs


@dataclass(slots=True)
class Opposition:
    """How a claim stands to sentences: the numbers of its words that they share, oppose or don't speak of."""

    agreed: list[int] = field(default_factory=list[int])
    opposed: list[int] = field(default_factory=list[int])
    untold: list[int] = field(default_factory=list[int])
    negated_here: list[int] = field(default_factory=list[int])
    """Negations of the claim where a sentence says the same without one."""
    negated_there: list[str] = field(default_factory=list[str])
    """Words that a sentence negates and the claim doesn't."""
    negated_both: int = 0


def oppose(claim: Turned, sentences: Sequence[Turned]) -> Opposition:
    """Compare a claim with the sentences that it may rest on."""
    found = Opposition()
    for sign in claim.signs.opposites:
        _place(found, claim, sign, sentences)
    _negations(found, claim, sentences)
    return found


def _place(found: Opposition, claim: Turned, sign: Sign, sentences: Sequence[Turned]) -> None:
    token = claim.stems[sign.at]
    about = _about(claim, sign.at)
    same = other = 0
    for sentence in sentences:
        for theirs in sentence.signs.opposites:
            if theirs.family == sign.family:
                shared = len(about & _near(sentence, theirs.at, _WITHIN))
                same += shared * (theirs.side == sign.side) + (sentence.stems[theirs.at] == token)
                other += shared * (theirs.side != sign.side)
    group = found.agreed if same and same >= other else found.opposed if other else found.untold
    group.append(sign.at)


def _negations(found: Opposition, claim: Turned, sentences: Sequence[Turned]) -> None:
    for at in claim.signs.negations:
        about = _about(claim, at)
        told = [(sentence, about & set(sentence.stems)) for sentence in sentences]
        told = [(sentence, shared) for sentence, shared in told if shared]
        if any(_is_negated(sentence, shared) for sentence, shared in told):
            found.negated_both += 1
        elif told:
            found.negated_here.append(at)
    own = set(claim.stems)
    for sentence in sentences:
        for at in sentence.signs.negations:
            shared = _about(sentence, at) & own
            if shared and not _is_negated(claim, shared):
                found.negated_there.extend(sorted(shared))


def _is_negated(sentence: Turned, tokens: set[str]) -> bool:
    """Whether a negation stands near one of some words."""
    return any(tokens & _near(sentence, at, _WITHIN) for at in sentence.signs.negations) if tokens else False


def _about(sentence: Turned, at: int) -> set[str]:
    return {token for token in _near(sentence, at, _AROUND) if token in sentence.content}


def _near(sentence: Turned, at: int, most: int) -> set[str]:
    """Return the words around one, without it."""
    around = (*sentence.stems[max(0, at - most) : at], *sentence.stems[at + 1 : at + 1 + most])
    return {token for token in around if len(token) >= _LONG or not token.isascii()}
