"""Words that open a sentence whose subject is named elsewhere: in another sentence, or by who speaks."""

from collections.abc import Mapping
from functools import cache

_POINTERS: Mapping[str, str] = {
    "ar": "هو هي هم هذا هذه ذلك تلك",
    "de": "er sie es dies diese dieser dieses dort",
    "el": "αυτός αυτή αυτό αυτοί αυτές αυτά",
    "en": "it its he his she her they their this that these those here there",
    "es": "él ella ellos ellas esto esta este",
    "fr": "il elle ils elles ce cette ces",
    "hi": "यह वह वे ये",
    "it": "lui lei essi esso questo questa",
    "nl": "hij zij het dit deze dat",
    "pt": "ele ela eles elas isto esta este",
    "ro": "el ea ei ele acesta aceasta",
    "ru": "он она оно они это этот эта",
    "th": "มัน เขา เธอ",
    "tr": "bu şu onlar",
    "vi": "nó họ",
    "zh": "他 她 它 这 其 该",
}
_SPEAKERS: Mapping[str, str] = {
    "de": "wir unser unsere ich sie ihr",
    "en": "we our us you your i my",
    "es": "nosotros nuestro nuestra usted",
    "fr": "nous notre nos vous votre",
    "it": "noi nostro nostra",
    "nl": "wij we ons onze u",
    "pt": "nós nosso nossa",
    "ru": "мы наш наша вы",
}


@cache
def pointers(lang: str) -> frozenset[str]:
    """Return a language's pronouns for what was named before; none for a language without a list."""
    return frozenset(_POINTERS.get(lang, "").split())


@cache
def speakers(lang: str) -> frozenset[str]:
    """Return a language's pronouns for who speaks and who is spoken to."""
    return frozenset(_SPEAKERS.get(lang, "").split())
