"""Words that turn what a sentence says: negations, opposites, and how sure it is."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import cast

from pincite.language.stems import stem_all
from pincite.language.words import words

UNSPACED = frozenset(("zh", "th", "ja"))


@dataclass(frozen=True, slots=True)
class Sign:
    """A word that turns its sentence: the number of the word, what pair of opposites it is of, and its side (1 or -1) of it."""

    at: int
    family: int
    side: int


@dataclass(frozen=True, slots=True)
class Signs:
    """What turns a sentence: its opposites, and which of its words are negations, weak or strong claims."""

    opposites: tuple[Sign, ...] = ()
    negations: tuple[int, ...] = ()
    weak: tuple[int, ...] = ()
    strong: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class _Lists:
    opposites: Mapping[str, tuple[tuple[int, int], ...]]
    negations: frozenset[str]
    weak: frozenset[str]
    strong: frozenset[str]
    neutral: frozenset[str]
    """Phrases in which a negation negates nothing ("not only")."""
    unspaced: re.Pattern[str] | None


def knows(lang: str) -> bool:
    """Whether negations and opposites of a language are known."""
    return lang in _every()


def opposites_of(lang: str) -> Sequence[tuple[Sequence[str], Sequence[str]]]:
    """Return the pairs of opposites of a language as they are written, `_` for a blank."""
    return [(one, other) for one, other in cast(list[tuple[list[str], list[str]]], _every().get(lang, {}).get("opposites", []))]


def signs_of(found: Sequence[str], stems: Sequence[str], lang: str) -> Signs:
    """Return what turns a sentence, given its words in the form of `words` and their stems."""
    lists = _lists(lang)
    if lists is None:
        return Signs()
    if lists.unspaced:
        return _in_runs(found, lists)
    pairs = [(at, pair) for at, token in enumerate(stems) for pair in lists.opposites.get(token, ())]
    negations = [at for at in range(len(found)) if _is_negation(found, at, lists) or _is_contracted(found, at, lang)]
    return Signs(
        tuple(Sign(at, family, side) for at, (family, side) in pairs),
        tuple(negations),
        tuple(at for at, word in enumerate(found) if word in lists.weak),
        tuple(at for at, word in enumerate(found) if word in lists.strong),
    )


def _is_negation(found: Sequence[str], at: int, lists: _Lists) -> bool:
    if found[at] not in lists.negations:
        return False
    around = (found[max(0, at - 1) : at + 1], found[at : at + 2], found[max(0, at - 1) : at + 2])
    return lists.neutral.isdisjoint(" ".join(part) for part in around)


def _is_contracted(found: Sequence[str], at: int, lang: str) -> bool:
    """Whether a word is the `t` of "isn't"."""
    return lang == "en" and found[at] == "t" and at > 0 and found[at - 1].endswith("n")


def _in_runs(found: Sequence[str], lists: _Lists) -> Signs:
    """Look for the words of a language that writes no blanks in the overlapping pairs or triples that it is read in."""
    opposites: list[Sign] = []
    places: dict[str, list[int]] = {"negations": [], "weak": [], "strong": []}
    taken = -1
    pattern = cast(re.Pattern[str], lists.unspaced)
    for at, text in enumerate(_unrolled(found)):
        match = pattern.match(text) if at > taken else None
        if not match:
            continue
        word = match.group()
        taken = at + len(word) - 1
        opposites += [Sign(at, family, side) for family, side in lists.opposites.get(word, ())]
        for name, members in (("negations", lists.negations), ("weak", lists.weak), ("strong", lists.strong)):
            if word in members:
                places[name].append(at)
    return Signs(tuple(opposites), tuple(places["negations"]), tuple(places["weak"]), tuple(places["strong"]))


_LOOK = 12
"""No word of the lists is longer."""


def _unrolled(found: Sequence[str]) -> Iterator[str]:
    """Yield for every pair or triple the text that begins there."""
    for at, gram in enumerate(found):
        text = gram
        for after in found[at + 1 : at + _LOOK]:
            if len(after) != len(gram) or after[:-1] != text[len(text) - len(after) + 1 :]:
                break
            text += after[-1]
        yield text


@cache
def _lists(lang: str) -> _Lists | None:
    entry = _every().get(lang)
    if entry is None:
        return None
    pairs: dict[str, list[tuple[int, int]]] = {}
    for family, (one, other) in enumerate(opposites_of(lang)):
        ones, others = _tokens(one, lang), _tokens(other, lang)
        for token in ones - others:
            pairs.setdefault(token, []).append((family, 1))
        for token in others - ones:
            pairs.setdefault(token, []).append((family, -1))
    plain = {name: frozenset(_words(cast(list[str], entry[name]), lang)) for name in ("negations", "weak", "strong")}
    phrases = cast(list[str], entry["neutral"])
    neutral = frozenset(phrases if lang in UNSPACED else (" ".join(words(phrase)) for phrase in phrases))
    every = {*pairs, *plain["negations"], *plain["weak"], *plain["strong"], *neutral}
    pattern = "|".join(re.escape(word) for word in sorted(every, key=len, reverse=True))
    unspaced = re.compile(pattern) if lang in UNSPACED else None
    opposites = {token: tuple(found) for token, found in pairs.items()}
    return _Lists(opposites, plain["negations"], plain["weak"], plain["strong"], neutral, unspaced)


def _words(written: Iterable[str], lang: str) -> set[str]:
    """Return words in the form in which they are compared; those of more than one word are left out."""
    if lang in UNSPACED:
        return set(written)
    found = [words(word) for word in written]
    return {parts[0] for parts in found if len(parts) == 1}


def _tokens(written: Iterable[str], lang: str) -> set[str]:
    plain = _words(written, lang)
    return plain if lang in UNSPACED else set(stem_all(sorted(plain), lang))


@cache
def _every() -> Mapping[str, Mapping[str, object]]:
    """Read the file of lists, per language."""
    return json.loads(files("pincite.language").joinpath("polarity.json").read_text(encoding="utf-8"))
