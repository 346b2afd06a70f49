"""Words that OCR read, and what is doubtful of them."""

from pincite.core.answers import Quote, Span
from pincite.core.documents import Block, BlockRole, CanonicalText, Page, PageSpan, SourceRun
from pincite.core.merging import merged, merged_all
from pincite.core.ocr import DOUBTFUL_BELOW, ReadWord, is_doubtful, least_confidence


def word(page: int, index: int, count: int, confidence: float = 1.0) -> ReadWord:
    return ReadWord(page, index, count, 10.0 * index, 20.0, 10.0 * (index + count), 32.0, confidence)


def page_text(number: int, text: str, *words: ReadWord, role: BlockRole = BlockRole.BODY) -> CanonicalText:
    """Return a page with one block, whose characters are those of the page."""
    run = SourceRun(0, len(text), number, 0, len(text))
    return CanonicalText(text, (Block(role, 0, len(text), number),), (Page(number, str(number), 612.0, 792.0),), (run,), words)


READ = page_text(2, "fee of 40", word(2, 0, 3), word(2, 4, 2), word(2, 7, 2, 0.4))


def test_the_words_of_a_run_are_those_that_it_overlaps() -> None:
    assert READ.words_of(SourceRun(0, 9, 2, 0, 9)) == READ.words
    assert READ.words_of(SourceRun(2, 3, 2, 2, 3)) == READ.words[:2]
    assert READ.words_of(SourceRun(3, 1, 2, 3, 1)) == ()
    assert READ.words_of(SourceRun(0, 9, 1, 0, 9)) == ()


def test_a_span_says_that_ocr_read_its_page() -> None:
    assert READ.page_spans(0, 3) == (PageSpan(2, "2", 0, 3, "", ocr=True),)
    assert not page_text(1, "text").page_spans(0, 4)[0].ocr


def test_text_is_as_sure_as_its_least_sure_word_and_text_of_the_file_is_never_doubtful() -> None:
    assert least_confidence(READ.words) == 0.4
    assert least_confidence(()) is None
    assert [is_doubtful(value) for value in (None, DOUBTFUL_BELOW, DOUBTFUL_BELOW - 0.01)] == [False, False, True]


def test_a_quote_is_doubtful_when_a_span_is() -> None:
    sure, unsure = Span(1, "1", "", confidence=0.99), Span(2, "2", "", confidence=0.4)
    assert Quote("x", 0, 1, (sure, unsure)).as_dict()["doubtful"] is True
    assert "doubtful" not in Quote("x", 0, 1, (sure,)).as_dict()
    assert "confidence" not in Span(1, "1", "").as_dict()


def test_read_pages_are_put_where_they_stand_and_other_text_is_untouched() -> None:
    first, third = page_text(1, "one"), page_text(3, "three")
    file = merged_all([first, third])
    whole = merged(file, READ)
    assert whole.text == "one\n\nfee of 40\n\nthree"
    assert [block.page for block in whole.blocks] == [1, 2, 3]
    assert [page.number for page in whole.pages] == [1, 2, 3]
    assert [(run.start, run.page, run.index) for run in whole.runs] == [(0, 1, 0), (5, 2, 0), (16, 3, 0)]
    assert [entry.confidence for entry in whole.words_of(whole.runs_within(12, 14)[0])] == [0.4]


def test_what_was_lifted_out_of_the_flow_stays_behind_it() -> None:
    foot = page_text(1, "foot", role=BlockRole.FOOTER)
    whole = merged_all([page_text(1, "one"), foot, READ])
    assert whole.text == "one\n\nfee of 40\n\nfoot"
    assert merged_all([]) == CanonicalText("", ())


def test_a_page_that_both_know_is_the_one_that_was_read() -> None:
    pictures = CanonicalText("", (), (Page(1, "1"), Page(2, "ii")))
    assert [page.label for page in merged(pictures, READ).pages] == ["1", "2"]
