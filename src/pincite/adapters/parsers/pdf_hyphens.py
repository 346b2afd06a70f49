"""Hyphens at line ends: whether one belongs to its word, or was put there to cut it.

The document's own words decide first. Without their evidence the form of the two halves does: figures, capitals, a chain of
hyphens, and the elements that English and French compounds are made of.
"""

import re
from collections.abc import Sequence

from pincite.adapters.parsers.pdf_lines import PageLines

_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_LAST_WORD = re.compile(r"\w+(?:-\w+)*$")
_FIRST_WORD = re.compile(r"\w+(?:-\w+)*")
# "short- and long-term", "Vor- und Nachteile": the hyphen stands for the rest of a word.
_SUSPENDED = re.compile(r"(?:and|or|to|und|oder|bzw|sowie|bis|et|ou|y|o|e|en|of)(?!\w|-)")


def _words(text: str) -> set[str]:
    return set(text.split())


_UNITS = _words("one two three four five six seven eight nine first second third fourth fifth sixth seventh eighth ninth")
_TENS = _words("twenty thirty forty fifty sixty seventy eighty ninety")
_HEADS = _words(
    "one two three four five six seven eight nine ten twelve twenty thirty forty fifty sixty seventy eighty ninety hundred "
    "first second third all best broad close cross deep double early far fast free full fully good half hard heavy high "
    "large late left light little long low many medium multi narrow near new newly old open part poorly quick real right "
    "shallow short single slow small so soft thin top triple widely world"
)
_TAILS = _words(
    "aged based bit called class cost course date day degree dimensional dollar established fashioned fetched figure "
    "forward free frequency going grade grained growing handed hearted hour income intensity interest lasting length level "
    "lived looking lying mile minded minute month needed old order page paid part party pass performance point pressure "
    "price priced profile quality quarter quarters range ranging ranking rate reaching resolution rise risk running scale "
    "sided size sized sounding speed stage standing step style temperature term thirds tier time value volume wave week "
    "year"
)
# These make a compound with whatever word stands before them; behind a syllable that is no word they are the rest of one.
_STRONG_TAILS = _words(
    "absorbing based bearing breaking called centred centered conscious controlled dependent driven effective efficient "
    "facing fashioned feeding free friendly funded growing intensive led made making minded oriented owned powered "
    "producing prone related resistant rich saving sized specific standing taught winning"
)
_STRONG_HEADS = {"well", "self", "quasi", "ill"}
# "state-of-the-art"
_LINKS = _words("of the to in and by up on off at for à de la und")
_SYLLABLES = _words(
    "a ab ac ad af al am an anti ar as at be bi co col com con cor counter de dis down e em en ex extra fore hyper im in "
    "inter intra ir mal micro mini mis multi non not notwith out over para per post pre pro re semi sub super sur trans "
    "ultra un under up where with"
)
_ENDINGS = _words("able ed er ers es est ful hood ible ing ings ish less ly ment ments ness ship tion ward wards")
_FRENCH_TAILS = {"être", "même", "mêmes", "là", "ci", "dessus", "dessous", "vingt", "moi", "toi", "elle", "elles"}
_LEAST_HEAD, _LEAST_TAIL = 3, 4


class Vocabulary:
    """The words a document uses away from line ends."""

    def __init__(self, pages: Sequence[PageLines]) -> None:
        self._words: set[str] = set()
        for page in pages:
            self._words.update(_WORD.findall("\n".join(line.text for line in page.lines).casefold()))

    def mended(self, before: str, after: str) -> str:
        """Return what stands between the two parts of a word cut by a hyphen: nothing, the hyphen, or hyphen and blank."""
        head, tail = _LAST_WORD.search(before), _FIRST_WORD.match(after)
        if not head or not tail:
            return "-"
        if f"{head.group()}{tail.group()}".casefold() in self._words:
            return ""
        if _SUSPENDED.match(after) and f"{head.group()}-{tail.group()}".casefold() not in self._words:
            return "- "
        return "-" if self._is_compound(head.group(), tail.group()) else ""

    def _is_compound(self, head: str, tail: str) -> bool:
        if f"{head}-{tail}".casefold() in self._words:
            return True
        # Of a chain of hyphens only the parts at the line's end tell whether one more belongs to it.
        is_chain = "-" in head + tail
        head, tail = head.rpartition("-")[2], tail.partition("-")[0]
        if f"{head}{tail}".casefold() in self._words:
            return False
        if is_chain and {head.casefold(), tail.casefold()} & _LINKS:
            return True
        return _has_mark(head, tail) or self._is_made_of_words(head.casefold(), tail.casefold())

    def _is_made_of_words(self, head: str, tail: str) -> bool:
        if head in _SYLLABLES - _STRONG_HEADS or tail in _ENDINGS:
            return False
        if head in _STRONG_HEADS or (head in _TENS and tail in _UNITS) or tail in _FRENCH_TAILS:
            return len(tail) >= _LEAST_TAIL or tail in _UNITS | _FRENCH_TAILS
        is_word = head in self._words or head in _HEADS
        return (head in _HEADS and tail in _TAILS) or (is_word and len(head) >= _LEAST_HEAD and tail in _STRONG_TAILS)


def _has_mark(head: str, tail: str) -> bool:
    """Whether figures, capitals or further hyphens show a compound: "COVID-19", "Anglo-Saxon"."""
    if not (head + tail).isalpha() or len(head) == 1:
        return True
    in_capitals = head.isupper() and tail.isupper() and len(head) > 1
    return tail[0].isupper() and not in_capitals
