"""The ledger: the only writer of what was used."""

from dataclasses import dataclass
from datetime import UTC, datetime

from pincite.billing.pricing import PriceBook
from pincite.core.ids import UsageId, new_id
from pincite.core.ports.metering import UsageRows
from pincite.core.usage import LedgerRow, Usage


@dataclass(frozen=True, slots=True)
class Ledger:
    """A `Metering` by a price book. The rates of the day stand on each row; another price book changes no row."""

    prices: PriceBook

    async def charge(self, rows: UsageRows, usage: Usage) -> LedgerRow:
        """Post what was used, and return its row; the first one, where it is posted already."""
        rate = self.prices.rate_of(usage.model)
        row = LedgerRow(
            id=UsageId(new_id()),
            kind=usage.kind,
            reference=usage.reference,
            credits=-rate.credits(usage.input_tokens, usage.output_tokens),
            model=usage.model,
            rate=rate.input_micros,
            output_rate=rate.output_micros,
            pricing_version=self.prices.version,
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            created_at=datetime.now(UTC),
            meta=usage.meta,
        )
        return await rows.post(row)
