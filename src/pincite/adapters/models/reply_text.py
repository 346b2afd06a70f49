"""Text of a provider made fit to be shown. Pure."""

import re

MIN_SECRET_CHARACTERS = 16
"""A shorter key is a placeholder such as `ollama`, and a word that an answer may hold."""

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


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
