"""A judge that says what it is told to, for tests and examples."""

from collections.abc import Mapping, Sequence

from pincite.core.answers import Verdict
from pincite.core.errors import PinciteError
from pincite.core.ports.judging import Ruling


class ScriptedJudge:
    """Implements `Judge`: it says of each claim what `rulings` say, of others `not_found`, or raises `error` for all.

    `asked` holds the claims that were put to it with the texts, in order.
    """

    def __init__(
        self,
        rulings: Mapping[str, Ruling] | None = None,
        *,
        error: PinciteError | None = None,
        name: str = "scripted",
        version: str = "scripted/1",
    ) -> None:
        self.name = name
        self.version = version
        self.asked: list[tuple[str, tuple[str, ...]]] = []
        self._rulings = rulings or {}
        self._error = error

    async def rule(self, claim: str, texts: Sequence[str], *, question: str = "") -> Ruling:
        """Judge a claim as told; see the port."""
        self.asked.append((claim, tuple(texts)))
        if self._error:
            raise self._error
        return self._rulings.get(claim, Ruling(Verdict.NOT_FOUND))
