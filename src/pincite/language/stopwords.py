"""Small lists of function words: no content words, which would be lost from questions."""

from functools import cache
from importlib.resources import files


def stop_words(lang: str) -> frozenset[str]:
    """Return the function words of an ISO 639-1 code in the form of `words`; empty where there is no list."""
    return _lists().get(lang, frozenset())


@cache
def _lists() -> dict[str, frozenset[str]]:
    """Read the file of lists: a line per language, its code first."""
    lines = files("pincite.language").joinpath("function_words.txt").read_text(encoding="utf-8").splitlines()
    return {code: frozenset(found) for code, *found in (line.split() for line in lines)}
