"""Claims that speak of tables and forms: a value counts under the labels that it stands at."""

import time

import pytest

from pincite.adapters.models.e5_words import LazyWords
from pincite.answering.alignment import Side
from pincite.answering.verify import Judgement, Verifier
from pincite.core.answers import Verdict

ORDER = """Booking order

| Order No: | 2024-12-5678 | Cinema: | Downtown Multiplex |
| Booking Dates: | 12/20/2024 - 12/31/2024 | Primary Contact: | Sarah Johnson |

Agency: Premier Entertainment Group

Commission: 10%

| Month | Shows | Gross Amount | Net Amount |
| December 2024 | 48 | $12,500.00 | $11,250.00 |"""
INCOME = """|  | Year ended December 31, |  | Change |
| (in thousands of dollars) | 2019 | 2018 | 2019 vs. 2018 |
| Revenue: |  |  |  |
| Licences | 7,185 | 6,020 | 19.4% |
| Services, net | 8,015 | 4,534 | 76.8% |
| Interest expense | (1,639) | (727) | 125.4% |"""
PEOPLE = """| Index | Customer Id | First Name | Last Name | Company | City | Phone |
| 1 | DD37Cf93aecA6Dc | Sheryl | Baxter | Rasmussen Group | East Leonard | 229.077.5154 |
| 2 | 1Ef7b82A4CAAD10 | Preston | Lozano | Vega-Gentry | East Jimmychester | 5153435776 |
| 3 | 6F94879bDAfE5a6 | Roy | Berry | Murillo-Perry | Isabelborough | 539-402-0259 |"""
REFUSED = {Verdict.CONTRADICTED, Verdict.NOT_FOUND}


@pytest.fixture(scope="module")
def verifier(tmp_path_factory: pytest.TempPathFactory) -> Verifier:
    return Verifier(LazyWords(tmp_path_factory.mktemp("words")))


def judged(verifier: Verifier, claim: str, source: str, lang: str = "en") -> Judgement:
    return verifier.check(claim, [Side(source, lang)], "en")


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        (ORDER, "The gross amount of the booking is $12,500.00."),
        (ORDER, "The commission is 10 percent."),
        (ORDER, "The primary contact is Sarah Johnson."),
        (ORDER, "48 shows were booked for December 2024."),
        (INCOME, "In 2019, interest expense amounted to 1,639."),
        (INCOME, "Services were 4,534 in 2018."),
        (INCOME, "The company reported licences of 7,185 for 2019."),
        (PEOPLE, "The company of Preston Lozano is Vega-Gentry."),
        (PEOPLE, "The customer ID of Sheryl Baxter is DD37Cf93aecA6Dc."),
    ],
)
@pytest.mark.parametrize("lang", ["en", ""])
def test_a_value_under_the_labels_of_a_claim_supports_it(verifier: Verifier, source: str, claim: str, lang: str) -> None:
    found = judged(verifier, claim, source, lang)
    assert found.verdict in {Verdict.SUPPORTED, Verdict.PARTLY}, found


@pytest.mark.parametrize(
    ("source", "claim", "there"),
    [
        (ORDER, "The net amount of the booking is $12,500.00.", "$11,250.00"),
        (ORDER, "The commission is 15 percent.", "10%"),
        (ORDER, "The primary contact is Mike Chen.", "Sarah Johnson"),
        (ORDER, "3 shows were booked for December 2024.", "48"),
        (INCOME, "In 2018, interest expense amounted to 1,639.", "(727)"),
        (INCOME, "Services were 4,534 in 2019.", "8,015"),
        (INCOME, "The company reported licences of 8,015 for 2019.", "7,185"),
    ],
)
@pytest.mark.parametrize("lang", ["en", ""])
def test_a_value_of_other_labels_does_not_and_the_right_one_is_told(
    verifier: Verifier, source: str, claim: str, there: str, lang: str
) -> None:
    found = judged(verifier, claim, source, lang)
    assert found.verdict in REFUSED, found
    assert there in found.reason


@pytest.mark.parametrize(
    "claim", ["The company of Preston Lozano is Rasmussen Group.", "The customer ID of Sheryl Baxter is 1Ef7b82A4CAAD10."]
)
def test_a_value_of_another_row_does_not_whatever_column_names_the_row(verifier: Verifier, claim: str) -> None:
    assert judged(verifier, claim, PEOPLE).verdict not in {Verdict.SUPPORTED, Verdict.NOT_CHECKED}


@pytest.mark.parametrize(
    ("row", "label", "head"),
    [
        ("7,185", "licenc", "2019"),
        ("4,534", "servic", "2018"),
        ("125.4%", "expens", "vs"),
    ],
)
def test_a_value_stands_under_all_rows_of_the_head(row: str, label: str, head: str) -> None:
    [cell] = [cell for cell in Side(INCOME, "en").cells if INCOME[cell.start : cell.end] == row]
    assert label in cell.label
    assert head in cell.head
    assert sum(cell.label.values()) == pytest.approx(1)
    assert sum(cell.head.values()) == pytest.approx(1)


def test_prose_with_a_colon_is_no_form() -> None:
    text = "Note: the tenant pays.\n\nThe parties to this agreement, as they are named above and below, say: nothing."
    assert [text[cell.start : cell.end] for cell in Side(text, "en").cells] == ["the tenant pays."]


def test_a_claim_about_prose_beside_a_table_is_not_held_against_the_table(verifier: Verifier) -> None:
    text = f"{INCOME}\n\nInterest expense rose because the company borrowed 20 million dollars from its bank in May."
    claim = "Interest expense rose since the company borrowed 20 million dollars from its bank in May."
    assert judged(verifier, claim, text).verdict in {Verdict.SUPPORTED, Verdict.PARTLY}


def test_rows_without_end_are_looked_at_up_to_a_bound() -> None:
    text = "\n".join(f"| row {at} | {at} | {at + 1} |" for at in range(5_000))
    assert len(Side(text, "en").cells) == 400


MILLIONS = """| (in millions, except per share) | 2023 | 2022 |
| Revenue | 1,250 | 1,100 |
| Gross profit | 550 | 450 |
| Earnings per share | $1.25 | $0.90 |"""
SEGMENTS = """| Segment | 2023 | 2022 |
| Europe |  |  |
| Revenue | 100 | 90 |
| Asia |  |  |
| Revenue | 300 | 290 |
| Total revenue | 400 | 380 |"""
COMPANIES = """Acme Corp

| | 2023 | 2022 |
| Revenue | 100 | 90 |

Globex Inc

| | 2023 | 2022 |
| Revenue | 500 | 470 |"""
TWO_TABLES = """| Item | Price |
| Apple | 3.50 |
| Pear | 4.20 |

| City | Population |
| Bern | 134,591 |
| Basel | 173,232 |"""
GLUED = "|| 2019 | 2018 |\n|Rent|5,000|4,000|\n|Fuel|700|650|"


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        (MILLIONS, "Revenue was 1,250 million in 2023."),
        (MILLIONS, "Revenue was $1.25 billion in 2023."),
        (MILLIONS.replace("(in millions, except per share)", ""), "Revenue was 1,250 in 2023."),
        ("Figures are in millions of euros.\n\n" + MILLIONS, "Revenue was 1,250 million euros in 2023."),
        (MILLIONS, "Revenue was 1,250 in 2023 and 1,100 in 2022."),
        (MILLIONS, "In 2023, revenue rose from 1,100 in 2022 to 1,250."),
        (SEGMENTS, "Revenue in Asia was 300 in 2023."),
        (COMPANIES, "Globex Inc had revenue of 500 in 2023."),
        (TWO_TABLES, "The population of Bern is 134,591."),
        (GLUED, "Rent was 5,000 in 2019."),
    ],
)
def test_what_a_table_counts_in_and_what_stands_over_it_are_read_with_it(verifier: Verifier, source: str, claim: str) -> None:
    assert judged(verifier, claim, source).verdict in {Verdict.SUPPORTED, Verdict.PARTLY}


@pytest.mark.parametrize(
    ("source", "claim", "there"),
    [
        (MILLIONS, "Revenue was 1,250 billion in 2023.", "1,250"),
        (MILLIONS, "Revenue was 1,100 in 2023 and 1,250 in 2022.", "1,250"),
        (MILLIONS, "Revenue rose from 1,250 in 2022 to 1,100 in 2023.", "1,100"),
        (SEGMENTS, "Revenue in Asia was 100 in 2023.", "300"),
        (SEGMENTS, "Total revenue was 300 in 2023.", "400"),
        (COMPANIES, "Globex Inc had revenue of 100 in 2023.", "500"),
        (GLUED, "Rent was 4,000 in 2019.", "5,000"),
    ],
)
def test_a_value_of_other_labels_that_look_alike_doesnt_support(verifier: Verifier, source: str, claim: str, there: str) -> None:
    found = judged(verifier, claim, source)
    assert found.verdict in REFUSED
    assert there in found.reason


def test_a_reason_tells_no_value_where_the_claim_gives_none_and_no_label_for_a_value(verifier: Verifier) -> None:
    for claim, source in [
        ("Revenue in 2023 was higher than in 2022.", MILLIONS),
        ("The population of Bern is 173,232.", TWO_TABLES),
        ("It was paid.", "| Paid | yes |\n| Approved | no |"),
    ]:
        reason = judged(verifier, claim, source).reason
        assert not any(there in reason for there in ("1,250", "City", "Approved")), reason


@pytest.mark.parametrize(
    "text",
    [
        "| " + " | ".join(f"w{at}" for at in range(4_000)) + " |",
        "\n".join("| " + " | ".join(f"c{column}r{row}" for column in range(300)) + " |" for row in range(100)),
        "| x | 1" + " " * 20_000 + "xyzw |\n| y | 2 |",
        "| x | 2019" + "." * 20_000 + "1 1 |\n| y | 2019 |\n| z | 1 |",
    ],
)
def test_wide_tables_and_long_cells_take_no_time(text: str) -> None:
    start = time.process_time()
    assert len(Side(text, "en").cells) <= 400
    assert time.process_time() - start < 2


def test_yes_and_no_are_stated_by_claims_that_dont_negate_and_do(verifier: Verifier) -> None:
    features = "| Feature | Supported |\n| OCR | yes |\n| SSO | no |\n| Audit log | yes |"
    for claim in ("OCR is supported.", "SSO is not supported.", "The audit log is supported."):
        assert judged(verifier, claim, features).verdict in {Verdict.SUPPORTED, Verdict.PARTLY}
    found = judged(verifier, "SSO is supported.", features)
    assert found.verdict in REFUSED
    assert "says no there" in found.reason
    assert judged(verifier, "OCR is not supported.", features).verdict in REFUSED


def test_a_short_row_stands_there_word_for_word(verifier: Verifier) -> None:
    table = "| Team | Location | Stanley Cups |\n| Blues | STL | 1 |\n| Flyers | PHI | 2 |"
    assert judged(verifier, "Blues | STL | 1", table, "").support == 1
    assert judged(verifier, "Blues | STL | 2", table, "").verdict is not Verdict.SUPPORTED
