"""Sources: one number per page, in the order of retrieval."""

from dataclasses import replace

from pincite.answering.sources import Numbering, group_sources
from pincite.core.documents import PageSpan
from pincite.core.evidence import Passage
from pincite.core.ids import DocumentId, VersionId


def passage(text: str, document: str = "d1", *, page: int | None = None, index: int = 0, start: int = 0) -> Passage:
    pages = (PageSpan(page, str(page), start, start + len(text)),) if page else ()
    return Passage(text, DocumentId(document), version_id=VersionId("v1"), chunk_index=index, start=start, pages=pages)


def texts(passages: list[Passage]) -> list[list[str]]:
    return [[p.text for p in source.passages] for source in group_sources(passages)]


def test_passages_of_one_page_share_a_number_and_stand_in_page_order() -> None:
    found = [passage("late", page=4, index=3, start=90), passage("other page", page=2), passage("early", page=4, index=2, start=10)]
    assert texts(found) == [["early", "late"], ["other page"]]
    assert [source.n for source in group_sources(found)] == [1, 2]


def test_sources_stand_in_the_order_in_which_their_first_passage_was_found() -> None:
    found = [passage("b", "d2", page=9), passage("a", "d1", page=1), passage("c", "d2", page=9, index=1)]
    assert [source.passages[0].document_id for source in group_sources(found)] == ["d2", "d1"]


def test_a_document_without_pages_is_one_source() -> None:
    assert texts([passage("one", index=5), passage("two", index=1)]) == [["two", "one"]]


def test_a_passage_over_a_page_break_counts_for_the_page_it_starts_on() -> None:
    crossing = Passage("a b", DocumentId("d1"), version_id=VersionId("v1"), pages=(PageSpan(1, "i", 0, 1), PageSpan(2, "ii", 2, 3)))
    sources = group_sources([crossing, passage("c", page=1), passage("d", page=2)])
    assert [(source.page, len(source.passages)) for source in sources] == [(1, 2), (2, 1)]


def test_versions_of_a_document_are_not_mixed() -> None:
    newer = Passage("b", DocumentId("d1"), version_id=VersionId("v2"))
    assert len(group_sources([passage("a"), newer])) == 2


def test_the_same_text_in_two_documents_is_numbered_once_where_it_was_found_first() -> None:
    found = [passage("Notice is 60 days.", "d2"), passage("Notice  is\n60 days.", "d1"), passage("Notice is 30 days.", "d3")]
    assert [source.passages[0].document_id for source in group_sources(found)] == ["d2", "d3"]


def test_words_that_a_model_wrote_never_take_the_place_of_the_same_words_in_a_document() -> None:
    written = replace(passage("Notice is 60 days."), generated=True)
    assert texts([written, passage("Notice is 60 days.", index=1)]) == [["Notice is 60 days.", "Notice is 60 days."]]


def test_passages_of_an_own_retriever_that_share_nothing_stay_apart() -> None:
    assert len(group_sources([Passage("a"), Passage("b"), Passage("c", title="T"), Passage("d", title="U")])) == 4
    assert len(group_sources([Passage("a", title="Report"), Passage("b", title="Report")])) == 2


def test_passages_of_an_own_retriever_with_one_address_belong_together() -> None:
    by_uri = [Passage(text, metadata={"source_uri": "https://a.test/x"}) for text in "ab"]
    by_path = [Passage(text, path="x/y.md") for text in "cd"]
    by_page = [Passage(text, title="Report", pages=(PageSpan(3, "3", 0, 1),)) for text in "ef"]
    assert texts([*by_uri, *by_path, *by_page]) == [["a", "b"], ["c", "d"], ["e", "f"]]


def test_nothing_found_gives_no_sources() -> None:
    assert group_sources([]) == []


def test_over_several_searches_a_page_keeps_its_number() -> None:
    numbering = Numbering()
    first = numbering.add([passage("a", page=4), passage("b", page=2)])
    second = numbering.add([passage("c", "d2", page=1), passage("d", page=2, index=1), passage("a", page=4)])
    assert [(source.n, source.page) for source in first] == [(1, 4), (2, 2)]
    assert [(source.n, [p.text for p in source.passages]) for source in second] == [(3, ["c"]), (2, ["b", "d"]), (1, ["a"])]
    assert [source.n for source in numbering.sources] == [1, 2, 3]


def test_a_text_that_an_earlier_search_found_elsewhere_stays_there() -> None:
    numbering = Numbering()
    numbering.add([passage("the same words", page=4)])
    [again] = numbering.add([passage("the  same words", "d2", page=9)])
    assert (again.n, again.page) == (1, 4)


def test_another_version_of_a_page_is_another_source() -> None:
    numbering = Numbering()
    numbering.add([passage("sixty days", page=4)])
    [changed] = numbering.add([replace(passage("ninety days", page=4), version_id=VersionId("v2"))])
    assert (changed.n, [p.text for p in changed.passages]) == (2, ["ninety days"])
