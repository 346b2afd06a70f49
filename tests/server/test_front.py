"""What surrounds every request: names of the server, request ids, the access log, and refusals for lack of room or of a store."""

import asyncio
import logging
from collections.abc import AsyncGenerator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import pytest
from tests.server.conftest import House, answering, opened
from tests.server.contract import QUESTION, problem_of
from tests.server.running import EndlessModel, eventually
from tests.server.test_questions import ask

from pincite.core.documents import Collection, EmbeddingSpec
from pincite.core.errors import UpstreamError
from pincite.core.ids import CollectionId, new_id
from pincite.server.middleware import Front

LOOPBACK = [
    "localhost",
    "localhost:8000",
    "LOCALHOST.",
    "127.0.0.1:8000",
    "[::1]:8000",
    "10.1.2.3",
    "app.localhost",
    "my-machine:80",
]
FOREIGN = ["evil.example", "evil.example:8000", "localhost.evil.example", "127.0.0.1.nip.example", "evil.example.", "a.b"]


def over(house: House, address: str) -> httpx.AsyncClient:
    """Return a client whose requests come in over an address of this machine."""
    app = house.app

    async def front(scope: Any, receive: Any, send: Any) -> None:
        await Front(app)({**scope, "server": (address, 8000)}, receive, send)

    return httpx.AsyncClient(transport=httpx.ASGITransport(app=front), base_url="http://localhost/api")


async def test_over_loopback_foreign_names_are_not_answered(house: House) -> None:
    for address in ("127.0.0.1", "127.0.0.2", "::1"):
        async with over(house, address) as client:
            for host in LOOPBACK:
                assert (await client.get("/health", headers={"Host": host})).status_code == 200, host
            for host in FOREIGN:
                for path in ("/health", "/docs", "/nothing", "/collections"):
                    told = problem_of(await client.get(path, headers={"Host": host}), 421, "host")
                    assert "PINCITE_HOSTS" in told["detail"]


async def test_over_other_addresses_any_name_is_answered(house: House) -> None:
    async with over(house, "10.1.2.3") as client:
        assert (await client.get("/health", headers={"Host": "pincite.example"})).status_code == 200


@pytest.mark.parametrize("hosts", ["pincite.example, other.example", "*"])
async def test_names_that_are_set_are_answered_everywhere(tmp_path: Path, hosts: str) -> None:
    async with opened(tmp_path, answering(), hosts=hosts) as house:
        for address in ("127.0.0.1", "10.1.2.3"):
            async with over(house, address) as client:
                for host in ("pincite.example", "Other.Example:443", "localhost"):
                    assert (await client.get("/health", headers={"Host": host})).status_code == 200
                foreign = await client.get("/health", headers={"Host": "evil.example"})
                assert foreign.status_code == (200 if hosts == "*" else 421)


@pytest.mark.parametrize("origin", ["null", "https://evil.example", "http://localhost:3000"])
async def test_other_origins_are_allowed_nothing(house: House, origin: str) -> None:
    asked = {"Origin": origin, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization"}
    for method in ("OPTIONS", "POST", "GET"):
        response = await house.client.request(method, "/query/", headers=asked | house.headers)
        assert [name for name in response.headers if name.startswith("access-control-")] == []


FORGED = [
    b"short",
    b"x" * 65,
    b"has space 1",
    b"line\r\nX-Evil: 1",
    b"line\n[2026] forged",
    b"\x1b[31mred-red",
    b"gr\xc3\xb6\xc3\x9fe-123",
    b"",
]


async def test_a_request_id_that_is_not_plain_is_not_taken(house: House) -> None:
    for given in FORGED:
        sent: list[Any] = []

        async def send(message: Any, sent: list[Any] = sent) -> None:
            sent.append(message)

        await Front(house.app)(scope_of("GET", "/api/health", {"x-request-id": given}), _empty, send)
        assert UUID(dict(sent[0]["headers"])[b"x-request-id"].decode())


def scope_of(method: str, path: str, headers: dict[str, bytes]) -> dict[str, Any]:
    """Return a request as servers hand it over."""
    named = [(name.encode(), value) for name, value in headers.items()]
    return {"type": "http", "method": method, "path": path, "query_string": b"", "root_path": "", "headers": named}


async def _empty() -> dict[str, Any]:
    return {"type": "http.request", "body": b""}


async def test_the_log_holds_one_line_a_request_and_nothing_that_was_asked_or_sent(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    await ask(house, question="My secret question about zebras?")
    await house.client.get("/collections?after=secret-query", headers=house.headers)
    await house.client.get("/a%0a2026 INFO forged%1b[31m", headers=house.headers)
    await ask(house, "/query/", question="secret", nonsense="secret")
    lines = [record.getMessage() for record in caplog.records if record.name == "pincite.access"]
    assert len(lines) == 4
    assert " /api/a%0A2026%20INFO%20forged%1B%5B31m 404 " in lines[2]
    assert [line for line in lines if not line.isascii() or "\n" in line or "\x1b" in line] == []
    ours = [record.getMessage() for record in caplog.records if record.name.startswith("pincite")]
    everything = "\n".join(ours)
    assert "secret" not in everything
    assert house.token.rpartition("_")[2] not in everything


@pytest.mark.parametrize("error", [RuntimeError("secret of a driver"), UpstreamError("secret of a provider"), OSError("secret")])
@pytest.mark.parametrize("path", ["/query/", "/chat/stream", "twin", "search"])
async def test_a_search_that_fails_is_a_503_before_anything_is_streamed(
    house: House, monkeypatch: pytest.MonkeyPatch, path: str, error: Exception
) -> None:
    async def failing(*_: Any, **__: Any) -> Any:
        raise error

    monkeypatch.setattr(type(house.services.searcher), "retrieve", failing)
    headers = house.headers | ({"Accept": "application/json"} if path == "twin" else {})
    body = {"query": QUESTION} if path == "search" else {"question": QUESTION}
    address = {"twin": "/query/", "search": f"/collections/{house.collection_id}/search"}.get(path, path)
    response = await house.client.post(address, json=body, headers=headers)
    told = problem_of(response, 503, "search_failed")
    assert told["detail"] == "The search failed. Try again in a moment."
    assert response.headers["retry-after"]
    assert "secret" not in response.text
    assert (await house.client.get("/ready")).status_code == 200


async def test_when_all_places_are_taken_callers_are_told_when_to_come_back(house: House) -> None:
    streams = house.app.state.server.streams
    for _ in range(house.services.settings.max_streams):
        streams.reserve()
    for path, accept in (("/query/", "*/*"), ("/query/", "application/json"), ("/chat/stream", "*/*")):
        response = await house.client.post(path, json={"question": QUESTION}, headers=house.headers | {"Accept": accept})
        problem_of(response, 429, "too_many_streams")
        assert int(response.headers["retry-after"]) > 0
    streams.release()
    assert (await ask(house))[0] == 200


async def test_collections_of_different_models_in_one_question_are_a_conflict(house: House) -> None:
    spec = EmbeddingSpec("other", "1", 8, 512)
    other = Collection(CollectionId(new_id()), house.services.workspace_id, "other", spec, datetime.now(UTC))
    async with house.services.store.open(house.services.workspace_id) as work:
        await work.collections.add(other)
        await work.commit()
    response = await house.client.post(
        "/query/", json={"question": QUESTION, "collection_ids": [house.collection_id, other.id]}, headers=house.headers
    )
    problem_of(response, 409)


async def test_a_document_without_text_is_a_conflict_that_says_why(house: House) -> None:
    sent = await house.client.post(
        f"/collections/{house.collection_id}/documents", files=[("files", ("empty.md", b""))], headers=house.headers
    )
    [row] = sent.json()["documents"]
    for path in ("/query/", "/chat/stream"):
        response = await house.client.post(path, json={"question": QUESTION, "document_ids": [row["id"]]}, headers=house.headers)
        assert "empty.md" in problem_of(response, 409, "not_ready")["detail"]


async def test_a_file_that_is_too_large_is_a_413_that_names_it(tmp_path: Path) -> None:
    async with opened(tmp_path, answering(), max_file_bytes=1000) as house:
        address, files = f"/collections/{house.collection_id}/documents", [("files", ("big.md", b"x" * 1001))]
        told = problem_of(await house.client.post(address, files=files, headers=house.headers), 413, "too_large")
        assert "big.md" in told["detail"]


@pytest.fixture
async def endless(tmp_path: Path) -> AsyncGenerator[tuple[House, EndlessModel]]:
    model = EndlessModel()
    async with opened(tmp_path, model) as house:
        yield house, model


async def test_who_waits_for_a_whole_answer_and_leaves_stops_it(endless: tuple[House, EndlessModel]) -> None:
    house, model = endless
    has_left = asyncio.Event()
    body = b'{"question": "How long is the notice period?"}'
    messages: list[Any] = [{"type": "http.request", "body": body}]

    async def receive() -> Any:
        if messages:
            return messages.pop()
        await has_left.wait()
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        """Nobody is there."""

    headers = {
        "authorization": f"Bearer {house.token}".encode(),
        "accept": b"application/json",
        "content-type": b"application/json",
    }
    scope = scope_of("POST", "/api/query/", headers)
    waiting = asyncio.create_task(Front(house.app)(scope, receive, send))
    assert await eventually(lambda: model.open_streams == 1)
    has_left.set()
    await waiting
    assert model.open_streams == 0
    assert not house.app.state.server.streams.is_full
