"""Finds every occurrence of a text in another, white space and case apart. Pure."""

import re
import unicodedata
from dataclasses import dataclass
from typing import Any

from pincite.core.answers import Span


@dataclass(frozen=True, slots=True)
class Found:
    """One occurrence of a text in a document: offsets in the canonical text, and where it stands in the file."""

    text: str
    start: int
    end: int
    spans: tuple[Span, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the occurrence as the command line prints it."""
        return {"text": self.text, "start": self.start, "end": self.end, "spans": [span.as_dict() for span in self.spans]}


def occurrences(text: str, phrase: str) -> list[tuple[int, int]]:
    """Return the places `[start, end)` of a phrase, rising and apart from each other.

    Runs of white space are equal, and so are upper and lower case. Where that finds nothing, white space between words may be
    missing, and compatibility characters (ligatures, full-width forms) stand for their plain ones.
    """
    words = phrase.split()
    if not words:
        return []
    plain = unicodedata.normalize("NFKC", phrase).split()
    for parts, gap in ((words, r"\s+"), (words, r"\s*"), (plain, r"\s*")):
        pattern = re.compile(gap.join(re.escape(part) for part in parts), re.IGNORECASE)
        places = [match.span() for match in pattern.finditer(text)]
        if places:
            return places
    return []
