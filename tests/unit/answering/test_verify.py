"""Verdicts on claims: what a reader would say of them."""

from pathlib import Path

import pytest

from pincite.adapters.models.e5_words import LazyWords
from pincite.answering.alignment import Side
from pincite.answering.contrast import compare
from pincite.answering.verify import Judgement, Verifier
from pincite.core.answers import Verdict

LEASE = (
    "The Contractor shall complete the works within 60 days of the order. Payment is due thirty days after receipt of the invoice. "
    "The tenant may terminate the lease at any time. Revenue increased by 12% to €4.5 million in 2023. "
    "The board did not approve the merger. Maria Lopez chairs the committee. "
    "All employees must complete the training before 12 March 2024."
)
NOT_SUPPORTED = {Verdict.CONTRADICTED, Verdict.NOT_FOUND}


@pytest.fixture(scope="module")
def verifier(tmp_path_factory: pytest.TempPathFactory) -> Verifier:
    return Verifier(LazyWords(tmp_path_factory.mktemp("words")))


def judged(verifier: Verifier, claim: str, source: str = LEASE, lang: str = "en") -> Judgement:
    return verifier.check(claim, [Side(source, lang)], lang)


def test_what_stands_there_word_for_word_is_supported(verifier: Verifier) -> None:
    found = judged(verifier, "The board did not approve the merger.")
    assert (found.verdict, found.support) == (Verdict.SUPPORTED, 1.0)


@pytest.mark.parametrize(
    "claim",
    [
        "The works must be finished within 60 days of the order.",
        "Payment is due 30 days after receipt of the invoice.",
        "Revenue rose by 12 percent to 4.5 million euros in 2023.",
        "Maria Lopez is the chair of the committee.",
        "All employees have to complete the training before March 12, 2024.",
    ],
)
def test_the_same_in_other_words_is_at_least_partly_supported(verifier: Verifier, claim: str) -> None:
    assert judged(verifier, claim).verdict in (Verdict.SUPPORTED, Verdict.PARTLY)


@pytest.mark.parametrize(
    ("claim", "told"),
    [
        ("Payment is due 45 days after receipt of the invoice.", "It says 45 days where its source says thirty days."),
        (
            "All employees must complete the training before 12 May 2024.",
            "It says 12 May 2024 where its source says 12 March 2024.",
        ),
        ("Revenue decreased by 12% to €4.5 million in 2023.", "It says decreased where its source says increased."),
        ("The tenant cannot terminate the lease.", "Its source says the opposite about cannot."),
    ],
)
def test_a_contradiction_says_what_its_source_says(verifier: Verifier, claim: str, told: str) -> None:
    found = judged(verifier, claim)
    assert (found.verdict, found.reason) == (Verdict.CONTRADICTED, told)
    assert found.support is not None
    assert found.support < 0.5


@pytest.mark.parametrize(
    ("lang", "source", "claim", "told"),
    [
        (
            "en",
            "The Denver Broncos defeated the Carolina Panthers to earn their third title.",
            "The Denver Broncos defeated the Chicago Bears to earn their third title.",
            "It says Chicago Bears where its source says Carolina Panthers.",
        ),
        (
            "en",
            "The basin holds a hundred and twelve gallons of water in spring.",
            "The basin holds a hundred and twelve barrels of water in spring.",
            "It says barrels where its source says gallons.",
        ),
        (
            "zh",
            "1950年，诺布尔任命罗伯特金特纳为美国广播公司总裁，并迁往纽约的新办公室。",
            "1950年，诺布尔任命威斯敏斯特为美国广播公司总裁，并迁往纽约的新办公室。",
            "It says 威斯敏斯特 where its source says 罗伯特金特纳.",
        ),
        (
            "th",
            "เอดิสันและเทสลาก็ร่วมงานกันในนครนิวยอร์ก",
            "เอดิสันและลินคอล์นก็ร่วมงานกันในนครนิวยอร์ก",
            "It says ลินคอล์น where its source says เทสลา.",
        ),
        (
            "ar",
            "يعتبر مطار سان دييغو الدولي المطار الرئيسي في المدينة.",
            "يعتبر مطار لوس أنجلوس الدولي المطار الرئيسي في المدينة.",
            "It says لوس أنجلوس where its source says سان دييغو.",
        ),
    ],
)
def test_one_word_in_place_of_another_in_a_literal_sentence_is_named(
    verifier: Verifier, lang: str, source: str, claim: str, told: str
) -> None:
    found = judged(verifier, claim, source, lang)
    assert found.verdict in NOT_SUPPORTED
    assert told in found.reason


@pytest.mark.parametrize(
    ("lang", "source", "claim"),
    [
        ("en", "Fresno is the largest inland city in California.", "Fresno is not the largest inland city in California."),
        ("en", "These schools are not part of the district.", "These schools are part of the district."),
        ("de", "Die Schulen sind allerdings berufsbildend.", "Die Schulen sind nicht allerdings berufsbildend."),
        ("es", "El esquema no era una trampa para los inversores.", "El esquema era una trampa para los inversores."),
        ("el", "Το Φρέσνο είναι η μεγαλύτερη πόλη της κοιλάδας.", "Το Φρέσνο δεν είναι η μεγαλύτερη πόλη της κοιλάδας."),
    ],
)
def test_a_negation_that_alone_differs_is_never_supported(verifier: Verifier, lang: str, source: str, claim: str) -> None:
    found = judged(verifier, claim, source, lang)
    assert found.verdict is Verdict.CONTRADICTED
    assert found.support is not None
    assert found.support < 0.5


@pytest.mark.parametrize("claim", ["The CEO resigned in protest.", "Revenue increased by 12% to $4.5 million in 2023."])
def test_what_no_source_says_is_not_found(verifier: Verifier, claim: str) -> None:
    assert judged(verifier, claim).verdict in NOT_SUPPORTED


def test_a_negation_that_was_taken_away_isnt_supported(verifier: Verifier) -> None:
    found = judged(verifier, "The board approved the merger.")
    assert (found.verdict, found.reason) == (Verdict.CONTRADICTED, "Its source says this with a negation.")


@pytest.mark.parametrize(
    ("lang", "source", "claim"),
    [
        (
            "de",
            "Die Kündigungsfrist beträgt drei Monate zum Quartalsende.",
            "Die Kündigungsfrist beträgt sechs Monate zum Quartalsende.",
        ),
        (
            "es",
            "El contrato fue firmado el 12 de marzo de 2020 en Madrid.",
            "El contrato fue firmado el 12 de mayo de 2020 en Madrid.",
        ),
        ("ru", "Компания была основана в 1998 году в Москве.", "Компания была основана в 1989 году в Москве."),
        ("zh", "该公司于2010年在上海成立，现有员工300人。", "该公司于2010年在上海成立，现有员工500人。"),
        ("ar", "تأسست الشركة عام 1998 في القاهرة.", "تأسست الشركة عام 1989 في القاهرة."),
        ("hi", "कंपनी की स्थापना 1998 में दिल्ली में हुई थी।", "कंपनी की स्थापना 1989 में दिल्ली में हुई थी।"),
    ],
)
def test_a_changed_figure_is_noticed_in_any_measured_language(verifier: Verifier, lang: str, source: str, claim: str) -> None:
    assert judged(verifier, claim, source, lang).verdict in NOT_SUPPORTED


def test_a_language_without_measured_rates_isnt_checked(verifier: Verifier) -> None:
    found = judged(verifier, "Mkataba unaisha baada ya siku 60.", "Mkataba unaisha baada ya siku 30 tangu agizo.", "sw")
    assert (found.verdict, found.support) == (Verdict.NOT_CHECKED, None)


def test_a_claim_in_another_language_than_its_source_isnt_checked(verifier: Verifier) -> None:
    assert verifier.judge("Die Zahlung ist in 45 Tagen fällig.", [Side(LEASE, "en")], "de").verdict is Verdict.NOT_CHECKED


def test_nothing_to_quote_is_nothing_to_check(verifier: Verifier) -> None:
    assert verifier.judge("Anything.", [], "en").verdict is Verdict.NOT_CHECKED


def test_a_number_of_things_isnt_a_thousandth_of_another(verifier: Verifier) -> None:
    memo = "There were 20,000 bottles of water and 200 laptops. A total of 3 trucks were used for 15 hours."
    assert judged(verifier, "There were 20 trucks used, and for 15 hours.", memo).verdict in NOT_SUPPORTED
    assert judged(verifier, "3 trucks", memo).verdict is Verdict.SUPPORTED


@pytest.mark.parametrize("claim", ["…", "", "—"])
def test_a_claim_without_words_isnt_checked(verifier: Verifier, claim: str) -> None:
    assert judged(verifier, claim).verdict is Verdict.NOT_CHECKED


def test_a_claim_may_rest_on_two_sources(verifier: Verifier) -> None:
    sides = [Side("The fee is 500 euros.", "en"), Side("The notice period is sixty days.", "en")]
    both = "The fee is 500 euros and the notice period is sixty days."
    alone = verifier.judge(both, sides[:1], "en").support
    together = verifier.judge(both, sides, "en").support
    assert alone is not None
    assert together is not None
    assert together > alone


def test_words_of_the_question_say_less_than_the_others(tmp_path: Path) -> None:
    compared = compare(
        "The notice period is unusually generous",
        [Side("The notice period is long.", "en")],
        "en",
        LazyWords(tmp_path),
        question="How long is the notice period?",
    )
    assert compared is not None
    assert compared.features["new held"] < compared.features["held"]
    assert compared.features["asked held"] > 0.5


BOOKING = "Primary Contact: Sarah Johnson\nLocation: NYC-01\n# Shows: 48\nGross Amount: $12,500.00"


@pytest.mark.parametrize("claim", ["The primary contact is Sarah Johnson.", "The gross amount is $12,500.00."])
def test_a_text_too_bare_to_tell_its_language_is_read_in_the_claims(verifier: Verifier, claim: str) -> None:
    found = verifier.judge(claim, [Side(BOOKING, "")], "en")
    assert found == verifier.judge(claim, [Side(BOOKING, "en")], "en")
    assert found.verdict in (Verdict.SUPPORTED, Verdict.PARTLY)


@pytest.mark.parametrize("claim", ["The gross amount is $14,500.00.", "The weir is of stone."])
def test_what_a_text_in_an_unknown_language_lacks_is_not_held_against_a_claim(verifier: Verifier, claim: str) -> None:
    found = verifier.judge(claim, [Side(BOOKING, "")], "en")
    assert found.verdict in (Verdict.NOT_CHECKED, Verdict.CONTRADICTED)
    swahili = "Mkataba huu unaanza tarehe ya kusainiwa na utadumu kwa muda wa miaka miwili."
    assert verifier.judge(claim, [Side(swahili, "")], "en").verdict is Verdict.NOT_CHECKED


def test_a_claim_and_a_text_of_unknown_languages_are_not_judged(verifier: Verifier) -> None:
    assert verifier.judge("Sarah Johnson: 48", [Side(BOOKING, "")], "").verdict is Verdict.NOT_CHECKED
