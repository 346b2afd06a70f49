"""Compares quotes that were given with the store as it is now: those of a receipt, and those of all answers of a collection."""

from collections.abc import AsyncGenerator, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from pincite.answering.comparing import EXACT, Around, Match, around, matches
from pincite.answering.receipt_checks import CheckedReceipt
from pincite.core.answers import AnswerRecord
from pincite.core.documents import CanonicalText
from pincite.core.ids import CollectionId, DocumentId, MessageId, VersionId, WorkspaceId
from pincite.core.ports.store import Store, UnitOfWork
from pincite.core.receipts import commitment
from pincite.core.standings import KnownQuote, QuoteStanding, Standing

NOT_OURS = "This store didn't issue the receipt and has no such document."
WITHHELD = "Its words are withheld, and this store doesn't keep them."
NO_DOCUMENT = "It was found by a retriever of your own, in no document that is kept here."
_ANSWERS_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class AnswerStandings:
    """An answer with what became of each of its quotes."""

    message_id: MessageId
    question: str
    quotes: tuple[QuoteStanding, ...]

    @property
    def has_drifted(self) -> bool:
        """Say whether any quote isn't where it was, as it was."""
        return any(each.standing is not Standing.UNCHANGED for each in self.quotes)


@dataclass(frozen=True, slots=True)
class Standings:
    """Compares quotes with the documents of a workspace. Changes nothing."""

    store: Store
    workspace_id: WorkspaceId

    async def of_receipt(self, receipt: CheckedReceipt) -> list[QuoteStanding]:
        """Return what became of each quote of a receipt.

        Where the receipt withholds words, those that this store keeps with the answer are compared, if they are the ones signed.
        """
        async with self.store.open(self.workspace_id) as work:
            record = await work.answers.get(MessageId(str(receipt.statement["message_id"])))
            found = await _Comparison(work).of([_quote(receipt, at, record) for at in range(len(receipt.passages))])
        if record is None:
            return [_foreign(each) for each in found]
        return found

    async def of_collection(self, collection_id: CollectionId) -> AsyncGenerator[AnswerStandings, None]:
        """Yield what became of the quotes of each answer that cites documents of a collection, the oldest answer first."""
        last: MessageId | None = None
        while True:
            async with self.store.open(self.workspace_id) as work:
                some = await work.answers.citing(collection_id, after=last, limit=_ANSWERS_AT_ONCE)
                comparison = _Comparison(work)
                found = [await _standing_of(work, comparison, message_id) for message_id in some]
            for each in filter(None, found):
                yield each
            if len(some) < _ANSWERS_AT_ONCE:
                return
            last = some[-1]


async def _standing_of(work: UnitOfWork, comparison: "_Comparison", message_id: MessageId) -> AnswerStandings | None:
    record = await work.answers.get(message_id)
    if record is None:
        return None
    quotes = [
        KnownQuote(
            quote.n,
            quote.document_id,
            quote.version_id,
            quote.start,
            quote.end,
            None if quote.erased else quote.text,
            _numbers(span.page for span in quote.spans),
        )
        for quote in record.evidence
    ]
    return AnswerStandings(message_id, record.question, tuple(await comparison.of(quotes)))


def _quote(receipt: CheckedReceipt, at: int, record: AnswerRecord | None) -> KnownQuote:
    stated = receipt.passages[at]
    places = receipt.opened.get(f"places/{at}")
    spans = cast("list[dict[str, Any]]", places) if isinstance(places, list) else []
    pages = _numbers(span.get("page") for span in spans if isinstance(cast("object", span), dict))
    text = receipt.text(f"passages/{at}")
    kept = record.evidence[at] if record and at < len(record.evidence) else None
    if text is None and kept and kept.nonce:
        is_signed = commitment(kept.nonce, kept.text) == receipt.statement["commitments"].get(f"passages/{at}")
        text = kept.text if is_signed else None
        pages = _numbers(span.page for span in kept.spans) if is_signed else pages
    return KnownQuote(
        stated["n"], DocumentId(stated["document_id"]), VersionId(stated["version_id"]), stated["start"], stated["end"], text, pages
    )


def _numbers(pages: Iterable[object]) -> tuple[int, ...]:
    return tuple(page for page in pages if isinstance(page, int))


def _foreign(found: QuoteStanding) -> QuoteStanding:
    """A store that never knew a document can't say that it is gone."""
    if found.standing is not Standing.GONE or found.version_id or found.path:
        return found
    return replace(found, standing=Standing.NOT_COMPARED, reason=NOT_OURS)


class _Comparison:
    """Compares quotes within one unit of work, reading each document once. Answers that follow each other often cite the same."""

    def __init__(self, work: UnitOfWork) -> None:
        self._work = work
        self._texts: dict[VersionId, CanonicalText | None] = {}

    async def of(self, quotes: Sequence[KnownQuote]) -> list[QuoteStanding]:
        """Return what became of quotes."""
        return [await self._of(quote) for quote in quotes]

    async def _of(self, quote: KnownQuote) -> QuoteStanding:
        if not quote.document_id:
            return QuoteStanding(quote, Standing.NOT_COMPARED, NO_DOCUMENT)
        if quote.document_id in await self._work.keeping.erased([quote.document_id]):
            return QuoteStanding(quote, Standing.ERASED, "The document was erased.")
        document = await self._work.documents.get(quote.document_id)
        if document is None or document.version_id is None:
            return await self._gone(quote)
        if quote.text is None:
            return QuoteStanding(quote, Standing.NOT_COMPARED, WITHHELD, path=document.path, version_id=document.version_id)
        found = await self._in(quote, quote.text, document.version_id)
        return replace(found, path=document.path, version_id=document.version_id)

    async def _gone(self, quote: KnownQuote) -> QuoteStanding:
        removed = await self._work.keeping.removed(quote.document_id)
        if removed is None:
            return QuoteStanding(quote, Standing.GONE, "There is no such document here.")
        same = await self._work.documents.with_bytes([removed.document.sha256])
        twin = f", and {same[0].path} has the same bytes" if same else ""
        reason = f"The document was removed on {removed.removed_at:%Y-%m-%d}{twin}."
        return QuoteStanding(quote, Standing.GONE, reason, path=removed.document.path)

    async def _in(self, quote: KnownQuote, text: str, version_id: VersionId) -> QuoteStanding:
        now = await self._text(version_id)
        if now is None:
            return QuoteStanding(quote, Standing.GONE, "The document has no text any more.")
        if version_id == quote.version_id and now.text[quote.start : quote.end] == text:
            return _standing(quote, now, [Match(quote.start, quote.end, EXACT)])
        then = await self._text(quote.version_id)
        is_known = then is not None and then.text[quote.start : quote.end] == text
        context = around(then.text, quote.start, quote.end) if then and is_known else Around()
        near = quote.start * len(now.text) // max(1, len(then.text)) if then and is_known else quote.start
        found = matches(text, now.text, near=near, context=context, then=then.text if then and is_known else "")
        return _standing(quote, now, found)

    async def _text(self, version_id: VersionId) -> CanonicalText | None:
        if version_id not in self._texts:
            while len(self._texts) >= 8:
                del self._texts[next(iter(self._texts))]
            self._texts[version_id] = await self._work.versions.canonical(version_id)
        return self._texts[version_id]


def _standing(quote: KnownQuote, now: CanonicalText, found: Sequence[Match]) -> QuoteStanding:
    """Return the standing by the first match that is on the quote's pages, else by the likeliest one."""
    if not found:
        return QuoteStanding(quote, Standing.GONE, "The document doesn't say it any more, nor anything like it.")
    placed = [(match, tuple(page.page for page in now.page_spans(match.start, match.end))) for match in found]
    match, pages = next((each for each in placed if each[1] == quote.pages), placed[0])
    text = now.text[match.start : match.end]
    if not match.equal_by:
        return QuoteStanding(quote, Standing.CHANGED, "The document says something else in its place.", "", text, pages)
    if pages != quote.pages:
        return QuoteStanding(quote, Standing.MOVED, "It stands on another page.", match.equal_by, text, pages)
    return QuoteStanding(quote, Standing.UNCHANGED, "", match.equal_by, text, pages)
