"""The quote finder: literal runs of canonical text."""

import time
from dataclasses import replace

import pytest

from pincite.answering.quotes import QuoteMatch, find_quote
from pincite.core.documents import ChunkType
from pincite.core.evidence import Passage, Scores, Source

HANDBOOK = (
    "Leaving the company needs a written notice. The notice period is sixty days [3] for staff. "
    "It starts on the first day of the following\nmonth. Managers give ninety days. Holidays not taken are paid out."
)


def passage(text: str, *, start: int = 100, lang: str = "en", fused: float = 0.5, kind: ChunkType = ChunkType.TEXT) -> Passage:
    return Passage(text, start=start, end=start + len(text), lang=lang, scores=Scores(fused), chunk_type=kind)


def quote(claim: str, *passages: Passage, lang: str = "en") -> QuoteMatch:
    found = find_quote(claim, Source(1, passages), lang=lang)
    assert found is not None
    local = found.start - found.passage.start
    assert found.text == found.passage.text[local : local + len(found.text)]
    assert found.end - found.start == len(found.text)
    assert 0 <= found.support <= 1
    return found


def test_what_a_model_wrote_of_a_picture_is_never_quoted() -> None:
    told = passage("Figure 1. Notice periods of managers and staff.", fused=0.1)
    written = replace(passage("The chart shows that managers give ninety days.", fused=0.9), generated=True)
    claim = "The chart shows that managers give ninety days."
    assert quote(claim, written, told).passage is told
    assert find_quote(claim, Source(1, (written,))) is None


def test_a_sentence_that_stands_in_the_source_is_found_word_for_word() -> None:
    found = quote("Managers give ninety days.", passage(HANDBOOK))
    assert (found.text, found.support, found.literal) == ("Managers give ninety days.", 1.0, True)


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("it starts on the first day of the following month", "So. It starts on the first day of the following\nmonth."),
        ('He said "stop - now"', "Then a bell. He said “stop — now”."),
        ("The ﬁrst ofﬁce", "Intro here. The first office."),
        ("Café Müller öffnet früh", "Hallo. Cafe\u0301 Mu\u0308ller o\u0308ffnet fru\u0308h."),
        ("An exam\u00adple of hy\u00adphens", "Start. An example of hyphens."),
        ("The value [\u20603] is fixed", "Yes. The value [3] is fixed."),
        ("The ‘season’ is “seven”", "Yes. The `season' is ``seven''."),
    ],
)
def test_looks_do_not_hinder_a_literal_match(claim: str, text: str) -> None:
    found = quote(claim, passage(text))
    assert found.literal
    assert found.support == 1.0
    assert found.text == text[text.index(". ") + 2 :]


def test_part_of_a_sentence_is_widened_to_the_sentence() -> None:
    assert quote("notice period is sixty days", passage(HANDBOOK)).text == "The notice period is sixty days [3] for staff."


def test_a_paraphrase_gets_the_sentence_that_supports_it() -> None:
    found = quote("Staff have a period of notice of sixty days", passage(HANDBOOK))
    assert found.text == "The notice period is sixty days [3] for staff."
    assert not found.literal
    assert found.support > 0.6


def test_two_sentences_are_quoted_when_the_claim_needs_both() -> None:
    text = "Weather was fine. Anna founded the firm in Oslo. It sold 12 boats in 1998. Nobody slept."
    assert quote("Anna founded a firm that sold 12 boats in 1998", passage(text)).text == (
        "Anna founded the firm in Oslo. It sold 12 boats in 1998."
    )


def test_a_number_decides_between_sentences_of_one_wording() -> None:
    text = "The fee for plan A is 30 euros. The fee for plan B is 45 euros. The fee for plan C is 60 euros."
    assert quote("The fee comes to 45 euros", passage(text)).text == "The fee for plan B is 45 euros."


def test_a_claim_with_a_number_that_the_source_lacks_has_low_support() -> None:
    assert quote("The fee for plan A is 31 euros", passage("The fee for plan A is 30 euros.")).support <= 0.5


def test_a_claim_that_nothing_supports_still_gets_a_sentence() -> None:
    found = quote("Bananas ripen quickly", passage("Notice is sixty days. Staff may leave.", fused=0.9))
    assert (found.text, found.support) == ("Notice is sixty days.", 0.0)


def test_a_short_word_is_not_found_by_chance() -> None:
    assert not quote("No.", passage("There is no such rule. Nothing else.")).literal


def test_the_best_passage_of_a_source_is_quoted() -> None:
    found = quote("Managers give ninety days", passage("Other text here.", start=0), passage(HANDBOOK, start=500))
    assert found.start == 500 + HANDBOOK.index("Managers")


def test_a_table_row_is_quoted_alone() -> None:
    table = "| Item | 2019 | 2020 |\n| --- | --- | --- |\n| Revenue | 12.5 | 15.1 |\n| Costs | 7.2 | 8.0 |"
    assert quote("Revenue was 15.1 million", passage(table, kind=ChunkType.TABLE)).text == "| Revenue | 12.5 | 15.1 |"


@pytest.mark.parametrize(
    ("lang", "text", "claim", "wanted"),
    [
        (
            "de",
            "Es regnet. Die Kündigungsfrist beträgt sechzig Tage. Urlaub wird bezahlt.",
            "Die Frist zur Kündigung ist sechzig Tage",
            1,
        ),
        ("hi", "आज वर्षा हुई। नोटिस की अवधि साठ दिन है। छुट्टी का भुगतान होता है।", "अवधि साठ दिन की है", 1),
        ("zh", "今天下雨。通知期为六十天。假期会支付。", "通知期是六十天", 1),
        (
            "ru",
            "Идёт дождь. Срок уведомления составляет шестьдесят дней. Отпуск оплачивается.",
            "Сроки уведомлений шестьдесят дней",
            1,
        ),
    ],
)
def test_other_languages_are_matched_too(lang: str, text: str, claim: str, wanted: int) -> None:
    found = quote(claim, passage(text, lang=lang), lang=lang)
    sentences = [
        part.strip() for part in text.replace("。", "。|").replace("।", "।|").replace(". ", ".|").split("|") if part.strip()
    ]
    assert found.text == sentences[wanted]


def test_a_source_without_text_has_no_quote() -> None:
    assert find_quote("Anything", Source(1, (passage("  \n "),))) is None


def test_a_table_of_thousands_of_rows_takes_no_time() -> None:
    rows = "\n".join(f"| r{at} | {at} |" for at in range(4_000))
    start = time.process_time()
    found = quote("The value of r3000 was 3000.", passage(f"| name | value |\n{rows}", kind=ChunkType.TABLE))
    assert found.text == "| r3000 | 3000 |"
    assert time.process_time() - start < 4
