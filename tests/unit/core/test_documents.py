from uuid import RFC_4122, UUID

from pincite.core.documents import CanonicalText, Page, PageSpan, SourceRun
from pincite.core.ids import new_id
from pincite.core.index_text import index_text


def two_pages() -> CanonicalText:
    text = "First part of a sentence that goes on."
    return CanonicalText(
        text,
        (),
        (Page(1, "i"), Page(2, "ii")),
        (SourceRun(0, 10, 1, 5, 10), SourceRun(11, 27, 2, 0, 27)),
    )


def test_a_run_over_a_page_break_stands_on_both_pages() -> None:
    spans = two_pages().page_spans(6, 20)
    assert [(span.page, span.label, span.start, span.end) for span in spans] == [(1, "i", 6, 10), (2, "ii", 11, 20)]


def test_the_bates_number_of_a_page_goes_with_its_label() -> None:
    canonical = CanonicalText("One two", (), (Page(1, "i", bates="ABC000123"),), (SourceRun(0, 7, 1, 0, 7),))
    assert canonical.page_spans(0, 3) == (PageSpan(1, "i", 0, 3, "ABC000123"),)


def test_a_page_that_is_not_listed_has_its_number_for_a_label() -> None:
    assert CanonicalText("One", (), (Page(1, "i"),), (SourceRun(0, 3, 7, 0, 3),)).page_spans(0, 3) == (PageSpan(7, "7", 0, 3),)


def test_a_run_within_one_page_stands_on_that_page() -> None:
    assert [span.page for span in two_pages().page_spans(12, 20)] == [2]


def test_runs_that_correspond_one_to_one_are_cut_and_others_stand_whole() -> None:
    canonical = CanonicalText("office", (), (), (SourceRun(0, 1, 1, 0, 1), SourceRun(1, 3, 1, 1, 1), SourceRun(4, 2, 1, 2, 2)))
    assert canonical.runs_within(2, 5) == [SourceRun(1, 3, 1, 1, 1), SourceRun(4, 1, 1, 2, 1)]


def test_a_text_without_pages_has_no_page_spans() -> None:
    assert CanonicalText("abc", ()).page_spans(0, 3) == ()


def test_index_text_joins_title_and_headings_before_the_text() -> None:
    assert index_text("Lease", ("1 Term",), "Two years.") == "Lease › 1 Term\nTwo years."
    assert index_text("", (), "Two years.") == "Two years."


def test_index_text_doesnt_repeat_a_heading_that_the_text_begins_with() -> None:
    assert index_text("Lease", ("1 Term",), "1 Term\n\nTwo years.") == "Lease\n1 Term\n\nTwo years."
    assert index_text("T", (), "The law.") == "T\nThe law."


def test_ids_are_uuids_of_version_7_that_sort_by_time() -> None:
    ids = [new_id() for _ in range(50)]
    assert len(set(ids)) == 50
    read = [UUID(identifier) for identifier in ids]
    assert [(str(value), value.version, value.variant) for value in read] == [(identifier, 7, RFC_4122) for identifier in ids]
    assert [identifier[:13] for identifier in ids] == sorted(identifier[:13] for identifier in ids)
