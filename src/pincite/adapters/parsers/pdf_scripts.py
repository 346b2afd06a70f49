"""Scripts of PDF text: which way it runs, and which are drawn in another order than they are read."""

import re

_RTL_RANGES = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc"
# Indic scripts, Thai, Lao, Tibetan, Burmese, Khmer: vowel signs stand before, over, under and behind their letters.
_STACKED_RANGES = "\u0900-\u0fff\u1000-\u109f\u1780-\u17ff"
# Thai, Lao, Burmese, Khmer, Chinese and Japanese with their punctuation; not Korean.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u312f\u31a0-\u9fff\uf900-\ufaff\uff00-\uff9f\U00020000-\U0003ffff]"
)
_RTL = re.compile(f"[{_RTL_RANGES}]")
_SHAPED = re.compile(f"[{_RTL_RANGES}{_STACKED_RANGES}]")
_LTR = re.compile("[A-Za-z\u00c0-\u02af\u0370-\u052f\u0900-\u0dff\u0e00-\u0eff\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")


def is_mostly_rtl(text: str) -> bool:
    """Whether most letters of a text run from right to left."""
    rtl = len(_RTL.findall(text))
    return rtl > 0 and rtl > len(_LTR.findall(text))


def has_rtl(text: str) -> bool:
    """Whether any letter of a text runs from right to left."""
    return _RTL.search(text) is not None


def is_shaped(text: str) -> bool:
    """Whether a text has letters of a script whose glyphs don't stand for one letter each, in the order of reading."""
    return _SHAPED.search(text) is not None


def has_no_blanks(character: str) -> bool:
    """Whether a character is of a script that puts no blanks between words."""
    return _UNSPACED.match(character) is not None
