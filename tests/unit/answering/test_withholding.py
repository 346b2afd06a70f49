"""The strict policy: what is sent of an answer, claim by claim."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pincite.adapters.models.e5_words import LazyWords
from pincite.answering.citing import Citing
from pincite.answering.claim_blocks import blocks_of
from pincite.answering.claims import claim_text, split_claims
from pincite.answering.markers import MarkerTransducer
from pincite.answering.sources import group_sources
from pincite.answering.verify import Verifier
from pincite.answering.withholding import Withholding
from pincite.core.answers import Verdict
from pincite.core.evidence import Passage
from pincite.core.ids import DocumentId, VersionId
from pincite.core.policies import WITHHELD

QUESTION = "What does the contract say of the lease and the notice?"
LEASE = "The lease runs for two years. Notice to end it is sixty days. The rent is paid every month. The tenant pays for the water."
LAW = "Dutch law governs the lease. The court of Utrecht hears all disputes. The landlord insures the house against fire."
SOURCES = group_sources(
    [
        Passage(text, document_id=DocumentId(name), version_id=VersionId(name), title=name, end=len(text), lang="en")
        for name, text in (("lease", LEASE), ("law", LAW))
    ]
)


@pytest.fixture(scope="module")
def verifier(tmp_path_factory: pytest.TempPathFactory) -> Verifier:
    return Verifier(LazyWords(tmp_path_factory.mktemp("words")))


def gate_of(verifier: Verifier | None) -> Withholding:
    return Withholding(Citing(SOURCES, verifier, QUESTION), QUESTION)


def streamed(text: str, verifier: Verifier | None, cuts: Sequence[int] = ()) -> Iterator[str]:
    """Yield what each piece of a text, cut at these places, makes ready; at the end the gate's last words."""
    gate = gate_of(verifier)
    yield from streamed_through(gate, text, cuts)


def streamed_through(gate: Withholding, text: str, cuts: Sequence[int] = ()) -> Iterator[str]:
    transducer = MarkerTransducer({source.n for source in SOURCES})
    places = [0, *sorted(cuts), len(text)]
    for start, end in pairwise(places):
        yield gate.feed(transducer.feed(text[start:end]), transducer.marks)
    yield gate.feed(transducer.finish(), transducer.marks)
    yield gate.finish()


def sent(text: str, verifier: Verifier | None) -> str:
    return "".join(streamed(text, verifier))


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("The lease runs for two years [1]. Notice is ninety days [1].", f"The lease runs for two years [1]. {WITHHELD}"),
        ("Notice is ninety days [1]. The lease runs for two years [1].", f"{WITHHELD} The lease runs for two years [1]."),
        ("Pets are forbidden [1]. Notice is ninety days [1]. Dutch law governs it [2].", f"{WITHHELD} Dutch law governs it [2]."),
        ("Pets are forbidden [1].\n\nNotice is ninety days [1].", f"{WITHHELD}\n\n{WITHHELD}"),
        (
            "- The lease runs for two years [1].\n- Notice is ninety days [1].\n- Dutch law governs the lease [2].",
            f"- The lease runs for two years [1].\n- {WITHHELD}\n- Dutch law governs the lease [2].",
        ),
        ("1. Pets are forbidden [1].\n2. Dutch law governs the lease [2].", f"1. {WITHHELD}\n2. Dutch law governs the lease [2]."),
        (
            "| Term | Value |\n|---|---|\n| Notice to end it is sixty days [1] | Notice is ninety days [1] |\n",
            f"| Term | Value |\n|---|---|\n| Notice to end it is sixty days [1] | {WITHHELD} |\n",
        ),
        ("## Lease\n\nPets are forbidden [1].\n\n```\nkeep()\n```\n", f"## Lease\n\n{WITHHELD}\n\n```\nkeep()\n```\n"),
        ("> Pets are forbidden [1].\n> Dutch law governs the lease [2].", f"> {WITHHELD}\n> Dutch law governs the lease [2]."),
        ("**Pets are forbidden [1]. Dutch law governs the lease [2].**", f"{WITHHELD} **Dutch law governs the lease [2].**"),
        ("**Dutch law governs the lease [2]. Pets are forbidden [1].**", f"**Dutch law governs the lease [2]. {WITHHELD}**"),
        ("**Notice:** Notice is ninety days [1].", WITHHELD),
        ("Pets are forbidden. Notice is ninety days [1].", WITHHELD),
    ],
)
def test_a_claim_that_fails_leaves_a_fixed_text_and_the_markdown_around_it(verifier: Verifier, text: str, left: str) -> None:
    assert sent(text, verifier) == left


def test_a_claim_leaves_when_the_first_word_of_the_next_has_come(verifier: Verifier) -> None:
    pieces = [
        "The lease runs for two years [1].",
        " Dutch",
        " law governs the ",
        "lease [2].",
        "\n\n- Notice",
        " is ninety days [1]",
        ".",
    ]
    gate, transducer = gate_of(verifier), MarkerTransducer({1, 2})
    ready = [gate.feed(transducer.feed(piece), transducer.marks) for piece in pieces]
    assert ready == ["", "", "The lease runs for two years [1].", "", "", " Dutch law governs the lease [2].", ""]
    rest = gate.feed(transducer.finish(), transducer.marks) + gate.finish()
    assert rest == f"\n\n- {WITHHELD}"


def test_claims_and_citations_count_in_what_was_sent(verifier: Verifier) -> None:
    gate = gate_of(verifier)
    text = "".join(
        streamed_through(
            gate, "Pets are forbidden [1]. So are birds [1]. Dutch law governs the lease [2]. Notice is ninety days [1]."
        )
    )
    cited = gate.cited
    assert [text[claim.start : claim.end] for claim in cited.claims] == [WITHHELD, "Dutch law governs the lease [2].", WITHHELD]
    assert [claim.verdict for claim in cited.claims] == [Verdict.NOT_FOUND, Verdict.SUPPORTED, Verdict.CONTRADICTED]
    assert [claim.citations for claim in cited.claims] == [(), (0,), ()]
    assert [citation.n for citation in cited.citations] == [2]
    assert gate.withheld == 3
    assert "ninety" not in repr(cited)


def test_without_a_verifier_what_stands_there_word_for_word_or_has_a_quote_is_sent() -> None:
    text = "The lease runs for two years [1]. Nothing is said of pets."
    assert sent(text, None) == f"The lease runs for two years [1]. {WITHHELD}"


def test_a_claim_that_only_its_text_speaks_for_is_given_its_label_and_sent(verifier: Verifier) -> None:
    assert sent("The landlord insures the house against fire.", verifier) == "The landlord insures the house against fire."


GOOD = ("The lease runs for two years", "Dutch law governs the lease", "The rent is paid every month")
BAD = ("Zebras may graze in the garden", "The zebra fee is ninety euros", "Zebras vote (see the zebra act) at noon")
CLAIMS = st.tuples(st.sampled_from(GOOD + BAD), st.sampled_from((" [1].", " [2].", " [1][2].", ".", ". [1]", " [7].", "! [2]")))
SENTENCE = CLAIMS.map("".join)
PARAGRAPH = st.lists(SENTENCE, min_size=1, max_size=4).map(" ".join)
ITEM = st.tuples(st.sampled_from(("- ", "1. ", "* ", "  - ", "> ", "- [ ] ")), PARAGRAPH).map("".join)
BOLD = PARAGRAPH.map(lambda text: f"**{text}**")
ROW = st.lists(SENTENCE, min_size=1, max_size=3).map(lambda cells: f"| {' | '.join(cells)} |")
TABLE = st.lists(ROW, min_size=1, max_size=3).map(lambda rows: "\n".join(["| Term | Value |", "|---|---|", *rows]))
LIST = st.lists(ITEM, min_size=1, max_size=4).map("\n".join)
APART = st.sampled_from(("# Lease", "```\ncode()\n```", "---", "$$x$$", "[1]", "[2][1]"))
TEXT = st.lists(st.one_of(PARAGRAPH, BOLD, LIST, TABLE, APART), min_size=1, max_size=5).map("\n\n".join)


@settings(max_examples=150, deadline=None)
@given(text=TEXT, data=st.data())
def test_however_a_text_is_cut_the_same_is_sent_and_nothing_withheld_leaks(
    verifier: Verifier, text: str, data: st.DataObject
) -> None:
    cuts = data.draw(st.lists(st.integers(0, len(text)), max_size=40))
    whole, gate = sent(text, verifier), gate_of(verifier)
    pieces = list(streamed_through(gate, text, cuts))
    assert "".join(pieces) == whole
    assert "zebra" not in whole.lower()
    so_far = ""
    for piece in pieces:
        so_far += piece
        assert so_far.count("[withheld") == so_far.count(WITHHELD)
        assert so_far.count("[") == so_far.count("]")
    for claim in gate.cited.claims:
        assert (whole[claim.start : claim.end] == WITHHELD) == (not claim.citations)
        assert all(at < len(gate.cited.citations) for at in claim.citations)


HOSTILE = st.lists(
    st.sampled_from(
        (
            "A b",
            "c. D ",
            "[1]",
            " [2]",
            "\n",
            "\n\n",
            "- ",
            "1. ",
            "    ",
            "> ",
            "|",
            "|-|",
            "`",
            "```\n",
            "$",
            "$$",
            "**",
            '"',
            "(",
            ")",
            "“",
            "<!--",
            "<a",
            "#",
            "。天",
            "z B. ",
            "\\[",
        )
    ),
    max_size=30,
).map("".join)


@settings(max_examples=200, deadline=None)
@given(text=HOSTILE, data=st.data())
def test_also_broken_markdown_is_sent_the_same_however_it_is_cut(text: str, data: st.DataObject) -> None:
    cuts = data.draw(st.lists(st.integers(0, len(text)), max_size=40))
    assert "".join(streamed(text, None, cuts)) == sent(text, None)


@settings(max_examples=100, deadline=None)
@given(text=TEXT)
def test_what_is_sent_is_what_the_whole_text_would_say(verifier: Verifier, text: str) -> None:
    transducer = MarkerTransducer({source.n for source in SOURCES})
    shown = transducer.feed(text) + transducer.finish()
    blocks = [(block.start, block.end, block.cells) for block in blocks_of(shown)]
    citing = Citing(SOURCES, verifier, QUESTION)
    kept: list[str] = []
    runs: list[int] = []
    for span in split_claims(shown, transducer.marks, "en"):
        said = claim_text(shown, span, transducer.marks)
        block, cells = next((start, cells) for start, end, cells in blocks if start <= span.start < end)
        if citing.judge(span.labels, said, "en").is_supported:
            kept.append(said)
            runs.append(-1)
        elif cells or runs[-1:] != [block]:
            kept.append(WITHHELD)
            runs.append(block)
    gate = gate_of(verifier)
    whole = "".join(streamed_through(gate, text))
    found = [whole[claim.start : claim.end] for claim in gate.cited.claims]
    assert len(found) == len(kept)
    assert all(
        mine == WITHHELD if told == WITHHELD else told.split("[")[0].strip("*. !") in mine
        for told, mine in zip(kept, found, strict=True)
    )
