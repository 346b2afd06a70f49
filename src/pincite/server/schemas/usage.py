"""What was used, as it is sent."""

from collections.abc import Sequence

from pydantic import BaseModel

from pincite.core.usage import UsageKind, UsageSum


class UsageRow(BaseModel):
    """The sums of one kind and model: how often, tokens, and credits, which are below 0 for what was used."""

    kind: UsageKind
    model: str
    rows: int
    credits: int
    input_tokens: int
    output_tokens: int


class UsageRows(BaseModel):
    """What was used of models, and the sum of the credits."""

    balance: int
    usage: list[UsageRow]


def usage_rows(sums: Sequence[UsageSum]) -> UsageRows:
    """Return sums as they are sent."""
    rows = [
        UsageRow(
            kind=each.kind,
            model=each.model,
            rows=each.rows,
            credits=each.credits,
            input_tokens=each.input_tokens,
            output_tokens=each.output_tokens,
        )
        for each in sums
    ]
    return UsageRows(balance=sum(each.credits for each in sums), usage=rows)
