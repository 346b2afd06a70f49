"""A `WordSense` that knows no language: words are alike that share letters in a row, and long ones are rare."""

_ROW = 3
_NATS_A_LETTER = 2.0


class LetterWords:
    """Words by their letters alone."""

    def likeness(self, left: str, right: str) -> float:
        """Return the share of triples of letters that two texts have in common."""
        mine, theirs = _triples(left), _triples(right)
        return len(mine & theirs) / len(mine | theirs) if mine | theirs else float(left == right)

    def rarity(self, text: str) -> float:
        """Return a figure that grows with the letters."""
        return _NATS_A_LETTER * len(text)


def _triples(text: str) -> set[str]:
    padded = f" {text} "
    return {padded[at : at + _ROW] for at in range(len(padded) - _ROW + 1)}
