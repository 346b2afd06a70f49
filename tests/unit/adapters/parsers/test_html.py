"""HTML files read to canonical text."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pincite.adapters.parsers.html import read_html
from pincite.core.documents import CanonicalText
from pincite.core.errors import RefusedInput
from pincite.language.sentences import sentence_spans


def read(text: str) -> CanonicalText:
    return read_html(text, max_chars=1_000_000).canonical


def blocks(text: str) -> list[tuple[str, str]]:
    canonical = read(text)
    return [(block.role.value, canonical.text[block.start : block.end]) for block in canonical.blocks]


def words(text: str) -> list[str]:
    return [text for _, text in blocks(text)]


def test_no_sentence_runs_across_the_end_of_a_block() -> None:
    text = read("<h2>Fee schedule</h2><p>The admission fee is 12 euros<p>Children under six enter free").text
    assert [text[start:end] for start, end in sentence_spans(text, "en")] == [
        "Fee schedule",
        "The admission fee is 12 euros",
        "Children under six enter free",
    ]


def test_blocks_are_parted_and_blanks_collapse() -> None:
    assert words("<p>The  <b>fee</b>\n is <i>40</i> EUR.<p>Next<div>third <span>one</span></div>loose") == [
        "The fee is 40 EUR.",
        "Next",
        "third one",
        "loose",
    ]


@pytest.mark.parametrize("odd", ["<![foo[x]]>", "<![ x>", "<![if !supportEmptyParas]>", "<![endif]>", "<![0]>"])
def test_marked_sections_of_any_kind_end(odd: str) -> None:
    assert words(f"<p>The fee</p>{odd}<p>is 40 EUR.</p>")[-1] == "is 40 EUR."


def test_headings_have_levels_and_the_title_is_the_declared_one() -> None:
    document = read_html("<title>The &amp; Harbour</title><h1>Costs</h1><h3>Roads <em>all</em></h3>", max_chars=100)
    assert [(block.role.value, block.level) for block in document.canonical.blocks] == [("heading", 1), ("heading", 3)]
    assert document.title == "The & Harbour"
    assert read_html("<h1>Costs</h1>", max_chars=100).title == "Costs"


@pytest.mark.parametrize(
    "hidden",
    [
        "<script>x<b></script>",
        "<style>p{}</style>",
        "<template>x</template>",
        "<noscript>x</noscript>",
        "<nav><a>Home</a></nav>",
        "<div role=navigation>Home</div>",
        "<div class='top NavHeader'><table><tr><td>Prev<td>Up</table></div>",
        "<ul class=breadcrumbs><li>Home</ul>",
        "<!-- x -->",
        "<img alt=x>",
        "<p hidden>x",
        "<p style='color:red; display : none'>x</p>",
        "<div style='visibility:hidden'><p>x</p></div>",
        "<p style='font-size:0px'>x</p>",
        "<p style='position:absolute;left:-9999px'>x</p>",
        "<select><option>x</select>",
        "<svg><title>x</title><text>y</text></svg>",
        "<button>x</button>",
    ],
)
def test_what_is_not_seen_is_not_read(hidden: str) -> None:
    assert words(f"<p>before</p>{hidden}<p>after</p>") == ["before", "after"]


@pytest.mark.parametrize("style", ["font-size:0.9em", "opacity:0.5", "left:-2px", "max-height:0.5em"])
def test_what_is_seen_is_read(style: str) -> None:
    assert words(f"<p style='{style}'>x</p>") == ["x"]


def test_entities_become_characters_and_stay_text() -> None:
    assert words("<p>a &lt;b&gt; &amp;amp; &eacute;&#233;&#xE9; &nbsp;x &unknown; AT&T") == ["a <b> &amp; ééé  x &unknown; AT&T"]


def test_items_and_preformatted_text_keep_their_form() -> None:
    text = "<ul><li>one<li>two<ol start=3><li>deep<li><p>deeper</ol></ul><pre>a\n  b</pre>x<br>y"
    assert words(text) == ["- one", "- two", "3. deep", "4. deeper", "a\n  b", "x\ny"]


def test_a_table_is_rows_with_bars_and_a_cell_over_rows_is_repeated() -> None:
    text = """<table><caption>Ships</caption><thead><tr><th>Year<th>Port<th>Ships</thead>
      <tr><td rowspan=2>1921</td><td>North</td><td>104</td></tr><tr><td>South</td><td><p>97</p><p>more</p></td></tr>
      <tr><td colspan=2>All<td>201</table>"""
    assert blocks(text) == [
        ("caption", "Ships"),
        ("table", "| Year | Port | Ships |\n| 1921 | North | 104 |\n| 1921 | South | 97 more |\n| All | | 201 |"),
    ]


def test_a_table_for_the_layout_is_read_as_its_parts() -> None:
    text = "<table><tr><td><h2>News</h2><p>One</p></td><td><table><tr><td>a<td>b</table></td></tr></table>"
    assert blocks(text) == [("heading", "News"), ("body", "One"), ("table", "| a | b |")]


def test_the_footer_of_the_page_comes_last_that_of_an_article_stays() -> None:
    text = "<footer><p>Imprint</p></footer><article><p>Text</p><footer>By Ada</footer></article>"
    assert blocks(text) == [("body", "Text"), ("body", "By Ada"), ("footer", "Imprint")]


def test_characters_lead_back_to_their_place() -> None:
    source = "<h1>Fee</h1>\r\n<p>The\r\nfee &amp; the <b>list</b>, a\u00a0blank"
    canonical = read(source)
    places = [(canonical.text[r.start : r.start + r.length], source[r.index : r.index + r.count]) for r in canonical.runs]
    assert [place for place in places if place[0] != place[1].replace("\u00a0", " ")] == [("&", "&amp;")]
    assert "".join(kept for kept, _ in places).replace(" ", "") == "FeeThefee&thelist,ablank"


def test_deep_nesting_is_refused() -> None:
    with pytest.raises(RefusedInput) as refused:
        read("<div>" * 3000)
    assert refused.value.code == "too_deep"


def test_unclosed_and_misnested_tags_lose_no_word() -> None:
    assert words("<b><p>one</b> two</i></p></div><table><td>three</table></table>four<") == ["one two", "| three |", "four<"]


@example(["<table>", "<td>", "<tr>", "<b"])
@given(
    st.lists(
        st.sampled_from(
            [
                "<p>",
                "</p>",
                "<td>",
                "</table>",
                "<table>",
                "<li>",
                "</ul>",
                "<b",
                ">",
                "w",
                " ",
                "&",
                "&am;",
                "<!--",
                "-->",
                "<pre>",
                "<tr>",
                "\n",
            ]
        )
    )
)
def test_any_mixture_of_tags_is_read(parts: list[str]) -> None:
    canonical = read("".join(parts))
    assert all(canonical.text[block.start : block.end].strip() for block in canonical.blocks)
