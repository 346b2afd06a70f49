"""Telling what can be read as an answer from what is left of a page's furniture, and a question from a stray mark. Pure."""

import re

from pincite.answering.rows import cells
from pincite.answering.segments import Segment, SegmentKind

LEAST_WORDS = 3
LEAST_UNSPACED_CHARACTERS = 4
LEAST_SHOUTED_WORDS = 5
"""A line in capitals alone says something from here on: notices in contracts are printed so."""
MOST_UNIT_WORDS = 2
"""Words that may stand beside the number in a cell that gives a value."""

_WORD = re.compile(r"[^\W_]+(?:['’.,:/-][^\W_]+)*")
# Scripts written without blanks between words: Thai, Lao, Myanmar, Khmer, Kana, Han.
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_HANGUL = re.compile(r"[\uac00-\ud7af]")
_KEYED = re.compile(r"[^\W\d_][^\d:：\n]{0,60}[:：]\s*[^\W_]")
_ASKED = re.compile(r"[^\W\d_][\u0300-\u036f\u0590-\u07ff\u0900-\u0dff]*[^\W\d_]|\d{3}")


def is_asked(question: str) -> bool:
    """Say whether a question holds a word: two letters, one of Han, Kana or Hangul, or a number of three digits."""
    return bool(_ASKED.search(question) or _UNSPACED.search(question) or _HANGUL.search(question))


def is_fragment(segment: Segment) -> bool:
    """Say whether a segment says nothing by itself: under three words, numbering, navigation, names without a word between.

    "Capital: Paris" does say something.
    """
    text = segment.text
    if _UNSPACED.search(text):
        return sum(char.isalnum() for char in text) < LEAST_UNSPACED_CHARACTERS
    if _KEYED.match(text):
        return False
    words = _WORD.findall(text)
    if len(words) < LEAST_WORDS or not any(char.isalpha() for char in text):
        return not (segment.kind is SegmentKind.ROW and len(words) >= LEAST_WORDS)
    return not _has_running_word(text, words) and not (segment.kind is SegmentKind.ROW and any(map(_holds_value, cells(segment))))


def _has_running_word(text: str, words: list[str]) -> bool:
    """Say whether some word is no name: it begins small, or its script or its print has no capitals."""
    if any(word[0].isalpha() and not word[0].isupper() for word in words):
        return True
    return text.upper() == text and sum(word[0].isalpha() for word in words) >= LEAST_SHOUTED_WORDS


def _holds_value(cell: str) -> bool:
    """Say whether a cell is about its number: "€ 4.2 million", "District 102", but not "Chapter 20. Server Configuration"."""
    words = _WORD.findall(cell)
    return (
        any(char.isdigit() for char in cell) and sum(not any(char.isdigit() for char in word) for word in words) <= MOST_UNIT_WORDS
    )
