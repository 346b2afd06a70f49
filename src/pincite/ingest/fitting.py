"""Texts that a model wrote, cut to what an embedding model reads. Pure."""

from collections.abc import Callable, Sequence


def fitted(text: str, budget_tokens: int, count_tokens: Callable[[Sequence[str]], list[int]]) -> tuple[str, int]:
    """Return as much of a text as has so many tokens, and how many it has."""
    tokens = count_tokens([text])[0]
    while tokens > budget_tokens and len(text) > 1:
        text = text[: max(1, len(text) * budget_tokens // tokens * 9 // 10)].rstrip() or text[:1]
        tokens = count_tokens([text])[0]
    return text, tokens
