import time

import pytest

from pincite.answering.cues import is_request


@pytest.mark.parametrize(
    "question", ["Summarise the memo.", "What are the three memos about?", "Fass die Vereinbarung bitte zusammen.", "翻訳して"]
)
def test_what_asks_for_something_to_be_done_is_a_request(question: str) -> None:
    assert is_request(question)


@pytest.mark.parametrize("said", ["what is ", "what do ", "fass ", "vat ", "waar gaat "])
def test_a_long_question_takes_no_time(said: str) -> None:
    start = time.process_time()
    assert not is_request(said * 10_000)
    assert time.process_time() - start < 1
