"""What a claim is made of, whatever its sources say: words, letters, questions, its language. Pure."""

import re
from collections.abc import Mapping, Sequence

from pincite.answering.alignment import Word
from pincite.language.number_words import UNSPACED

_LABEL = re.compile(r"\[\d+(?:\s*[,-]\s*\d+)*\]")
_RUN = 5
_ASKS = re.compile("[?？؟]")


def without_labels(claim: str) -> str:
    """Return a claim with blanks in place of citation labels, which judged sets hold: `[3]` is no number that a source gives.

    Every other character keeps its place.
    """
    return _LABEL.sub(lambda label: " " * len(label[0]), claim)


def makeup(claim: str, lang: str, every: Sequence[Word], content: Sequence[Word]) -> Mapping[str, float]:
    """Return what a claim is made of; `content` are the words that count.

    Languages differ in how much of a claim is found again in what it rests on.
    """
    return {
        "asks": float(len(_ASKS.findall(claim))),
        "content share": len(content) / len(every),
        "content letters": sum(len(word.text) for word in content) / len(content),
        "in English": float(lang == "en"),
        "without blanks": float(lang in UNSPACED),
    }


def letters_held(claim: Sequence[str], sentence: Sequence[str]) -> float:
    """Return the share of a claim's runs of five characters that a sentence holds; both come as words."""
    mine, theirs = _runs(claim), _runs(sentence)
    return len(mine & theirs) / max(1, len(mine))


def _runs(found: Sequence[str]) -> set[str]:
    text = " ".join(found)
    return {text[at : at + _RUN] for at in range(len(text) - _RUN + 1)}
