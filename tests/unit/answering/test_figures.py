"""What a claim says in figures that its sources don't."""

import pytest

from pincite.answering.figures import lacking, listed, together
from pincite.language.quantities import figures_of

SOURCE = "The lease began on 12 March 2015 and costs $1,200 a month; 25% of it, for three rooms of 40 km away, about 1500 people."


@pytest.mark.parametrize(
    ("claim", "missing"),
    [
        ("It costs 1200 dollars each month.", []),
        ("It costs USD 1,300 each month.", ["USD 1,300"]),
        ("It began in March 2015.", []),
        ("It began on 12/03/2015.", []),
        ("It began on 13 March 2015.", ["13 March 2015"]),
        ("A quarter, 25 percent, is due.", []),
        ("It is 40,000 metres away with 3 rooms.", []),
        ("It is 40 miles away.", ["40 miles"]),
        ("Some 1,500 came.", []),
        ("Tenants: 7, rooms: four.", ["7", "four"]),
        ("No figures at all.", []),
    ],
)
def test_figures_that_no_source_gives_are_named_as_the_claim_writes_them(claim: str, missing: list[str]) -> None:
    assert lacking(claim, together([figures_of(SOURCE, "en")]), "en") == missing


def test_several_are_listed_in_words() -> None:
    assert listed(["5 km"]) == "5 km"
    assert listed(["5 km", "3", "1998"]) == "5 km, 3 and 1998"
