from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from pincite.answering.sentinel import SentinelFilter


def run(pieces: list[str]) -> tuple[str, bool]:
    sentinel = SentinelFilter("NO_ANSWER")
    text = "".join(sentinel.feed(piece) for piece in pieces)
    return text + ("" if sentinel.declined else sentinel.finish()), sentinel.declined


def test_a_reply_that_is_the_sentinel_alone_declines_and_shows_nothing() -> None:
    assert run(["NO_", "ANS", "WER"]) == ("", True)
    assert run(["\n**NO_ANSWER**.\n"]) == ("", True)


def test_labels_before_the_sentinel_are_no_answer() -> None:
    for label in ("[2][1] ", "[S1]\n", "【1】", "[1, 2] ", "[Source 1] "):
        assert run([*label, "NO_ANSWER"]) == ("", True)
    assert run(["[2]", "[1]"]) == ("", False)


def test_labels_before_an_answer_are_shown() -> None:
    assert run(["[", "1", "] It is ", "7."]) == ("[1] It is 7.", False)
    assert run(["[S", "upplier] pays."]) == ("[Supplier] pays.", False)


def test_what_follows_an_opening_sentinel_is_a_guess_and_is_not_shown() -> None:
    assert run(["NO_ANSWER. But maybe ", "24 months [1]."]) == ("", True)


def test_a_reply_that_merely_begins_alike_is_shown_whole() -> None:
    assert run(["NO_A", "CCOUNT was found."]) == ("NO_ACCOUNT was found.", False)


def test_a_sentinel_after_an_answer_is_dropped_and_doesnt_decline() -> None:
    assert run(["It is 7 [1]. ", "NO_ANSWER"]) == ("It is 7 [1]. ", False)


@given(st.text(alphabet="NO_ANSWER xé[1]", max_size=80), st.lists(st.integers(0, 80), max_size=10))
def test_the_shown_text_doesnt_depend_on_where_the_stream_is_cut(text: str, cuts: list[int]) -> None:
    edges = sorted({0, len(text), *(cut for cut in cuts if cut <= len(text))})
    pieces = [text[a:b] for a, b in pairwise(edges)]
    assert run(pieces) == run([text])
    assert "NO_ANSWER" not in run([text])[0] or "NO_ANSWER" not in text
