"""Rules that make a sentence false, and rules that say it otherwise."""

from random import Random

import pytest

from pincite.evaluation.tampering import KINDS, Material, languages, rewrite, suite, tamper

SENTENCE = "In 2010 the company sold more than 1,200 cars in Boston, and profits were higher than before, at 15 percent."


def kinds_of(sentence: str, lang: str = "en") -> dict[str, str]:
    pairs = tamper(sentence, lang, names=[], others=["Chicago"], random=Random(1))
    return {pair.kind: pair.tampered for pair in pairs}


def test_each_kind_changes_one_place() -> None:
    made = kinds_of(SENTENCE)
    assert set(made) >= {"number", "unit", "date", "name", "negation", "comparison"}
    assert "Chicago" in made["name"]
    assert "Boston" not in made["name"]
    assert "were not" in made["negation"]
    for text in made.values():
        assert text != SENTENCE


def test_a_negation_that_is_there_is_taken_away() -> None:
    assert kinds_of("The works were not finished in the year of the contract.")["negation"].startswith("The works were finished")


def test_words_are_changed_as_words() -> None:
    assert "comparison" not in kinds_of("The firstborn heir of the Aftermath estate.")


def test_a_rewritten_pair_keeps_its_difference_and_loses_its_wording() -> None:
    pair = next(pair for pair in tamper(SENTENCE, "en", names=[], others=["Chicago"], random=Random(1)) if pair.kind == "name")
    other = rewrite(pair)
    assert other is not None
    assert other.claim != pair.claim
    assert "Boston" in other.claim
    assert "Chicago" in other.tampered
    assert "1,200" in other.claim  # which may be 1.2 elsewhere: it stays as it is written


def test_a_sentence_in_which_too_little_can_be_changed_isnt_rewritten() -> None:
    pair = next(tamper("The dog was asleep on the mat there.", "en", names=[], others=[], random=Random(1)))
    assert rewrite(pair) is None


@pytest.mark.parametrize("lang", languages())
def test_every_language_has_rules_and_the_same_seed_makes_the_same_pairs(lang: str) -> None:
    texts = {"zh": "该公司于2010年成立，是最大的公司之一，超过300人。", "th": "บริษัทเป็นบริษัทที่ใหญ่ที่สุดในปี 2010 และมีพนักงานมากกว่า 300 คน"}
    material = [Material("a", lang, texts.get(lang, "2010 12 km: " + SENTENCE), ("Boston",))]
    first, again = ([item.pair for item in suite(material, lang, seed=3)] for _ in range(2))
    assert first
    assert first == again
    assert {pair.kind for pair in first} <= set(KINDS)
