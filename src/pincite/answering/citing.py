"""From a finished text and its marks to claims, citations and quotes."""

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pincite.answering.claims import ClaimSpan, claim_text, split_claims
from pincite.answering.figures import Given, lacking, listed, together
from pincite.answering.markers import Mark
from pincite.answering.quotes import NUMBER_MISSING, QuoteMatch, find_quote
from pincite.answering.segments import language_of
from pincite.core.answers import Citation, Claim, FrozenQuote, Quote, Span, Verdict
from pincite.core.errors import RefusedInput
from pincite.core.evidence import Passage, Source
from pincite.core.ids import VersionId
from pincite.core.ports.locator import Locator
from pincite.language.detect import detect
from pincite.language.quantities import Figures, figures_of


@dataclass(frozen=True, slots=True)
class Cited:
    """The claims of an answer and the citations that they point at."""

    claims: tuple[Claim, ...]
    citations: tuple[Citation, ...]


def cite(text: str, marks: Sequence[Mark], sources: Sequence[Source], *, lang: str = "") -> Cited:
    """Return every claim of the text, and per claim and label one citation with its quote.

    Claims that a label supports with the same quote share the citation.
    """
    by_number = {source.n: source for source in sources}
    citations: list[Citation] = []
    claims: list[Claim] = []
    figures: dict[int, list[Figures]] = {}
    written = lang or detect(text)
    for span in split_claims(text, marks, written):
        said = claim_text(text, span, marks)
        matches = [(n, find_quote(said, by_number[n], lang=lang)) for n in span.labels if n in by_number]
        indexes = [_place(citations, _citation(n, match)) for n, match in matches if match]
        given = _given(figures, [by_number[n] for n, match in matches if match])
        claims.append(_claim(span, [match for _, match in matches if match], indexes, lacking(said, given, written)))
    return Cited(tuple(claims), tuple(citations))


def _citation(n: int, match: QuoteMatch) -> Citation:
    passage = match.passage
    quote = Quote(match.text, match.start, match.end, _page_spans(passage, match.start, match.end))
    return Citation(n, passage.document_id, passage.version_id, passage.chunk_id, (quote,))


def _place(citations: list[Citation], citation: Citation) -> int:
    """Return the index of an equal citation, adding it when it is new."""
    if citation not in citations:
        citations.append(citation)
    return citations.index(citation)


def _given(known: dict[int, list[Figures]], sources: Sequence[Source]) -> Given:
    """Return the figures of sources; each is read once an answer."""
    for source in sources:
        if source.n not in known:
            titled = [figures_of(source.title, language_of(source.best))]
            known[source.n] = titled + [figures_of(passage.text, language_of(passage)) for passage in source.quotable]
    return together(figures for source in sources for figures in known[source.n])


def _claim(span: ClaimSpan, matches: Sequence[QuoteMatch], indexes: Sequence[int], missing: Sequence[str]) -> Claim:
    support = max((match.support for match in matches), default=None)
    if any(match.literal for match in matches):
        verdict, reason = Verdict.SUPPORTED, "The claim stands word for word in its quote."
    elif indexes and missing:
        verdict, reason = Verdict.NOT_CHECKED, f"Its sources don't say {listed(missing)}; compare the claim with its quote."
        support = min(support or 0.0, NUMBER_MISSING)
    elif indexes:
        verdict, reason = Verdict.NOT_CHECKED, "The claim is not a literal quote; compare it with its quote."
    else:
        verdict, reason = Verdict.NOT_CHECKED, "The claim carries no citation."
    return Claim(span.start, span.end, verdict, support, reason, tuple(dict.fromkeys(indexes)))


def _page_spans(passage: Passage, start: int, end: int) -> tuple[Span, ...]:
    """Return the pages of a quote as far as the passage knows them: without boxes."""
    section = " › ".join(passage.heading_path)
    pages = [page for page in passage.pages if page.start < end and page.end > start]
    return tuple(Span(page.page, page.label, section, bates=page.bates) for page in pages) or (Span(None, None, section),)


async def locate_quotes(citations: Sequence[Citation], locator: Locator) -> tuple[Citation, ...]:
    """Return the citations with the boxes of their quotes. A file that can't be read any more leaves them without boxes."""
    found: dict[tuple[VersionId, int, int], tuple[Span, ...]] = {}
    wanted: dict[VersionId, set[tuple[int, int]]] = {}
    for citation in citations:
        wanted.setdefault(citation.version_id, set()).update((quote.start, quote.end) for quote in citation.quotes)
    for version_id, places in wanted.items():
        ranges = sorted(places)
        try:
            spans = await locator.locate(version_id, ranges)
        except RefusedInput:
            continue
        found.update({(version_id, start, end): span for (start, end), span in zip(ranges, spans, strict=True)})

    def located(citation: Citation, quote: Quote) -> Quote:
        spans = found.get((citation.version_id, quote.start, quote.end), ())
        section = quote.spans[0].section if quote.spans else ""
        return replace(quote, spans=tuple(replace(span, section=section) for span in spans)) if spans else quote

    return tuple(replace(c, quotes=tuple(located(c, quote) for quote in c.quotes)) for c in citations)


def freeze(citations: Sequence[Citation]) -> tuple[FrozenQuote, ...]:
    """Return the cited passages as they are kept: each with a nonce and the commitment SHA-256(nonce ‖ text)."""
    return tuple(_frozen(citation, quote) for citation in citations for quote in citation.quotes)


def _frozen(citation: Citation, quote: Quote) -> FrozenQuote:
    nonce = os.urandom(16).hex()
    commitment = hashlib.sha256(bytes.fromhex(nonce) + quote.text.encode(errors="surrogatepass")).hexdigest()
    return FrozenQuote(
        n=citation.n,
        document_id=citation.document_id,
        version_id=citation.version_id,
        start=quote.start,
        end=quote.end,
        text=quote.text,
        nonce=nonce,
        commitment=commitment,
        spans=quote.spans,
    )
