"""Clients that leave, on a real server: the model is closed, the place is free, the question is logged as partial."""

import asyncio
import socket
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import pytest
from fastapi import FastAPI
from tests.server.conftest import HANDBOOK, filled
from tests.server.running import EndlessModel, begin, eventually, running

from pincite.bootstrap import Services
from pincite.core.querylog import Outcome
from pincite.server.app import create_app
from pincite.settings import load_settings
from pincite.workspaces.tokens import Tokens

CLIENTS = 100
QUESTION = "How long is the notice period?"


@dataclass(frozen=True)
class Running:
    """A server that answers without end."""

    app: FastAPI
    port: int
    token: str
    model: EndlessModel

    @property
    def services(self) -> Services:
        return self.app.state.server.services

    async def begin(self, path: str = "/query/") -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await begin(self.port, path, self.token, QUESTION)

    async def is_free(self) -> bool:
        """Wait up to a second for the last stream to be gone."""
        return await eventually(lambda: not self.model.open_streams and not len(self.app.state.server.streams), within_s=1)


@pytest.fixture
async def server(tmp_path: Path) -> AsyncGenerator[Running]:
    model = EndlessModel()
    settings = load_settings({}, home=str(tmp_path / "home"), embedding="none", max_streams=CLIENTS)
    app = create_app(settings, llm=model)
    file = tmp_path / "handbook.md"
    file.write_text(HANDBOOK, encoding="utf-8")
    async with running(app) as port:
        services: Services = app.state.server.services
        await filled(services, file)
        made = await Tokens(services.store, services.workspace_id).issue("owner")
        yield Running(app, port, made.text, model)


async def outcomes(server: Running) -> list[Outcome]:
    await server.services.query_log.close()
    async with server.services.store.open(server.services.workspace_id) as work:
        return [query.outcome for query in await work.query_logs.list(limit=1000)]


def leave(writer: asyncio.StreamWriter, way: str) -> None:
    """Go as clients go; a reset comes from a program that was killed."""
    if way == "reset":
        writer.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        writer.transport.abort()
    elif way == "half":
        writer.write_eof()
    else:
        if way == "stops reading, then closes":
            cast("asyncio.Transport", writer.transport).pause_reading()
        writer.close()


@pytest.mark.parametrize("path", ["/query/", "/chat/stream"])
@pytest.mark.parametrize("way", ["close", "reset", "half", "stops reading, then closes"])
async def test_of_clients_that_leave_nothing_stays(server: Running, way: str, path: str) -> None:
    clients = await asyncio.gather(*(server.begin(path) for _ in range(CLIENTS)))
    assert server.model.open_streams == CLIENTS
    for _, writer in clients:
        leave(writer, way)
    assert await server.is_free()
    assert await outcomes(server) == [Outcome.PARTIAL] * CLIENTS
    for _, writer in clients:
        writer.close()


async def test_one_more_than_may_be_is_told_to_come_back(server: Running) -> None:
    clients = await asyncio.gather(*(server.begin() for _ in range(CLIENTS)))
    with pytest.raises(asyncio.IncompleteReadError) as refused:
        await server.begin()
    assert b"429" in refused.value.partial.splitlines()[0]
    assert b"retry-after: " in refused.value.partial
    clients[0][1].close()
    assert await eventually(lambda: len(server.app.state.server.streams) < CLIENTS)
    _, writer = await server.begin()
    for each in [writer, *(writer for _, writer in clients)]:
        each.close()
    assert await server.is_free()


async def test_a_server_that_stops_ends_every_stream_with_its_terminal_event(server: Running) -> None:
    clients = await asyncio.gather(*(server.begin() for _ in range(CLIENTS)))
    server.app.state.server.streams.stop()
    rests = await asyncio.gather(*(reader.readuntil(b"0\r\n\r\n") for reader, _ in clients))
    for rest in rests:
        assert rest.count(b"event: error\n") == 1
        assert b"event: done\n" not in rest
        assert b"event: token" not in rest.partition(b"event: error\n")[2]
    for _, writer in clients:
        writer.close()
