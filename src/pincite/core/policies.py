"""What a collection has done with claims that its sources don't bear out."""

from collections.abc import Iterable
from enum import StrEnum


class Policy(StrEnum):
    """`flag` marks them, `strict` withholds them, `off` judges no claim."""

    FLAG = "flag"
    STRICT = "strict"
    OFF = "off"


WITHHELD = "[withheld: not supported]"
"""What stands in place of claims that were withheld, in answers of any language."""

_STRICTEST = (Policy.STRICT, Policy.FLAG, Policy.OFF)


def strictest(policies: Iterable[Policy]) -> Policy:
    """Return the strictest of several policies; `flag` where there is none."""
    return min(policies, key=_STRICTEST.index, default=Policy.FLAG)
