"""Finds the word by which a model says that its sources don't hold the answer. Pure."""

import re

_LABEL = re.compile(r"[\[【]\s*[A-Za-z]{0,6}\s*(?:S?\d+[\s,;]*)*[\]】]?")
"""A label, also one that isn't complete yet: small models put some before the sentinel, and they say nothing by themselves."""


class SentinelFilter:
    """Passes a stream on, but for the sentinel. It holds back only what may be the start of one, and labels that open a reply.

    A reply that opens with the sentinel declines, whatever follows: what a model adds to it is a guess.
    """

    def __init__(self, sentinel: str) -> None:
        self._sentinel = sentinel
        self._held = ""
        self._visible = False
        self._declined = False

    @property
    def declined(self) -> bool:
        """Say whether the model said the sentinel before anything that can be read."""
        return self._declined

    def feed(self, piece: str) -> str:
        """Return what may be shown of the text so far."""
        if self._declined:
            return ""
        if self._visible and not self._held and self._sentinel[0] not in piece:
            return piece
        text = self._held + piece
        before, found, _ = text.partition(self._sentinel)
        if found and not self._visible and not _readable(before):
            self._declined = True
            self._held = ""
            return ""
        text = text.replace(self._sentinel, "")
        keep = self._possible_start(text)
        self._held, text = text[len(text) - keep :], text[: len(text) - keep]
        return self._pass(text)

    def finish(self) -> str:
        """Return what was held back."""
        text, self._held = self._held, ""
        return self._pass(text)

    def _pass(self, text: str) -> str:
        """Keep blanks, punctuation and labels around a sentinel from counting as an answer."""
        if not self._visible and not _readable(text):
            self._held = text + self._held
            return ""
        self._visible = True
        return text

    def _possible_start(self, text: str) -> int:
        longest = min(len(text), len(self._sentinel) - 1)
        return next((size for size in range(longest, 0, -1) if self._sentinel.startswith(text[-size:])), 0)


def _readable(text: str) -> bool:
    return any(char.isalnum() for char in _LABEL.sub("", text))
