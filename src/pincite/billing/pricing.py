"""The price book: what a token of a model costs, in credits. One credit is one input token of the baseline model."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from importlib.resources import files
from pathlib import Path
from typing import Any, cast

from pincite.core.errors import ConfigurationError

MICROS = 1_000_000
FORM = (
    'It holds `pricing_version = "…"`, `baseline = "MODEL"` and for each model a table `[models."MODEL"]` with `input` and, unless '
    "it only embeds, `output`: US dollars for a million tokens, 0 or more, and more than 0 for the input of the baseline."
)


@dataclass(frozen=True, slots=True)
class Rate:
    """Millionths of a credit that one token costs."""

    input_micros: int
    output_micros: int

    def credits(self, input_tokens: int, output_tokens: int) -> int:
        """Return the credits of some tokens; what is begun counts whole."""
        return -(-(input_tokens * self.input_micros + output_tokens * self.output_micros) // MICROS)


BASELINE = Rate(MICROS, MICROS)
"""The rate of a model that the book doesn't name: of the baseline's input, in both directions."""


@dataclass(frozen=True, slots=True)
class PriceBook:
    """The rates of one version of a price book, by the names of models."""

    version: str
    rates: Mapping[str, Rate]

    def rate_of(self, model: str) -> Rate:
        """Return the rate of a model. Nothing is charged for words alone, which have no model ("")."""
        return self.rates.get(model, BASELINE) if model else Rate(0, 0)


def load_prices(path: Path | None = None) -> PriceBook:
    """Return the price book of a file, by default the one that comes with Pincite. Raises `ConfigurationError`."""
    name = str(path or "pricing.toml")
    try:
        text = path.read_text("utf-8") if path else (files("pincite.billing") / "pricing.toml").read_text("utf-8")
        return _book(tomllib.loads(text, parse_float=Decimal))
    except OSError as error:
        raise ConfigurationError(f"{name} can't be read ({error.strerror}). Name a price book in PINCITE_PRICING.") from error
    except (ArithmeticError, AttributeError, KeyError, TypeError, ValueError) as error:
        raise ConfigurationError(f"{name} is no price book. {FORM}") from error


def _book(told: Mapping[str, Any]) -> PriceBook:
    version = told["pricing_version"]
    models = cast("Mapping[str, Mapping[str, Any]]", told["models"])
    one = Decimal(models[told["baseline"]]["input"])
    if not isinstance(version, str) or not version or one <= 0:
        raise ValueError("no version, or a baseline without a price")
    rates = {name: Rate(_micros(prices["input"], one), _micros(prices.get("output", 0), one)) for name, prices in models.items()}
    return PriceBook(version, rates)


def _micros(price: object, one: Decimal) -> int:
    if isinstance(price, bool) or not isinstance(price, (int, Decimal)) or not 0 <= price < MICROS:
        raise ValueError("a price is no number")
    return int((price * MICROS / one).to_integral_value())
