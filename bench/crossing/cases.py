"""Forty documents: header, footer, footnote and hyphen between the halves of a sentence in all combinations, all else at random."""

from collections.abc import Iterator
from dataclasses import replace
from random import Random

from crossing.design import BATES, HEADS, HYPHENS, NOTES, NUMBERS, Design, draw_design
from crossing.made import Made, make_of

CASES = 40
_FIRST_SEED = 4000


def forty_designs() -> Iterator[Design]:
    """Yield the designs, the same for ever."""
    for number in range(CASES):
        design = draw_design(_FIRST_SEED + number)
        random = Random(number)
        has_head, has_foot, has_note, has_hyphen = (bool(number >> bit & 1) for bit in range(4))
        yield replace(
            design,
            head=_some(random, HEADS, design.head) if has_head else "none",
            foot=design.foot if has_foot else "none",
            number=_some(random, NUMBERS, design.number) if has_foot else "none",
            bates=random.choice(BATES) if has_foot else "none",
            note=_some(random, NOTES, design.note) if has_note else "none",
            hyphen=_some(random, HYPHENS, design.hyphen) if has_hyphen else "none",
        )


def _some(random: Random, choices: tuple[str, ...], drawn: str) -> str:
    """Return what was drawn, or another choice where nothing was."""
    return drawn if drawn != "none" else random.choice([choice for choice in choices if choice != "none"])


def forty() -> Iterator[Made]:
    """Yield the documents."""
    return map(make_of, forty_designs())
