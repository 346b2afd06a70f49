"""What stays of a stored answer when documents that it rests on are erased."""

from dataclasses import replace

from pincite.core.answers import Answer, AnswerRecord, Citation, Claim, Conflict, FrozenQuote, Quote, Span
from pincite.core.documents import PageSpan
from pincite.core.evidence import Passage, Source
from pincite.core.ids import ChunkId, DocumentId, MessageId, VersionId
from pincite.core.redacting import documents_of, mask, redacted

GONE, STAYS = DocumentId("gone"), DocumentId("stays")
TEXT = "# Fees\nThe fee is 40 [1]. Notice is sixty days [2]. Both are so [1][2]. Nobody knows."


def passage(document_id: DocumentId, text: str) -> Passage:
    pages = (PageSpan(3, "iii", 0, len(text), "ABC3"),)
    where = {"chunk_id": ChunkId(f"c-{document_id}"), "version_id": VersionId(f"v-{document_id}"), "end": len(text)}
    return Passage(text, document_id, "Title", "a.pdf", pages=pages, heading_path=("One",), metadata={"source_uri": "x"}, **where)  # type: ignore[arg-type]


def citation(n: int, document_id: DocumentId, text: str) -> Citation:
    return Citation(n, document_id, VersionId("v"), ChunkId("c"), (Quote(text, 0, len(text), (Span(3, "iii", "One"),)),))


def claim(said: str, *citations: int) -> Claim:
    start = TEXT.index(said)
    return Claim(start, start + len(said), citations=citations)


RECORD = AnswerRecord(
    "What is the fee?",
    Answer(
        TEXT,
        (Source(1, (passage(GONE, "The fee is 40."),)), Source(2, (passage(STAYS, "Notice is sixty days."),))),
        (citation(1, GONE, "The fee is 40."), citation(2, STAYS, "Notice is sixty days.")),
        (
            claim("The fee is 40 [1].", 0),
            claim("Notice is sixty days [2].", 1),
            claim("Both are so [1][2].", 0, 1),
            claim("Nobody knows."),
        ),
        message_id=MessageId("m"),
    ),
    (
        FrozenQuote(1, GONE, VersionId("v"), 0, 14, "The fee is 40.", "aa", "ff", (Span(3, "iii", "One"),)),
        FrozenQuote(2, STAYS, VersionId("v"), 0, 21, "Notice is sixty days.", "bb", "ee"),
    ),
)


def test_claims_that_cite_other_documents_alone_stay_where_they_are() -> None:
    found = redacted(RECORD, {GONE}, mask)
    assert len(found.answer.text) == len(TEXT)
    assert found.answer.text.replace("█", "").split() == ["Notice", "is", "sixty", "days", "[2]."]
    kept = found.answer.claims[1]
    assert found.answer.text[kept.start : kept.end] == "Notice is sixty days [2]."
    assert found.answer.claims == RECORD.answer.claims


def test_passages_quotes_and_nonces_of_what_is_gone_are_empty_and_marked_and_the_others_as_they_were() -> None:
    found = redacted(RECORD, {GONE}, mask)
    gone, stays = found.answer.sources
    assert (gone.best.text, gone.best.title, gone.best.path, gone.best.heading_path, gone.best.metadata) == ("", "", "", (), {})
    assert (gone.best.document_id, gone.best.version_id, gone.page, gone.best.end) == (GONE, "v-gone", 3, 14)
    assert gone.as_dict()["status"] == "erased"
    assert stays == RECORD.answer.sources[1]
    assert "status" not in stays.as_dict()
    first, second = found.answer.citations
    assert (first.as_dict()["status"], first.quotes) == ("erased", (Quote("", 0, 14),))
    assert second == RECORD.answer.citations[1]
    frozen, other = found.evidence
    assert (frozen.erased, frozen.text, frozen.nonce, frozen.spans, frozen.commitment) == (True, "", "", (), "ff")
    assert other == RECORD.evidence[1]


def test_nothing_of_an_answer_is_left_that_rests_on_what_is_gone_alone() -> None:
    found = redacted(RECORD, {GONE, STAYS}, mask)
    left = [found.question, found.answer.text, *(quote.text for quote in found.evidence)]
    assert not any(character.isalnum() for text in left for character in text)


def test_the_documents_of_sources_are_named_once() -> None:
    assert documents_of(RECORD.answer.sources + RECORD.answer.sources) == (GONE, STAYS)


def test_a_conflict_goes_with_either_of_its_documents() -> None:
    sides = (citation(1, GONE, "The fee is 40."), citation(2, STAYS, "The fee is 50."))
    same = (citation(2, STAYS, "Notice is sixty days."), citation(3, DocumentId("other"), "Notice is ninety days."))
    conflicts = (Conflict(("40", "50"), sides), Conflict(("sixty days", "ninety days"), same))
    found = redacted(replace(RECORD, answer=replace(RECORD.answer, conflicts=conflicts)), {GONE}, mask)
    assert found.answer.conflicts == conflicts[1:]
