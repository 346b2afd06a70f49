"""What every `WordSense` does."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pincite.adapters.memory.words import LetterWords
from pincite.adapters.models.e5_words import LazyWords
from pincite.core.ports.models import WordSense

WORDS = ("contract", "договор", "合同", "अनुबंध", "سنة", "x")


@pytest.fixture(scope="module", params=["letters", "e5"])
def sense(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> WordSense:
    return LetterWords() if request.param == "letters" else LazyWords(tmp_path_factory.mktemp("words"))


@pytest.mark.parametrize("word", WORDS)
def test_a_word_is_like_itself_and_rarer_than_certain(sense: WordSense, word: str) -> None:
    assert sense.likeness(word, word) == pytest.approx(1.0, abs=1e-3)
    assert sense.rarity(word) > 0


def test_likeness_has_no_direction_and_tells_forms_of_a_word_from_another_word(sense: WordSense) -> None:
    assert sense.likeness("contract", "contracts") == pytest.approx(sense.likeness("contracts", "contract"))
    assert sense.likeness("contract", "contracts") > sense.likeness("contract", "elephant")


def test_a_text_of_two_words_is_rarer_than_either(sense: WordSense) -> None:
    assert sense.rarity("purple elephant") > max(sense.rarity("purple"), sense.rarity("elephant"))


def test_nothing_is_like_nothing(sense: WordSense) -> None:
    assert 0 <= sense.likeness("", "contract") < 0.5


def test_threads_may_share_one(tmp_path: Path) -> None:
    lazy = LazyWords(tmp_path)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lazy.likeness, ["city"] * 16, ["town"] * 16))
    assert len(set(found)) == 1


def test_the_local_model_knows_synonyms(tmp_path_factory: pytest.TempPathFactory) -> None:
    words = LazyWords(tmp_path_factory.mktemp("synonyms"))
    for word, synonym, other in (("city", "town", "elephant"), ("big", "large", "Tuesday"), ("购买", "买", "大象")):
        assert words.likeness(word, synonym) > words.likeness(word, other)
