"""The two ways in which the events of an answer are written: `/query/` and `/chat/stream`."""

from typing import Any

from pincite.core.answers import Citation, DoneChunk, SourcesChunk
from pincite.core.evidence import Source
from pincite.server.sse import frame, json_line

GENERATION_FAILED = "Generation failed"
CHAT_UNAVAILABLE = "Grounded chat is temporarily unavailable"


def metadata(event: SourcesChunk) -> dict[str, Any]:
    """Return what `/query/` says before the text."""
    return {
        "sources": [source.as_dict() for source in event.sources],
        "session_id": None,
        "message_id": event.message_id,
        "strategy": event.strategy.value,
        "scope": event.scope.as_dict() if event.scope else None,
    }


class QueryDialect:
    """`metadata`, `token`s, then `done` or `error`. Labels are `[n]`."""

    def __init__(self, request_id: str) -> None:
        self._request_id = request_id

    def start(self, event: SourcesChunk) -> bytes:
        """Return `metadata`."""
        return frame("metadata", metadata(event))

    def token(self, text: str) -> bytes:
        """Return `token`."""
        return b'event: token\ndata: {"token":%b}\n\n' % json_line(text)

    def done(self, event: DoneChunk) -> bytes:
        """Return `done`."""
        return frame("done", event.as_dict())

    def failed(self) -> bytes:
        """Return `error`."""
        return frame("error", {"message": GENERATION_FAILED, "request_id": self._request_id})


class ChatDialect:
    """`answer_delta`s, `citations`, then `done` or `error`. Labels are `[S1]`."""

    def __init__(self) -> None:
        self._sources: tuple[Source, ...] = ()

    def start(self, event: SourcesChunk) -> bytes:
        """Return nothing: sources are told with the citations, at the end."""
        self._sources = event.sources
        return b""

    def token(self, text: str) -> bytes:
        """Return `answer_delta`."""
        return b'event: answer_delta\ndata: {"text":%b}\n\n' % json_line(text)

    def done(self, event: DoneChunk) -> bytes:
        """Return `citations` and `done`; `error` for an answer that cites nothing."""
        if not event.answered:
            return frame("done", {"answered": False, "citation_count": 0})
        if not event.citations:
            return self.failed()
        cited = chat_citations(event.citations, self._sources)
        end = frame("done", {"answered": True, "citation_count": len(cited)})
        return frame("citations", {"citations": cited}) + end

    def failed(self) -> bytes:
        """Return `error`."""
        return frame("error", {"message": CHAT_UNAVAILABLE})


def chat_citations(citations: tuple[Citation, ...], sources: tuple[Source, ...]) -> list[dict[str, Any]]:
    """Return one entry for each source that is cited, in the order in which they are."""
    by_number = {source.n: source for source in sources}
    first = {citation.n: citation for citation in reversed(citations)}
    order = dict.fromkeys(citation.n for citation in citations)
    return [_entry(first[n], by_number[n], [c for c in citations if c.n == n]) for n in order if n in by_number]


def _entry(citation: Citation, source: Source, same: list[Citation]) -> dict[str, Any]:
    best = source.best
    return {
        "id": f"S{source.n}",
        "document_id": citation.document_id,
        "chunk_id": citation.chunk_id,
        "title": best.title,
        "content_type": best.content_type,
        "locations": _locations(same),
        "score": best.scores.fused,
        "quote": citation.quotes[0].text if citation.quotes else "",
    }


def _locations(citations: list[Citation]) -> list[dict[str, Any]]:
    """Return where the quotes of one source stand, equal places once."""
    places: dict[tuple[Any, ...], dict[str, Any]] = {}
    for quote in (quote for citation in citations for quote in citation.quotes if quote.spans):
        start, end = quote.spans[0], quote.spans[-1]
        place = {"page_from": start.page, "page_to": end.page, "page_label": start.page_label, "section": start.section}
        if start.cells and start.page_label:
            place["sheet"] = start.page_label
        if start.cells:
            place["cells"] = start.cells
        places.setdefault(tuple(place.values()), place)
    return list(places.values())
