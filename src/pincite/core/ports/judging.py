"""Judges of claims: models that are asked where the verifier isn't sure."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from pincite.core.answers import Verdict
from pincite.core.messages import ModelUsage


@dataclass(frozen=True, slots=True)
class Ruling:
    """What a judge says of a claim, and what that took.

    `quote` is the run of one of the texts that it rests on, word for word; empty where none is about the claim. The verdict is
    `not_checked` where the model gave none that can be read.
    """

    verdict: Verdict
    quote: str = ""
    usage: ModelUsage = field(default_factory=ModelUsage)


class Judge(Protocol):
    """A model that compares a claim with texts. It changes no verdict by itself: what it says is checked."""

    @property
    def name(self) -> str:
        """Return the model's name, which is shown, logged and charged."""
        ...

    @property
    def version(self) -> str:
        """Return what changes when the same model may judge the same claim otherwise: how it is asked."""
        ...

    async def rule(self, claim: str, texts: Sequence[str], *, question: str = "") -> Ruling:
        """Judge a claim by texts of documents together; `question` is what it answers.

        Raises `UpstreamError`, `ConfigurationError`.
        """
        ...
