"""Every fault of the provider that misbehaves, as it meets embeddings: right vectors are stored, or none; a question is a 503.

The list of faults is the fake's own. Those that aren't in `REFUSED` don't touch embeddings and must leave right vectors.
"""

import asyncio
import hashlib
import json
import math
import time
from collections.abc import AsyncGenerator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from tests.server.providers import FAKE, KEY, MISSING, Asking, asking, fake, modes

from pincite.adapters.models.openai_embeddings import OpenAIEmbedding
from pincite.adapters.models.openai_embeddings_endpoint import EndpointOptions
from pincite.core.documents import Document, Stage
from pincite.core.errors import UpstreamError
from pincite.core.jobs import JobKind
from pincite.core.querylog import Outcome
from pincite.ingest.adding import add_file
from pincite.ingest.arrivals import Arrival
from pincite.ingest.folders import files_of
from pincite.ingest.reporting import Progress
from pincite.worker import loop
from pincite.worker.loop import Worker

pytestmark = [pytest.mark.skipif(not FAKE.exists(), reason=MISSING), pytest.mark.asyncio(loop_scope="module")]

REFUSED = {
    **dict.fromkeys(("401", "403"), "provider_key"),
    "404": "provider_model",
    **dict.fromkeys(("413", "embed_413"), "provider_too_large"),
    **dict.fromkeys(("429", "429_after:0"), "provider_rate_limit"),
    **dict.fromkeys(("408", "500", "502_html", "503", "529"), "provider_unavailable"),
    "error_200": "provider_broken_reply",
    "never_headers": "provider_timeout",
    **dict.fromkeys(("embed_short", "embed_dim", "embed_nan", "embed_zero"), "provider_bad_vectors"),
}
GENTLE = {"slow_headers": "slow_headers:0", "429_after": "429_after:0"}
TRIED = [GENTLE.get(mode, mode) for mode in modes()]
QUESTION = "How long is the notice period?"
FOREIGN = (KEY, "127.0.0.1", "overloaded", "slow down", "fault", "Traceback")
SIZE = 8


class Switched:
    """Passes requests on to the fake with a fault in place of the model's name, which a collection keeps for good."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self.mode = "embed_ok"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not scope["path"].endswith("/embeddings"):
            await self._app(scope, receive, send)
            return
        body, more = b"", True
        while more:
            message = await receive()
            body, more = body + message.get("body", b""), message.get("more_body", False)
        waiting: list[Message] = [
            {"type": "http.request", "body": json.dumps(json.loads(body) | {"model": f"fault:{self.mode}"}).encode()}
        ]

        async def changed() -> Message:
            return waiting.pop() if waiting else await receive()

        await self._app(scope, changed, send)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def provider() -> Switched:
    return Switched(fake())


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def server(tmp_path_factory: pytest.TempPathFactory, provider: Switched) -> AsyncGenerator[Asking]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TOKEN_DELAY", "0")
        async with asking(tmp_path_factory.mktemp("embeddings"), provider, embedding="openai:m", worker_slots=0) as running:
            options = EndpointOptions(timeout_s=1.5, attempts=3, retry_wait_s=0.01)
            url = f"{running.provider_url}/v1"
            running.services.models.embedding = OpenAIEmbedding("m", KEY, url, options=options)
            await running.use("ok", "chat")
            await added(running, "first", tmp_path_factory.mktemp("first"))
            yield running


async def added(server: Asking, name: str, folder: Path) -> Document:
    """Add a file of its own text, and return its row."""
    file = folder / f"{name.replace(':', '-')}.md"
    file.write_text(f"# Leave\n\nThe notice period is sixty days, says {name}.\n", encoding="utf-8")
    services = server.services
    [item] = files_of([file])
    collection = await services.collection("default", create=True)
    model = services.models.embedding_of(collection)
    with suppress(UpstreamError):  # whoever adds is told, and the row, too
        await add_file(services.ingestor, item, collection=collection, embedding=model, on_progress=_unheard)
    async with services.store.open(services.workspace_id) as work:
        [document] = [each for each in await work.documents.list(collection.id) if each.path.endswith(file.name)]
    return document


async def read_by_a_worker(server: Asking, name: str) -> Document:
    """Upload a file of its own text, let a worker do its job with all tries, and return its row."""
    services = server.services
    collection = await services.collection("default", create=True)
    path = f"{name.replace(':', '-')}-uploaded.md"
    data = f"# Leave\n\nThe notice period is sixty days, says the upload of {name}.\n".encode()
    document = await services.ingestor.receive(collection, Arrival(path, path, data, is_queued=True))
    await Worker(services.queue, {JobKind.INGEST: services.ingest_jobs}).work_off()
    async with services.store.open(services.workspace_id) as work:
        found = await work.documents.get(document.id)
    assert found
    return found


def _unheard(file: str, progress: Progress) -> None:
    """Listen to nothing."""


def right(text: str) -> list[float]:
    """Return the vector that the fake gives for a text, at length 1."""
    numbers = [byte / 255 for byte in hashlib.sha256(text.encode()).digest()[:SIZE]]
    return [number / math.hypot(*numbers) for number in numbers]


@pytest.mark.parametrize("mode", TRIED)
@pytest.mark.parametrize("road", ["added", "uploaded"])
async def test_right_vectors_are_stored_or_none(
    server: Asking, provider: Switched, mode: str, road: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    provider.mode = mode
    monkeypatch.setattr(loop, "FIRST_WAIT_S", 0.0)
    document = await (added(server, mode, tmp_path) if road == "added" else read_by_a_worker(server, mode))
    assert document.version_id  # found by its words, whatever the provider does
    services = server.services
    collection = await services.collection("default")
    async with services.store.open(services.workspace_id) as work:
        [chunk] = await work.chunks.of_version(document.version_id)
        stored = await work.chunks.vectors([chunk.fingerprint], model_id=collection.model_id)
    if mode in REFUSED:
        assert (document.stage, stored) == (Stage.FAILED, {})
        assert document.reason
        assert document.reason.code == REFUSED[mode]
        assert not any(word in document.reason.message for word in FOREIGN)
        return
    assert document.stage is Stage.READY
    assert list(stored[chunk.fingerprint]) == pytest.approx(right(chunk.index_text), abs=1e-3)


@pytest.mark.parametrize("door", ["query", "json", "chat"])
@pytest.mark.parametrize("mode", TRIED)
async def test_a_question_without_a_right_vector_is_refused_before_a_byte(
    server: Asking, provider: Switched, mode: str, door: str
) -> None:
    provider.mode = mode
    reply = await server.ask(door, QUESTION)
    [row] = await server.logged(1)
    if mode not in REFUSED:
        assert (reply.status, row.outcome) == (200, Outcome.COMPLETE)
        return
    assert reply.status == 503
    assert set(json.loads(reply.body)) == {"type", "title", "status", "code", "detail", "request_id"}
    assert not any(word in reply.body for word in FOREIGN)
    assert (row.outcome, row.error, row.received) == (Outcome.FAILED, REFUSED[mode], "")
    assert len(server.app.state.server.streams) == 0


async def test_a_provider_that_hangs_holds_up_nobody_else(server: Asking, provider: Switched) -> None:
    provider.mode, began = "never_headers", time.time()
    services = server.services
    before = services.models.embedding
    services.models.embedding = OpenAIEmbedding("m", KEY, f"{server.provider_url}/v1", options=EndpointOptions(timeout_s=5))
    services.models._learnt = False  # pyright: ignore[reportPrivateUsage]  # as after a start
    asked = asyncio.create_task(server.ask("query", QUESTION))
    while not await server.seen("never_headers", began):  # noqa: ASYNC110 - the fake tells by being asked
        await asyncio.sleep(0.01)
    async with server.client() as client:
        assert (await client.get("/health")).status_code == 200
    assert not asked.done()
    asked.cancel()
    await asyncio.gather(asked, return_exceptions=True)
    services.models.embedding = before


@pytest.mark.parametrize("chat_provider", ["openai", "openai-chat"])
async def test_the_settings_alone_lead_to_the_provider(tmp_path: Path, chat_provider: str) -> None:
    settings: dict[str, Any] = {"chat_provider": chat_provider, "chat_model": "fault:ok", "embedding": "openai:fault:embed_ok"}
    async with asking(tmp_path, fake(), **settings) as running:
        await added(running, "handbook", tmp_path)
        reply = await running.ask("query", QUESTION)
    assert reply.events[-1][0] == "done"
    assert reply.events[-1][1]["citations"]
