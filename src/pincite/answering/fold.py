"""Folds the events of a stream into an answer: there is one answering path."""

from collections.abc import AsyncIterator

from pincite.core.answers import Answer, AnswerEvent, DoneChunk, SourcesChunk, TokenChunk
from pincite.core.errors import UpstreamError


async def fold(events: AsyncIterator[AnswerEvent]) -> Answer:
    """Return the answer that a stream tells. Raises `UpstreamError` when the stream ends without its last event."""
    start: SourcesChunk | None = None
    done: DoneChunk | None = None
    pieces: list[str] = []
    async for event in events:
        match event:
            case SourcesChunk():
                start = event
            case TokenChunk():
                pieces.append(event.text)
            case DoneChunk():
                done = event
    if start is None or done is None:
        raise UpstreamError("The answer broke off before its end.", code="incomplete", retryable=True)
    return finished(start, "".join(pieces), done)


def finished(start: SourcesChunk, text: str, done: DoneChunk) -> Answer:
    """Put first event, text and last event together."""
    return Answer(
        text=text,
        sources=start.sources,
        citations=done.citations,
        claims=done.claims,
        answered=done.answered,
        message_id=done.message_id,
        model=done.model,
        usage=done.usage,
        timings=done.timings,
        strategy=start.strategy,
        scope=start.scope,
        policy=done.policy,
        withheld=done.withheld,
        conflicts=done.conflicts,
        uncited=done.uncited,
        uncited_claims=done.uncited_claims,
        answerable=done.answerable,
    )
