"""The two streams and the JSON twin: what is refused before a byte, and in which order events come."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from tests.server.conftest import House

from pincite.adapters.memory.chat import ScriptedChatModel

QUESTION = "How long is the notice period?"
TEXT = "The notice period is sixty days [1]."


def events_of(body: str) -> list[tuple[str, Any]]:
    """Read a stream as the contract writes it: nothing but `event:`, one `data:` line and a blank line."""
    found: list[tuple[str, Any]] = []
    for block in body.removesuffix("\n\n").split("\n\n"):
        name, data = block.split("\n")
        found.append((name.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
    return found


async def ask(house: House, path: str = "/query/", *, headers: dict[str, str] | None = None, **body: Any) -> tuple[int, str]:
    response = await house.client.post(path, json={"question": QUESTION} | body, headers=headers or house.headers)
    return response.status_code, response.text


def names(events: Sequence[tuple[str, Any]]) -> list[str]:
    return [name for name, _ in events]


async def test_query_tells_sources_then_text_then_what_it_knows(house: House) -> None:
    status, body = await ask(house)
    events = events_of(body)
    assert (status, names(events)[0], names(events)[-1]) == (200, "metadata", "done")
    assert set(names(events)[1:-1]) == {"token"}
    first, done = events[0][1], events[-1][1]
    assert first["sources"][0]["document_id"] == house.document_id
    assert first["scope"] == {"documents": 1, "ready": 1, "in_work": 0, "failed": 0, "pages_unread": 0, "searchable": 1}
    assert "".join(data["token"] for name, data in events if name == "token") == TEXT
    assert done["citations"][0]["quotes"][0]["text"] == "The notice period is sixty days."
    assert done["message_id"] == first["message_id"]


async def test_the_json_twin_is_the_stream_folded(house: House) -> None:
    events = events_of((await ask(house))[1])
    status, body = await ask(house, headers=house.headers | {"Accept": "application/json"})
    twin, done = json.loads(body), events[-1][1]
    assert status == 200
    assert twin["text"] == TEXT
    assert [set(twin)] == [{"text", "sources", *done}]
    assert [{**c, "citations": c["citations"]} for c in twin["claims"]] == done["claims"]


async def test_chat_tells_text_then_citations_then_the_end(house: House) -> None:
    status, body = await ask(house, "/chat/stream")
    events = events_of(body)
    assert status == 200
    assert set(names(events)[:-2]) == {"answer_delta"}
    assert names(events)[-2:] == ["citations", "done"]
    assert "".join(data["text"] for name, data in events if name == "answer_delta") == TEXT.replace("[1]", "[S1]")
    assert [entry["id"] for entry in events[-2][1]["citations"]] == ["S1"]
    assert events[-1][1] == {"answered": True, "citation_count": 1}


async def test_without_evidence_the_model_is_not_asked(house: House, model: ScriptedChatModel) -> None:
    events = events_of((await ask(house, "/chat/stream", question="Zebras in Xanadu?"))[1])
    assert names(events) == ["answer_delta", "done"]
    assert events[-1][1] == {"answered": False, "citation_count": 0}
    assert model.calls == []


@pytest.mark.parametrize("path", ["/query/", "/chat/stream"])
@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"question": ""}, 422),
        ({"question": "   "}, 422),
        ({"question": "x" * 5001}, 422),
        ({"question": None}, 422),
        ({"model": "gpt"}, 422),
        ({"document_ids": ["nobody"]}, 404),
    ],
)
async def test_what_can_be_refused_is_refused_before_the_stream(house: House, path: str, body: dict[str, Any], status: int) -> None:
    response = await house.client.post(path, json={"question": QUESTION} | body, headers=house.headers)
    assert response.status_code == status
    assert response.headers["content-type"] == "application/problem+json"
    assert {"status", "code", "detail", "request_id"} <= set(response.json())


@pytest.mark.parametrize("path", ["/query/", "/chat/stream"])
async def test_callers_without_token_or_permission_are_refused(house: House, path: str) -> None:
    without = await house.client.post(path, json={"question": QUESTION})
    assert (without.status_code, without.headers["www-authenticate"]) == (401, "Bearer")
    assert (await ask(house, path, headers={"Authorization": "Bearer pin_x_y"}))[0] == 401
    assert (await ask(house, path, headers={"Authorization": f"Basic {house.token}"}))[0] == 401
    assert (await ask(house, path, headers={"Authorization": f"Bearer {house.reader}"}))[0] == 403


async def test_unknown_collections_and_sessions_are_the_same_403(house: House) -> None:
    bodies: list[dict[str, Any]] = [
        {"collection_id": "nobody"},
        {"collection_ids": [house.collection_id, "nobody"]},
        {"session_id": "nobody"},
    ]
    for body in bodies:
        assert (await ask(house, **body))[0] == 403
    assert (await ask(house, collection_id=house.collection_id, collection_ids=["a"]))[0] == 422


@pytest.mark.parametrize("nothing", [None, ""])
async def test_an_empty_collection_or_session_is_none(house: House, nothing: str | None) -> None:
    assert (await ask(house, collection_id=nothing, session_id=nothing))[0] == 200


HISTORY = [{"role": "user", "content": "Hello?"}, {"role": "assistant", "content": "Hello."}]


@pytest.mark.parametrize(
    ("history", "status"),
    [
        ([], 200),
        (HISTORY, 200),
        (HISTORY * 10, 200),
        (HISTORY * 11, 422),
        (HISTORY[:1], 422),
        (HISTORY[::-1], 422),
        ([HISTORY[0], HISTORY[0]], 422),
        ([{"role": "system", "content": "x"}, HISTORY[1]], 422),
        ([{"role": "user", "content": "x" * 4001}, HISTORY[1]], 422),
        ([{"role": "user", "content": "x" * 4000}, HISTORY[1]] * 4, 422),
        ([{"role": "user", "content": ""}, HISTORY[1]], 422),
    ],
)
async def test_history_alternates_and_is_bounded(house: House, history: list[dict[str, str]], status: int) -> None:
    assert (await ask(house, "/chat/stream", history=history))[0] == status


@pytest.mark.parametrize(("limit", "status"), [(0, 422), (1, 200), (10, 200), (11, 422), ("6", 422), (True, 422)])
async def test_the_retrieval_limit_is_bounded(house: House, limit: Any, status: int) -> None:
    assert (await ask(house, "/chat/stream", retrieval_limit=limit))[0] == status
