"""Server-sent events, cut anywhere."""

import base64
import json
from pathlib import Path

import pytest

from pincite.adapters.models.sse import EventTooLarge, ServerSentEvent, SseDecoder

VECTORS = Path(__file__).resolve().parents[5] / "shared" / "attacks" / "sse" / "vectors.json"


def decoded(data: bytes, size: int) -> list[ServerSentEvent]:
    decoder = SseDecoder()
    return [event for at in range(0, len(data), size) for event in decoder.feed(data[at : at + size])]


@pytest.mark.skipif(not VECTORS.exists(), reason="needs the stream vectors in ../shared/attacks/sse")
@pytest.mark.parametrize("size", [1, 2, 3, 7, 100_000])
def test_streams_give_the_events_of_the_standard_wherever_they_are_cut(size: int) -> None:
    vectors = json.loads(VECTORS.read_text(encoding="utf-8"))
    assert len(vectors) == 50
    for name, data, wanted in vectors:
        events = [[event.event, event.data, event.last_id] for event in decoded(base64.b64decode(data), size)]
        assert events == wanted, name


def test_an_event_is_given_at_its_blank_line_and_never_half() -> None:
    assert decoded(b"event: x\ndata: a\ndata: b\n\ndata: half", 4) == [ServerSentEvent("x", "a\nb")]


def test_a_line_that_never_ends_is_refused() -> None:
    decoder = SseDecoder(max_characters=1000)
    pieces = (event for _ in range(20) for event in decoder.feed(b"x" * 100))
    with pytest.raises(EventTooLarge):
        next(pieces)
