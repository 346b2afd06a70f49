"""From a finished text and its marks to claims, citations and quotes."""

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from pincite.answering.claims import claim_text, split_claims
from pincite.answering.figures import lacking, listed, together
from pincite.answering.markers import Mark
from pincite.answering.quotes import NUMBER_MISSING, QuoteMatch, find_quote
from pincite.answering.verify import LITERAL, Evidence, Judgement, Verifier
from pincite.core.answers import Citation, Claim, FrozenQuote, Quote, Span, Verdict
from pincite.core.errors import RefusedInput
from pincite.core.evidence import Passage, Source
from pincite.core.ids import VersionId
from pincite.core.ports.locator import Locator
from pincite.language.detect import detect

_WORTH_JUDGING = 0.2
"""A source that holds less of a claim's words in one place isn't tried for one without a label."""
_MOST_TRIED = 2


@dataclass(frozen=True, slots=True)
class Cited:
    """The claims of an answer and the citations that they point at."""

    claims: tuple[Claim, ...]
    citations: tuple[Citation, ...]


def cite(
    text: str,
    marks: Sequence[Mark],
    sources: Sequence[Source],
    *,
    lang: str = "",
    verifier: Verifier | None = None,
    question: str = "",
    judging: bool = True,
) -> Cited:
    """Return every claim of the text with its verdict, and per claim and label one citation with its quote.

    Claims that a label supports with the same quote share the citation. Without a `verifier` only claims that stand word for word
    in their quotes get a verdict, without `judging` none does. With one, a claim without a label that a source supports is given
    that source's label. `question` is what the text answers, `lang` the language that its claims are quoted by.
    """
    written = lang or detect(text)
    citing = Citing(sources, verifier, question, lang=lang, judging=judging)
    claims = [
        citing.state(span.start, span.end, citing.judge(span.labels, claim_text(text, span, marks), written))
        for span in split_claims(text, marks, written)
    ]
    return Cited(tuple(claims), tuple(citing.citations))


@dataclass(frozen=True, slots=True)
class Judged:
    """A verdict on a claim, with the quotes of its labels and who issued these."""

    judgement: Judgement
    matches: Sequence[tuple[int, QuoteMatch]] = ()
    issued_by: Literal["model", "verifier"] = "model"

    @property
    def is_supported(self) -> bool:
        """Whether it may stand where claims that aren't supported may not.

        It needs a quote, and no verdict against it. One that can't be checked stands: its quote is all that anybody can say.
        """
        return bool(self.matches) and self.judgement.verdict not in (Verdict.CONTRADICTED, Verdict.NOT_FOUND)


class Citing:
    """The claims of one answer on their way to verdicts, and the citations so far."""

    def __init__(
        self, sources: Sequence[Source], verifier: Verifier | None, question: str = "", *, lang: str = "", judging: bool = True
    ) -> None:
        self.citations: list[Citation] = []
        self._by_number = {source.n: source for source in sources}
        self._lang = lang
        self._verifier = verifier if judging else None
        self._question = question
        self._judging = judging
        self._evidence = Evidence(sources)

    def judge(self, numbers: Sequence[int], said: str, written: str) -> Judged:
        """Return the verdict on a claim with these labels, in the language that it is `written` in."""
        labels = [n for n in numbers if n in self._by_number]
        matches = [(n, match) for n in labels if (match := find_quote(said, self._by_number[n], lang=self._lang))]
        if not self._judging:
            return Judged(_NOT_JUDGED, matches)
        if labels or not self._verifier:
            return Judged(self._judged(said, matches, written) if matches else _uncited(labels, self._verifier), matches)
        near: int | None = None
        for match in self._found(said):
            judged = self._judged(said, [match], written)
            if judged.verdict is Verdict.SUPPORTED:
                return Judged(judged, [match], "verifier")
            near = match[0] if near is None and judged.verdict is Verdict.PARTLY else near
        return Judged(_uncited(labels, self._verifier, near))

    def state(self, start: int, end: int, judged: Judged) -> Claim:
        """Return a judged claim as it stands in the answer, with its citations."""
        found = [place(self.citations, _citation(n, match, judged.issued_by)) for n, match in judged.matches]
        told = judged.judgement
        return Claim(start, end, told.verdict, told.support, told.reason, tuple(dict.fromkeys(found)))

    def _found(self, said: str) -> list[tuple[int, QuoteMatch]]:
        """Return the sources that hold most of a claim without a label, the one that holds most of it first."""
        every = [(n, match) for n, source in self._by_number.items() if (match := find_quote(said, source, lang=self._lang))]
        worth = [item for item in every if item[1].support >= _WORTH_JUDGING]
        return sorted(worth, key=lambda item: -item[1].support)[:_MOST_TRIED]

    def _judged(self, said: str, matches: Sequence[tuple[int, QuoteMatch]], written: str) -> Judgement:
        if any(match.literal for _, match in matches):
            return LITERAL
        sides = self._evidence.sides([n for n, _ in matches])
        if self._verifier:
            return self._verifier.judge(said, sides, written, question=self._question)
        missing = lacking(said, together(side.figures for side in sides), written)
        support = max(match.support for _, match in matches)
        if missing:
            reason = f"Its sources don't say {listed(missing)}; compare the claim with its quote."
            return Judgement(Verdict.NOT_CHECKED, min(support, NUMBER_MISSING), reason)
        return Judgement(Verdict.NOT_CHECKED, support, "The claim is not a literal quote; compare it with its quote.")


_NOT_JUDGED = Judgement(Verdict.NOT_CHECKED, None, "The collection has claims not checked; compare it with its quote.")


def _uncited(labels: Sequence[int], verifier: Verifier | None, near: int | None = None) -> Judgement:
    if labels:
        return Judgement(Verdict.NOT_CHECKED, None, "What it cites can't be quoted.")
    if verifier is None:
        return Judgement(Verdict.NOT_CHECKED, None, "The claim carries no citation.")
    if near is not None:
        reason = f"The claim carries no citation; source {near} says part of it, or says it otherwise."
        return Judgement(Verdict.NOT_FOUND, None, reason)
    return Judgement(Verdict.NOT_FOUND, None, "The claim carries no citation, and it wasn't found in the sources.")


def _citation(n: int, match: QuoteMatch, issued_by: Literal["model", "verifier"]) -> Citation:
    return citation_at(n, match.passage, match.start, match.end, issued_by)


def citation_at(n: int, passage: Passage, start: int, end: int, issued_by: Literal["model", "verifier"] = "verifier") -> Citation:
    """Return a citation of `[start, end)` of the canonical text, which stands in a passage."""
    text = passage.text[start - passage.start : end - passage.start]
    quote = Quote(text, start, end, _page_spans(passage, start, end))
    return Citation(n, passage.document_id, passage.version_id, passage.chunk_id, (quote,), issued_by)


def place(citations: list[Citation], citation: Citation) -> int:
    """Return the index of an equal citation, adding it when it is new."""
    if citation not in citations:
        citations.append(citation)
    return citations.index(citation)


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


def doubt(cited: Cited) -> Cited:
    """Return the claims with a number whose quotes hold a word that OCR isn't sure of as not checked."""
    claims = tuple(_doubted(claim, cited.citations) for claim in cited.claims)
    return Cited(claims, cited.citations)


def _doubted(claim: Claim, citations: Sequence[Citation]) -> Claim:
    quotes = [quote for at in claim.citations for quote in citations[at].quotes]
    doubtful = any(quote.is_doubtful and any(map(str.isdigit, quote.text)) for quote in quotes)
    if not doubtful or claim.verdict not in (Verdict.SUPPORTED, Verdict.CONTRADICTED):
        return claim
    reason = "OCR isn't sure of a word of its quote, which holds numbers; compare it with the page."
    return replace(claim, verdict=Verdict.NOT_CHECKED, reason=reason, judged_by="")


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
