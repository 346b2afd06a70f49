import re
import sys
from itertools import pairwise
from types import FrameType

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from pincite.answering.marker_grammar import CLOSERS, MAX_MARKER_CHARS, Marker, Scan, scan
from pincite.answering.markers import Mark, MarkerTransducer
from pincite.answering.prompts import source_label
from pincite.answering.protected_regions import MAX_DOUBT_CHARS

ISSUED = (1, 2, 3, 12)
OPENING = frozenset(CLOSERS)
FRAGMENTS = (
    *(
        "[1]",
        "[9]",
        "[1, 2]",
        "[1-3]",
        "[[1]]",
        "[S1]",
        "[s2]",
        "(Source 1)",
        "[Source 2, p. 3]",
        "【1】",
        "【1†source】",
        "［２］",
        "[१]",
    ),
    *("[", "]", "(", ")", "[[", "]]", "](", "](u)", "]:", "[^1]", "[ref]", "[2019]", "[ ]", "【", "】", "!", "{", "}"),
    *("`", "``", "```", "~~~", "\n", "\n\n", "\r\n", "    ", "\t", " ", "  ", "- ", "1. ", "> ", "# ", "| "),
    *("$", "$$", "\\", "\\[", "\\]", "\\(", "\\)", "\\begin{a}", "\\end{a}", "^", "=", "+", "*", "_"),
    *("<", ">", "<a ", "<b>", "<!--", "-->", "<code>", "</code>", '"', "'", "http://a.org/"),
    *("1", "2", "x", "arr", "word ", "The ", " and ", "and", ", ", ".", ";", "-", "é", "天空", "。", "٢", "\u00a0", "\u0301", "😀"),
)
markdown = st.lists(st.sampled_from(FRAGMENTS), max_size=24).map("".join)
anything = markdown | st.text(max_size=60)
prose = st.lists(
    st.sampled_from(("The sky", "is blue", "Paris", "growth", "[1]", "[2]", "[12]", "[1][2]", "天空", "आसमान")),
    min_size=1,
    max_size=12,
).map(lambda words: " ".join(words) + ".")


def run(pieces: list[str] | list[bytes], issued: tuple[int, ...] = ISSUED) -> tuple[str, tuple[Mark, ...]]:
    transducer = MarkerTransducer(issued)
    written = [transducer.feed(piece) if isinstance(piece, str) else transducer.feed_bytes(piece) for piece in pieces]
    return "".join(written) + transducer.finish(), tuple(transducer.marks)


@settings(max_examples=120, deadline=None)
@given(anything, st.data())
def test_text_and_marks_are_the_same_however_the_bytes_are_cut(text: str, data: st.DataObject) -> None:
    encoded = text.encode(errors="surrogatepass") if text.isascii() else text.encode("utf-8", errors="replace")
    cuts = sorted(data.draw(st.sets(st.integers(0, len(encoded)), max_size=8)))
    pieces = [encoded[start:end] for start, end in zip([0, *cuts], [*cuts, len(encoded)], strict=True)]
    assert run(pieces) == run([encoded])
    assert run([encoded[at : at + 1] for at in range(len(encoded))]) == run([encoded])


@settings(max_examples=80, deadline=None)
@given(st.text(st.characters(exclude_characters="".join(CLOSERS), exclude_categories=("Cs",))))
def test_text_without_an_opening_bracket_passes_unchanged(text: str) -> None:
    assert run([text]) == (text, ())


@settings(max_examples=80, deadline=None)
@given(anything)
def test_every_mark_is_an_issued_label_in_the_emitted_text_and_marks_rise(text: str) -> None:
    written, marks = run([text])
    assert all(written[mark.position : mark.end] == f"[{mark.n}]" and mark.n in ISSUED for mark in marks)
    assert all(left.end <= right.position for left, right in pairwise(marks))


@settings(max_examples=80, deadline=None)
@given(prose)
def test_emitted_text_comes_out_the_same_again(text: str) -> None:
    written, marks = run([text])
    assert run([written]) == (written, marks)


@settings(max_examples=80, deadline=None)
@given(prose)
def test_the_labels_of_one_surface_become_those_of_another(text: str) -> None:
    written, marks = run([text])
    other = MarkerTransducer(ISSUED, label=source_label)
    assert other.feed(written) + other.finish() == re.sub(r"\[(\d+)\]", r"[S\1]", written)
    assert [mark.n for mark in other.marks] == [mark.n for mark in marks]


@settings(max_examples=80, deadline=None)
@given(markdown.filter(lambda text: "`" not in text and "\r" not in text), st.sampled_from(("```", "````", "~~~")))
@example("[1]\n    [2]", "```")
def test_a_fenced_block_is_left_byte_for_byte(code: str, fence: str) -> None:
    inside = "\n".join(line for line in code.split("\n") if not line.lstrip().startswith(fence[:3]))
    block = f"{fence}\n{inside}\n{fence}\n"
    written, marks = run([f"Sky [1].\n\n{block}\nGrass [2]."])
    assert written == f"Sky [1].\n\n{block}\nGrass [2]."
    assert [mark.n for mark in marks] == [1, 2]


@settings(max_examples=80, deadline=None)
@given(markdown.filter(lambda text: "`" not in text and "\n" not in text and text.strip()))
def test_a_code_span_is_left_byte_for_byte(code: str) -> None:
    text = f"Sky [1] ``{code}`` grass [2]."
    written, marks = run([text])
    assert written == text
    assert [mark.n for mark in marks] == [1, 2]


@settings(max_examples=80, deadline=None)
@given(anything)
def test_no_more_is_held_back_than_a_marker_and_the_end_of_what_is_open_need(text: str) -> None:
    assume(run([text])[0] == text)
    transducer = MarkerTransducer(ISSUED)
    emitted = ""
    for position, char in enumerate(text, start=1):
        emitted += transducer.feed(char)
        held = text[len(emitted) : position]
        assert len(held) <= MAX_MARKER_CHARS + MAX_DOUBT_CHARS
        between_labels = emitted.endswith("]") and len(held) <= 16
        assert not held.strip() or between_labels or not OPENING.isdisjoint(held)


def test_nothing_of_ordinary_prose_is_held_back_but_the_blank_before_the_next_word() -> None:
    transducer = MarkerTransducer(ISSUED)
    text = "The sky (over Paris) is blue, isn't it? It cost $5.20 in [the] year 2019 — `code`, *yes*.\n\n- An item: 天空是蓝的。\n"
    emitted = ""
    for position, char in enumerate(text):
        emitted += transducer.feed(char)
        held = text[len(emitted) : position + 1]
        assert held in ("", " ", "(", " (", "[", " [")
    assert emitted + transducer.finish() == text


def test_a_label_is_shown_one_character_after_its_end() -> None:
    transducer = MarkerTransducer(ISSUED)
    assert transducer.feed("The sky is blue [1") == "The sky is blue"
    assert transducer.feed("]") == ""
    assert transducer.feed(".") == " [1]."


HOSTILE = {
    "brackets": "[",
    "closing brackets": "]",
    "parentheses": "(",
    "backticks": "`",
    "list marks": "- ",
    "quote marks": ">",
    "dollars": "$",
    "backslashes": "\\",
    "blanks": " ",
    "open markers": "[1 ",
    "labels": "[1] ",
    "open math before labels": "$a [1] ",
    "open links before labels": "[a [1] ",
    "open tags before labels": "<a b='[1]",
    "half links": "[1](",
    "half arrays": "[[1",
    "lenticular": "【1",
    "long list": "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,",
    "open code before labels": "".join("`" * length + "[1]" for length in range(1, 61)),
}


def times(unit: str, size: int) -> str:
    return (unit * (size // len(unit) + 1))[:size]


@pytest.mark.parametrize("unit", HOSTILE.values(), ids=HOSTILE)
def test_long_hostile_text_passes_unchanged_and_is_not_held_back(unit: str) -> None:
    size = 100_000 if unit in "[`" else 5_000
    text = times(unit, size)
    transducer = MarkerTransducer((1,))
    written = transducer.feed(text)
    assert len(text) - len(written) <= MAX_MARKER_CHARS + MAX_DOUBT_CHARS
    assert written + transducer.finish() == text


@pytest.mark.parametrize("unit", HOSTILE.values(), ids=HOSTILE)
def test_work_grows_no_faster_than_hostile_text(unit: str) -> None:
    calls = [count_calls(times(unit, size)) for size in (800, 1_600)]
    assert calls[1] <= 2.3 * calls[0]


def count_calls(text: str) -> int:
    """Return how many functions run while the text is fed character by character: work that needs no clock."""
    calls = 0

    def count(_frame: FrameType, _event: str, _argument: object) -> None:
        nonlocal calls
        calls += 1

    transducer = MarkerTransducer((1,))
    previous = sys.getprofile()
    sys.setprofile(count)
    try:
        for char in text:
            transducer.feed(char)
        transducer.finish()
    finally:
        sys.setprofile(previous)
    return calls


LABELS = ("", "", "s", "S", "Source ", "sources: ", "Ref. ", "see ", "doc", "来源", "^", "#", " ")
NUMBERS = ("1", "2", "12", "٣", "2019", "1234567", "0", "1†source", "2, p. 5", "3: page 4-5", "1^", "4 ")
JOINTS = (", ", ",", "; ", "-", " – ", " and ", "、", " | ", " ", " to ", " & ")
contents = st.lists(st.tuples(*map(st.sampled_from, (LABELS, NUMBERS, JOINTS))), min_size=1, max_size=4)


@settings(max_examples=150, deadline=None)
@given(contents, st.sampled_from(("[]", "[]", "【】", "()")))
def test_every_beginning_of_a_marker_can_still_become_one(items: list[tuple[str, str, str]], brackets: str) -> None:
    words = "".join(label + number + joint for label, number, joint in items).removesuffix(items[-1][2])
    text = brackets[0] + words + brackets[1]
    if isinstance(scan(text, 0, final=True), Marker):
        assert all(scan(text[:length], 0, final=False) is Scan.MORE for length in range(1, len(text)))
