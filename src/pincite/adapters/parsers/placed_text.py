"""Text taken from the parts of an office file, each character with its number in the order in which the reader takes them.

Office files have no line of characters that places could count in: text is spread over elements and parts. So the reader counts
what it takes. Reading the same part again gives the same numbers.
"""

import re
from collections.abc import Iterator

from pincite.adapters.parsers.tables import BLANK, Piece

_BLANKS = re.compile("[ \t\r\n\f\xa0]+")


class Places:
    """Counts characters. `index` is the number of the next."""

    def __init__(self) -> None:
        self.index = 0

    def take(self, text: str) -> Iterator[Piece]:
        """Yield the pieces of a text; blanks at its ends and several in a row are one that collapses with its neighbours."""
        start = self.index
        self.index += len(text)
        at = 0
        for found in _BLANKS.finditer(text):
            is_inside = found.start() and found.end() < len(text)
            if is_inside and len(found.group()) == 1:
                continue
            if found.start() > at:
                yield text[at : found.start()], start + at, found.start() - at
            yield BLANK
            at = found.end()
        if at < len(text):
            yield text[at:], start + at, len(text) - at
