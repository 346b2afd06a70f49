"""Plain text files read to canonical text."""

from hypothesis import given
from hypothesis import strategies as st

from pincite.adapters.parsers.plain_text import read_plain_text
from pincite.core.documents import CanonicalText

PROSE = (
    "The committee met on the second day of the\nmonth and heard the report of the treasurer\n"
    "about the costs of the new harbour and the\nstate of roads."
)


def read(text: str) -> CanonicalText:
    return read_plain_text(text, max_chars=100_000).canonical


def blocks(canonical: CanonicalText) -> list[str]:
    return [canonical.text[block.start : block.end] for block in canonical.blocks]


def test_lines_wrapped_at_a_width_are_a_paragraph() -> None:
    assert blocks(read(f"{PROSE}\n\n{PROSE}")) == [PROSE.replace("\n", " ")] * 2


def test_lines_of_prose_of_uneven_width_are_a_paragraph() -> None:
    text = (
        "Roberts was born in the town and grew up on the western coast of the country as a\n"
        "supporter of the club that he joined when he was only ten years old, and then\n"
        "played for it through twenty seasons until the ground was closed for ever.\n"
        "He wrote a book about it.\n"
    )
    assert blocks(read(text * 2)) == [" ".join(text.splitlines()[:3]), "He wrote a book about it."] * 2


def test_lines_that_are_meant_stay_apart() -> None:
    text = "Full name  Iwan\nHeight  6 ft 3\n- one\n- two\n\nRoses are red"
    assert blocks(read(text)) == ["Full name  Iwan", "Height  6 ft 3", "- one", "- two", "Roses are red"]


def test_items_start_blocks_even_in_wrapped_text() -> None:
    text = PROSE.replace("about the costs", "- about the costs")
    assert any(block.startswith("- about") for block in blocks(read(text)))


def test_every_kind_of_line_end_counts() -> None:
    assert blocks(read("a\nb\rc\r\nd\x0be\x0cf\x85g\u2028h\u2029i")) == list("abcdefghi")


@given(st.text(alphabet=st.sampled_from("ab é字\U0001f600\n\r\t\x00\x0c\u00a0\u202e\ufb01.-"), max_size=300))
def test_each_character_comes_from_its_place_in_the_file(text: str) -> None:
    canonical = read(text)
    for run in canonical.runs:
        source = text[run.index : run.index + run.count]
        kept = canonical.text[run.start : run.start + run.length]
        assert kept == source.replace("\u00a0", " ").replace("\ufb01", "fi")
    assert sum(run.count for run in canonical.runs) >= sum(character.isalpha() for character in text)
