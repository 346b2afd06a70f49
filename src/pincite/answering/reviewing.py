"""A second opinion: claims that the verifier isn't sure of are put to a judge. What that says counts where it can be checked."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from pincite.answering.citing import Cited, citation_at, place
from pincite.answering.claims import ClaimSpan, claim_text
from pincite.answering.figures import lacking, listed, together
from pincite.answering.markers import Mark
from pincite.answering.quotes import QuoteMatch, find_quote
from pincite.answering.verify import LITERAL, Evidence
from pincite.core.answers import Citation, Claim, JudgeUse, Verdict
from pincite.core.errors import PinciteError
from pincite.core.evidence import Source
from pincite.core.messages import ModelUsage
from pincite.core.ports.judging import Judge, Ruling
from pincite.language.detect import detect

MOST_AT_ONCE = 4
"""Claims that are judged side by side."""
LEAST_SHARED = 0.25
"""Words that a judge names must hold this share of the claim's weight: "all claims are supported" holds none of it."""

_FOUND = {
    Verdict.SUPPORTED: "finds it in its quote",
    Verdict.PARTLY: "finds part of it in its quote",
    Verdict.CONTRADICTED: "finds that its quote says otherwise",
    Verdict.NOT_FOUND: "doesn't find it in its sources",
}


@dataclass(frozen=True, slots=True)
class _Opinion:
    """What became of one claim: itself, the quote that it rests on now, and what asking took."""

    claim: Claim
    quoted: tuple[int, QuoteMatch] | None = None
    usage: ModelUsage = field(default_factory=ModelUsage)


@dataclass(frozen=True, slots=True)
class Review:
    """Puts up to `most` claims of an answer to a judge: those with a quote that are neither supported nor contradicted.

    With `every` also those, but for claims that stand there word for word.
    """

    judge: Judge
    every: bool = False
    most: int = 12

    @property
    def name(self) -> str:
        """Return what judges, as receipts name it."""
        return f"{self.judge.version} {self.judge.name}"

    async def of(
        self, cited: Cited, text: str, marks: Sequence[Mark], sources: Sequence[Source], *, question: str = ""
    ) -> tuple[Cited, JudgeUse | None]:
        """Return the claims of a text with their verdicts after the review, and what that took; None where nothing was asked.

        A judge that fails leaves a verdict as it was, and its reason says so.
        """
        asked = [at for at, claim in enumerate(cited.claims) if self._is_asked(claim)][: self.most]
        if not asked:
            return cited, None
        numbered, turns = {source.n: source for source in sources}, asyncio.Semaphore(MOST_AT_ONCE)

        async def opinion(claim: Claim) -> _Opinion:
            said = claim_text(text, ClaimSpan(claim.start, claim.end, ()), marks)
            labels = dict.fromkeys(cited.citations[at].n for at in claim.citations)
            async with turns:
                return await self._opinion(claim, said, [numbered[n] for n in labels], question)

        found = await asyncio.gather(*(opinion(cited.claims[at]) for at in asked))
        use = JudgeUse(self.judge.name, _sum([each.usage for each in found]))
        return _with(cited, dict(zip(asked, found, strict=True))), use

    def _is_asked(self, claim: Claim) -> bool:
        is_open = claim.verdict not in (Verdict.SUPPORTED, Verdict.CONTRADICTED)
        return bool(claim.citations) and (is_open or (self.every and claim.reason != LITERAL.reason))

    async def _opinion(self, claim: Claim, said: str, cited: Sequence[Source], question: str) -> _Opinion:
        texts = [passage.text for source in cited for passage in source.quotable]
        try:
            ruling = await self.judge.rule(said, texts, question=question)
        except PinciteError:
            return _Opinion(self._unchanged(claim, "could not be asked"))
        return replace(self._checked(claim, said, cited, ruling), usage=ruling.usage)

    def _checked(self, claim: Claim, said: str, cited: Sequence[Source], ruling: Ruling) -> _Opinion:
        """Return what a ruling makes of a claim. Words that it rests on must stand in what the claim cites, and be about it."""
        if ruling.verdict is Verdict.NOT_CHECKED:
            return _Opinion(self._unchanged(claim, "gave no verdict"))
        if ruling.verdict is Verdict.NOT_FOUND:
            return _Opinion(self._ruled(claim, ruling.verdict))
        missing = _missing(said, cited) if ruling.verdict is not Verdict.CONTRADICTED else []
        if missing:
            return _Opinion(self._unchanged(claim, f"finds it {ruling.verdict.value}, though they don't say {listed(missing)}"))
        quoted = _quoted(ruling.quote, cited)
        if quoted is None:
            return _Opinion(self._unchanged(claim, "named words that its sources don't hold"))
        if _shared(said, quoted[1]) < LEAST_SHARED:
            return _Opinion(self._unchanged(claim, "named words that aren't about it"))
        return _Opinion(self._ruled(claim, ruling.verdict), quoted)

    def _ruled(self, claim: Claim, verdict: Verdict) -> Claim:
        return replace(claim, verdict=verdict, reason=f"The judge ({self.judge.name}) {_FOUND[verdict]}.", judged_by=self.name)

    def _unchanged(self, claim: Claim, why: str) -> Claim:
        return replace(claim, reason=f"{claim.reason} The judge ({self.judge.name}) {why}.")


def _quoted(quote: str, cited: Sequence[Source]) -> tuple[int, QuoteMatch] | None:
    """Return where the words stand that a judge named: word for word, in what may be quoted."""
    found = ((source.n, find_quote(quote, source)) for source in cited)
    return next(((n, match) for n, match in found if match and match.literal), None)


def _shared(said: str, match: QuoteMatch) -> float:
    """Return which share of a claim's weight a quote holds."""
    alone = replace(match.passage, text=match.text, start=match.start, end=match.end)
    found = find_quote(said, Source(1, (alone,)))
    return found.support if found else 0.0


def _missing(said: str, cited: Sequence[Source]) -> list[str]:
    sides = Evidence(cited).sides([source.n for source in cited])
    return lacking(said, together(side.figures for side in sides), detect(said))


def _with(cited: Cited, opinions: dict[int, _Opinion]) -> Cited:
    """Return claims and citations after a review: a claim cites the words that decided, unless its quote held them already."""
    citations = list(cited.citations)
    claims = list(cited.claims)
    for at, opinion in opinions.items():
        claims[at] = opinion.claim
        if opinion.quoted:
            n, match = opinion.quoted
            places = [_better(citations, each, n, match) for each in opinion.claim.citations]
            claims[at] = replace(opinion.claim, citations=tuple(dict.fromkeys(places)))
    used = sorted({each for claim in claims for each in claim.citations})
    renamed = {each: new for new, each in enumerate(used)}
    kept = tuple(replace(claim, citations=tuple(renamed[each] for each in claim.citations)) for claim in claims)
    return Cited(kept, tuple(citations[each] for each in used))


def _better(citations: list[Citation], at: int, n: int, match: QuoteMatch) -> int:
    """Return the index of the citation that quotes what a judge found in source `n`, instead of the one at an index."""
    before = citations[at]
    is_inside = any(quote.start <= match.start and match.end <= quote.end for quote in before.quotes)
    if before.n != n or (is_inside and before.version_id == match.passage.version_id):
        return at
    return place(citations, citation_at(n, match.passage, match.start, match.end, before.issued_by))


def _sum(usages: Sequence[ModelUsage]) -> ModelUsage:
    return ModelUsage(
        sum(usage.prompt_tokens for usage in usages),
        sum(usage.completion_tokens for usage in usages),
        estimated=any(usage.estimated for usage in usages),
    )
