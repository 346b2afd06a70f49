"""Text of a provider made fit to be shown. Pure."""

import re

MIN_SECRET_CHARACTERS = 16
"""A shorter key is a placeholder such as `ollama`, and a word that an answer may hold."""

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_THOUGHTS = {"<think>": "</think>", "<thinking>": "</thinking>", "<thought>": "</thought>", "[THINK]": "[/THINK]"}


class Spoken:
    """Leaves out the thought that a model writes before its answer, where a server doesn't part the two.

    Only a reply that opens with such a tag is thought; one that never closes it says nothing.
    """

    def __init__(self) -> None:
        self._held = ""
        self._opened = False
        self._thought = False
        self._close = ""

    def feed(self, piece: str) -> str:
        """Return what is answer in the text so far."""
        if self._opened and not self._close:
            return piece
        self._held += piece
        if not self._opened and not self._open():
            return ""
        if self._close:
            _, closed, rest = self._held.partition(self._close)
            if not closed:
                self._held = self._held[1 - len(self._close) :]
                return ""
            self._held, self._close = rest, ""
            self._opened = False  # perhaps a second thought follows
            return self.feed("")
        text, self._held = self._held, ""
        return text

    def finish(self) -> str:
        """Return what was held back."""
        text, self._held = self._held, ""
        return "" if self._close else text

    def _open(self) -> bool:
        """Decide what the reply opens with, unless more text is needed for that."""
        begin = self._held.lstrip()
        if any(tag.startswith(begin) and tag != begin for tag in _THOUGHTS):
            return False
        tag = next((tag for tag in _THOUGHTS if begin.startswith(tag)), "")
        if tag:
            self._held, self._close, self._thought = begin[len(tag) :], _THOUGHTS[tag], True
        elif self._thought:
            self._held = begin
        self._opened = True
        return True


class ReplyText:
    """Drops U+0000, joins surrogates that were cut apart, and blacks out a secret, in a text that comes in pieces.

    It holds back only what may be the start of the secret or half a character.
    """

    def __init__(self, secret: str = "") -> None:
        self._secret = secret if len(secret) >= MIN_SECRET_CHARACTERS else ""
        self._held = ""

    def feed(self, piece: str) -> str:
        """Return what may be shown now."""
        text = (self._held + piece).replace("\0", "")
        keep = 1 if text and "\ud800" <= text[-1] <= "\udbff" else self._started_secret(text)
        self._held = text[len(text) - keep :]
        return self._clean(text[: len(text) - keep])

    def finish(self) -> str:
        """Return what was held back."""
        text, self._held = self._held, ""
        return self._clean(text)

    def _clean(self, text: str) -> str:
        if self._secret:
            text = text.replace(self._secret, "[redacted]")
        if _LONE_SURROGATE.search(text):
            text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return text

    def _started_secret(self, text: str) -> int:
        longest = min(len(text), len(self._secret) - 1)
        return next((size for size in range(longest, 0, -1) if self._secret.startswith(text[-size:])), 0)
