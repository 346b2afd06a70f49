"""What stays of stored answers and logged questions that rest on documents which were erased."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace

from pincite.core.answers import Answer, AnswerRecord, Basis, Citation, Claim, FrozenQuote
from pincite.core.evidence import Passage, Source
from pincite.core.ids import CollectionId, DocumentId
from pincite.core.querylog import LoggedQuery

MASK = "█"
"""Stands for each character that is no more: offsets of what is left stay right."""


def mask(text: str) -> str:
    """Return a text of the same length and with the same white space, of which nothing can be read."""
    return "".join(character if character.isspace() else MASK for character in text)


def documents_of(sources: Iterable[Source]) -> tuple[DocumentId, ...]:
    """Return the documents that sources stand for, each once."""
    return tuple(dict.fromkeys(p.document_id for source in sources for p in source.passages if p.document_id))


def rests_on(record: AnswerRecord) -> tuple[DocumentId, ...]:
    """Return the documents that an answer rests on, or may: those of its sources, citations and quotes, each once."""
    answer = record.answer
    cited = (each.document_id for each in (*answer.citations, *record.evidence))
    return tuple(dict.fromkeys([*documents_of(answer.sources), *filter(None, cited)]))


def collections_of(record: AnswerRecord) -> dict[DocumentId, CollectionId]:
    """Return in which collections the documents of an answer's sources were."""
    passages = (passage for source in record.answer.sources for passage in source.passages)
    return {passage.document_id: passage.collection_id for passage in passages}


def redacted(record: AnswerRecord, gone: Collection[DocumentId], hide: Callable[[str], str]) -> AnswerRecord:
    """Return an answer without what documents said that are gone: passages, quotes and nonces are empty and marked.

    Of its text those claims stay that cite other documents alone; whatever else it says may rest on what is gone. `hide` is applied
    to the question.
    """
    evidence = tuple(_frozen(quote) if quote.document_id in gone else quote for quote in record.evidence)
    return AnswerRecord(hide(record.question), _answer(record.answer, gone), evidence, _basis(record.basis, gone, hide))


def redacted_query(query: LoggedQuery, hide: Callable[[str], str]) -> LoggedQuery:
    """Return a logged question without what may come from a document that is gone."""
    return replace(query, question=hide(query.question), received=mask(query.received))


def _answer(answer: Answer, gone: Collection[DocumentId]) -> Answer:
    gone = frozenset(gone)
    sources = tuple(replace(each, passages=tuple(_passage(p, gone) for p in each.passages)) for each in answer.sources)
    citations = tuple(_citation(each) if each.document_id in gone else each for each in answer.citations)
    text = _text(answer, gone)
    claims = tuple(each if _stays(each, answer, text) else replace(each, reason="") for each in answer.claims)
    conflicts = tuple(each for each in answer.conflicts if gone.isdisjoint(c.document_id for c in each.citations))
    return replace(answer, text=text, sources=sources, citations=citations, claims=claims, conflicts=conflicts)


def _stays(claim: Claim, answer: Answer, text: str) -> bool:
    """Say whether a claim can still be read. The reason of one that can't would repeat it."""
    return text[claim.start : claim.end] == answer.text[claim.start : claim.end]


def _basis(basis: Basis, gone: Collection[DocumentId], hide: Callable[[str], str]) -> Basis:
    """The prompt held what is gone, and a filter may name it."""
    versions = tuple(replace(each, title="", path="", sha256="") if each.document_id in gone else each for each in basis.versions)
    narrowed = replace(basis.filter, path_prefix=hide(basis.filter.path_prefix), tags=tuple(map(hide, basis.filter.tags)))
    return replace(basis, filter=narrowed, prompt_sha256="", versions=versions)


def _text(answer: Answer, gone: Collection[DocumentId]) -> str:
    pieces: list[str] = []
    end = 0
    for claim in sorted(answer.claims, key=lambda claim: claim.start):
        cited = {answer.citations[index].document_id for index in claim.citations}
        if cited and cited.isdisjoint(gone) and claim.start >= end:
            pieces += [mask(answer.text[end : claim.start]), answer.text[claim.start : claim.end]]
            end = claim.end
    return "".join([*pieces, mask(answer.text[end:])])


def _passage(passage: Passage, gone: Collection[DocumentId]) -> Passage:
    if passage.document_id not in gone:
        return passage
    return replace(
        passage,
        text="",
        title="",
        path="",
        pages=tuple(replace(page, label="", bates="") for page in passage.pages),
        heading_path=(),
        image_url=None,
        metadata={},
        erased=True,
    )


def _citation(citation: Citation) -> Citation:
    quotes = tuple(replace(quote, text="", spans=()) for quote in citation.quotes)
    return replace(citation, quotes=quotes, erased=True)


def _frozen(quote: FrozenQuote) -> FrozenQuote:
    return replace(quote, text="", nonce="", spans=(), erased=True)
