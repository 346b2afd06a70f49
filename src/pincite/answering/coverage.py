"""What was found for a question and left out of its answer. Pure."""

from collections.abc import Sequence

from pincite.answering.selection import candidates
from pincite.core.answers import Citation, Claim
from pincite.core.evidence import Source
from pincite.core.policies import WITHHELD

SCORE_SHARE = 0.6
"""Share of the best source's score that a source must have to count as evidence."""
LIKELY_SHARE = 0.2
"""And so likely, beside the likeliest sentence of all, must one of its sentences answer the question."""


def uncited_sources(question: str, citations: Sequence[Citation], sources: Sequence[Source]) -> tuple[int, ...]:
    """Return the numbers of sources that speak of what is asked and that no citation uses."""
    cited = {citation.n for citation in citations}
    best = max((source.best.scores.fused for source in sources), default=0.0)
    left = [source.n for source in sources if source.n not in cited and source.best.scores.fused >= SCORE_SHARE * best]
    if not left:
        return ()
    likely: dict[int, float] = {}
    for candidate in candidates(question, sources):
        likely[candidate.n] = max(likely.get(candidate.n, 0.0), candidate.likelihood)
    least = LIKELY_SHARE * max(likely.values(), default=0.0)
    return tuple(n for n in left if likely.get(n, 0.0) >= least > 0)


def uncited_claims(text: str, claims: Sequence[Claim]) -> int:
    """Count the claims of an answer that carry no citation; a text in place of withheld ones is none."""
    return sum(not claim.citations and text[claim.start : claim.end] != WITHHELD for claim in claims)
