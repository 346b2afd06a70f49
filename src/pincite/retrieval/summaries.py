"""What a summary that was found brings: the passages it stands for. Pure, but for looking up its members."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from pincite.core.evidence import PassageText, Scores
from pincite.core.ids import ChunkId

LEAVES = 64
"""Most passages that are looked at of one summary."""

Scored: TypeAlias = tuple[PassageText, Scores]


@dataclass(frozen=True, slots=True)
class SummaryRule:
    """How a summary counts for its passages.

    The best `members` of its passages, by their own scores, score at least `lift` times as much as it does. Where it `stays`, it is
    among the results itself. Chosen on four sets: see `docs/decisions/0030-summaries.md`.
    """

    lift: float = 0.9
    members: int = 2
    stays: bool = False


async def leaves_of(
    summaries: Sequence[PassageText], texts_of: Callable[[Sequence[ChunkId]], Awaitable[Sequence[PassageText]]]
) -> dict[ChunkId, list[PassageText]]:
    """Return for each summary the passages under it, `LEAVES` at most, level by level."""
    below = {summary.chunk_id: list(summary.members[:LEAVES]) for summary in summaries}
    leaves: dict[ChunkId, list[PassageText]] = {summary.chunk_id: [] for summary in summaries}
    while any(below.values()):
        wanted = list(dict.fromkeys(chunk_id for members in below.values() for chunk_id in members))
        known = {text.chunk_id: text for text in await texts_of(wanted)}
        for summary, members in below.items():
            found = [known[chunk_id] for chunk_id in members if chunk_id in known]
            leaves[summary] += [text for text in found if not text.generated]
            room = LEAVES - len(leaves[summary])
            below[summary] = [each for text in found if text.generated for each in text.members][: max(0, room)]
    return leaves


def with_leaves(found: Sequence[Scored], leaves: Mapping[ChunkId, Sequence[PassageText]], rule: SummaryRule) -> list[Scored]:
    """Return what was found with the passages that its summaries stand for, best first."""
    scores = {text.chunk_id: own for text, own in found}
    texts = {text.chunk_id: text for text, _ in found}
    for summary, passages in leaves.items():
        own = sorted(passages, key=lambda text: -scores.get(text.chunk_id, Scores()).fused)
        for passage in own[: rule.members]:
            texts.setdefault(passage.chunk_id, passage)
            before = scores.get(passage.chunk_id, Scores())
            scores[passage.chunk_id] = replace(before, fused=max(before.fused, rule.lift * scores[summary].fused))
        if not rule.stays:
            del texts[summary]
    return sorted(((text, scores[chunk_id]) for chunk_id, text in texts.items()), key=lambda scored: -scored[1].fused)
