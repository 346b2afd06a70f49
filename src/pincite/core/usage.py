"""What is used of models, and the ledger in which it is kept."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from pincite.core.ids import UsageId


class UsageKind(StrEnum):
    """What something was used for."""

    EMBEDDING = "embedding"
    CHAT = "chat"
    VISION = "vision"
    SUMMARY = "summary"
    VERDICT = "verdict"


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens that one thing took of a model. `reference` names the thing: (kind, reference) is charged once, ever."""

    kind: UsageKind
    reference: str
    model: str
    input_tokens: int = 0
    output_tokens: int = 0
    meta: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """A row of the ledger. Rows never change; the balance is the sum of their `credits`, which are below 0 for what was used.

    `rate` and `output_rate` are the millionths of a credit that a token of input and of output cost when it was written, by the
    price book of `pricing_version`.
    """

    id: UsageId
    kind: UsageKind
    reference: str
    credits: int
    model: str
    rate: int
    output_rate: int
    pricing_version: str
    input_tokens: int
    output_tokens: int
    created_at: datetime
    meta: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class UsageSum:
    """The sums of a workspace's rows of one kind and model."""

    kind: UsageKind
    model: str
    rows: int
    credits: int
    input_tokens: int
    output_tokens: int
