"""Markdown files read to canonical text."""

import pytest

from pincite.adapters.parsers.markdown import read_markdown
from pincite.core.documents import BlockRole, CanonicalText
from pincite.core.errors import RefusedInput


def read(text: str) -> CanonicalText:
    return read_markdown(text, max_chars=1_000_000).canonical


def blocks(text: str) -> list[tuple[str, str]]:
    canonical = read(text)
    return [(block.role.value, canonical.text[block.start : block.end]) for block in canonical.blocks]


def test_markup_is_gone_and_words_stay() -> None:
    link = '[the *list*](http://x.example/y "t")'
    text = f"The **fee** is _40 EUR_, see {link} and ~~old~~ `a*b*c` ![a chart](c.png)\\* &amp; <b>all</b>."
    assert blocks(text) == [("body", "The fee is 40 EUR, see the list and old a*b*c a chart* & all.")]


def test_headings_have_levels_and_the_first_is_the_title() -> None:
    document = read_markdown("# One *big*\n\nText\n\nTwo\n---\n\n### Three", max_chars=100)
    assert [(block.level, block.role.value) for block in document.canonical.blocks] == [
        (1, "heading"),
        (0, "body"),
        (2, "heading"),
        (3, "heading"),
    ]
    assert document.title == "One big"


def test_front_matter_gives_the_title_and_is_no_text() -> None:
    document = read_markdown('---\ntitle: "The Harbour"\ntags: [a]\n---\n# Costs\n', max_chars=100)
    assert (document.title, document.canonical.text) == ("The Harbour", "Costs")


def test_items_are_blocks_with_their_marks() -> None:
    text = "- one\n- two\n  more\n\n  again\n\n3. three\n4. four\n   - deep\n"
    assert [text for _, text in blocks(text)] == ["- one", "- two more", "again", "3. three", "4. four", "- deep"]


def test_code_is_kept_literally() -> None:
    text = "```py\ndef f(*a):\n\n    return **a\n```\n\n    indented *code*\n"
    assert [text for _, text in blocks(text)] == ["def f(*a):\n\n    return **a", "indented *code*"]


def test_a_table_is_rows_with_bars() -> None:
    assert blocks("| Year | Ships |\n|---|---:|\n| 1921 | **104** |\n| 1922 | |\n") == [
        ("table", "| Year | Ships |\n| 1921 | 104 |\n| 1922 | |")
    ]


def test_html_inside_is_read_as_html() -> None:
    text = "<details><summary>More</summary>\n<script>x</script><p>The <b>fee</b></p></details>\n\n<!-- hidden -->\n\nEnd"
    assert [text for _, text in blocks(text)] == ["More", "The fee", "End"]


@pytest.mark.parametrize("feed", ["\n", "\r\n"])
def test_characters_lead_back_to_their_place(feed: str) -> None:
    source = feed.join(
        [
            "---",
            "title: x",
            "---",
            "",
            "# Fee *list*",
            "",
            "- the fee",
            "- the fee is **40** &amp; more",
            "",
            "| fee | the |",
            "|--|--|",
            "| 40 | the |",
        ]
    )
    canonical = read(source)
    for run in canonical.runs:
        assert canonical.text[run.start : run.start + run.length] == source[run.index : run.index + run.count]
    start = canonical.text.rindex("the")
    assert canonical.runs_within(start, start + 3)[0].index == source.rindex("the")


@pytest.mark.parametrize("text", [">" * 5000 + "x", "\n".join("  " * n + "- x" for n in range(600))])
def test_deep_nesting_is_refused(text: str) -> None:
    with pytest.raises(RefusedInput) as refused:
        read(text)
    assert refused.value.code == "too_deep"


def test_many_backticks_are_no_trouble() -> None:
    assert read("".join("e" + "`" * n for n in range(300))).blocks[0].role is BlockRole.BODY
