"""Price books: one credit is an input token of the baseline, and whatever else is derived from what providers ask for."""

from pathlib import Path

import pytest

from pincite.billing.pricing import BASELINE, Rate, load_prices
from pincite.core.errors import ConfigurationError

BOOK = """
pricing_version = "3"
baseline = "base"
[models.base]
input = 0.15
output = 0.6
[models.large]
input = 0.1
[models.own]
input = 0
"""


@pytest.fixture
def book(tmp_path: Path) -> Path:
    path = tmp_path / "prices.toml"
    path.write_text(BOOK)
    return path


def test_rates_are_prices_over_that_of_the_baseline(book: Path) -> None:
    prices = load_prices(book)
    assert prices.version == "3"
    assert prices.rate_of("base") == Rate(1_000_000, 4_000_000)
    assert prices.rate_of("large") == Rate(666_667, 0)
    assert prices.rate_of("own") == Rate(0, 0)


def test_a_model_without_a_price_costs_what_the_baseline_does_and_words_alone_nothing(book: Path) -> None:
    assert load_prices(book).rate_of("unheard-of") == BASELINE == Rate(1_000_000, 1_000_000)
    assert load_prices(book).rate_of("") == Rate(0, 0)


@pytest.mark.parametrize(
    ("tokens", "credits"), [((0, 0), 0), ((1, 0), 1), ((2, 0), 1), ((3, 0), 2), ((1, 1), 5), ((10**12, 0), 5 * 10**11)]
)
def test_a_credit_that_is_begun_counts_whole(tokens: tuple[int, int], credits: int) -> None:
    assert Rate(500_000, 4_000_000).credits(*tokens) == credits


def test_the_book_that_comes_with_pincite_names_what_runs_here_as_free() -> None:
    prices = load_prices()
    assert prices.version
    assert prices.rate_of("intfloat/multilingual-e5-small") == prices.rate_of("extractive") == Rate(0, 0)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "not toml",
        BOOK.replace('"3"', "3"),
        BOOK.replace('"3"', '""'),
        BOOK.replace('baseline = "base"', 'baseline = "none"'),
        BOOK.replace("0.15", "0"),
        BOOK.replace("0.15", "-1"),
        BOOK.replace("0.6", '"0.6"'),
        BOOK.replace("0.6", "nan"),
        BOOK.replace("0.6", "inf"),
        BOOK.replace("0.6", "true"),
        BOOK.replace("[models.own]\ninput = 0", "[models.own]"),
        'pricing_version = "1"\nbaseline = "a"\nmodels = [1]',
        'pricing_version = "1"\nbaseline = "a"\nmodels.a = 1',
        'pricing_version = "1"\nbaseline = ["a"]\nmodels.a = 1',
    ],
)
def test_what_is_no_price_book_is_named_with_what_one_holds(book: Path, text: str) -> None:
    book.write_text(text)
    with pytest.raises(ConfigurationError, match=r"prices\.toml.*pricing_version"):
        load_prices(book)


def test_a_price_book_that_is_not_there_or_is_binary_is_named(book: Path, tmp_path: Path) -> None:
    for path in (tmp_path / "none.toml", tmp_path):
        with pytest.raises(ConfigurationError, match="PINCITE_PRICING"):
            load_prices(path)
    book.write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigurationError, match="no price book"):
        load_prices(book)
