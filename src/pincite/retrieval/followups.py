"""A follow-up question in several wordings, and what they find made one. Pure.

"And in winter?" alone finds nothing: it is searched for as it is, together with the questions before it, and together with the
reply before it, and each hit keeps its best score.
"""

from collections.abc import Iterable, Sequence

from pincite.core.evidence import Turn
from pincite.core.ids import ChunkId
from pincite.core.ports.index import IndexHit, LexicalResult

QUESTIONS_BEFORE = 2
REPLY_CHARACTERS = 600
"""What of the last reply is searched for. More of it found no more (mtrag-un dev: R@5 .909 with 600), and costs a search time."""
QUESTION_CHARACTERS = 1000
"""What of each earlier question is searched for."""


def wordings(question: str, history: Sequence[Turn]) -> list[str]:
    """Return what to search for: the question first, and without a history nothing else."""
    if not history:
        return [question]
    before = [turn.question[:QUESTION_CHARACTERS] for turn in history[-QUESTIONS_BEFORE:]]
    # The question stands before the reply, since a model cuts a long text at its end.
    replied = f"{question}\n{history[-1].answer[:REPLY_CHARACTERS]}"
    return list(dict.fromkeys(text.strip() for text in (question, "\n".join([*before, question]), replied)))


def nearest(found: Sequence[Sequence[IndexHit]]) -> list[IndexHit]:
    """Return each chunk once with its highest cosine, best first."""
    return _best(hit for hits in found for hit in hits)


def most_said(found: Sequence[Sequence[LexicalResult]]) -> list[LexicalResult]:
    """Return, for each collection, each chunk once with its highest BM25, best first.

    `found` has for each wording, the question first, a result for each collection. Longer wordings score higher, so that each
    one's scores are brought to the scale of the first that found something: there the best hits of all wordings are equal.
    """
    tops = [max((hit.score for result in results for hit in result.hits), default=0.0) for results in found]
    first = next((number for number, top in enumerate(tops) if top > 0), 0)
    merged: list[LexicalResult] = []
    for place, leading in enumerate(found[first]):
        hits = [
            IndexHit(hit.chunk_id, hit.score * tops[first] / top)
            for results, top in zip(found, tops, strict=True)
            for hit in results[place].hits
            if top > 0
        ]
        merged.append(LexicalResult(tuple(_best(hits)), leading.idf_mass))
    return merged


def _best(hits: Iterable[IndexHit]) -> list[IndexHit]:
    best: dict[ChunkId, float] = {}
    for hit in hits:
        best[hit.chunk_id] = max(hit.score, best.get(hit.chunk_id, hit.score))
    return sorted((IndexHit(chunk, score) for chunk, score in best.items()), key=lambda hit: -hit.score)
