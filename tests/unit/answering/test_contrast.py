"""What a claim and its sources have in common: the figures that verdicts are learned from."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from pincite.adapters.models.e5_words import LazyWords
from pincite.answering.alignment import Side
from pincite.answering.contrast import compare
from pincite.answering.makeup import letters_held, without_labels

HARBOUR = (
    "The harbour was opened by Queen Astrid in 1931. Ferries leave every hour. "
    "The lighthouse was designed by Jonas Berg. It stands on the northern pier."
)


def told(folder: Path, claim: str, source: str = HARBOUR, question: str = "") -> Mapping[str, float]:
    compared = compare(claim, [Side(source, "en")], "en", LazyWords(folder), question=question)
    assert compared is not None
    return compared.features


@pytest.mark.parametrize("labels", [" [3]", "[3].", " [1][2]", " [1, 4]", " [2-5]"])
def test_a_label_says_nothing(tmp_path: Path, labels: str) -> None:
    assert told(tmp_path, f"Ferries leave each hour{labels}") == told(tmp_path, "Ferries leave each hour")


def test_what_is_no_label_keeps_its_place() -> None:
    assert without_labels("It [sic] cost [12] euros[a].") == "It [sic] cost      euros[a]."


def test_every_sentence_of_a_claim_has_to_be_held(tmp_path: Path) -> None:
    held = told(tmp_path, "The lighthouse was designed by Jonas Berg. Ferries leave every hour.")
    invented = told(tmp_path, "The lighthouse was designed by Jonas Berg. Admission costs eleven crowns.")
    assert (held["claim sentences"], held["weakest held"]) == (2, 1)
    assert invented["weakest held"] < 0.5


@pytest.mark.parametrize(("name", "least", "most"), [("Jonas Berg", 0.9, 1.0), ("Queen Astrid", 0.0, 0.5)])
def test_a_name_that_answers_stands_near_the_words_of_the_question(tmp_path: Path, name: str, least: float, most: float) -> None:
    found = told(tmp_path, f"It was {name}", question="Who designed the lighthouse?")
    assert least <= found["asked near new names"] <= most


def test_a_name_from_elsewhere_isnt_held_by_the_closest_sentence(tmp_path: Path) -> None:
    assert told(tmp_path, "The lighthouse was designed by Jonas Berg")["names held by best"] == 1
    assert told(tmp_path, "The lighthouse was designed by Queen Astrid")["names held by best"] == 0


def test_a_part_of_a_sentence_covers_less_of_it(tmp_path: Path) -> None:
    assert told(tmp_path, "The harbour was opened by Queen Astrid in 1931")["best covered"] == 1
    assert told(tmp_path, "The harbour was opened")["best covered"] < 0.6


def test_letters_tell_a_word_in_another_form_from_another_word() -> None:
    sentence = ["the", "committees", "elected", "her"]
    assert letters_held(sentence, sentence) == 1
    assert letters_held(["committee", "elections"], sentence) > letters_held(["parliament", "resigned"], sentence) == 0
    assert letters_held([], sentence) == 0
