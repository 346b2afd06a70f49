"""The provider that misbehaves (`shared/attacks/fake_provider.py`) on a port, and a whole server of ours that asks it."""

import asyncio
import importlib.util
import json
import re
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import httpx
from fastapi import FastAPI
from tests.server.conftest import HANDBOOK, filled
from tests.server.running import running, served

from pincite.adapters.models.openai_chat import OpenAIChatModel
from pincite.bootstrap import Services
from pincite.core.querylog import LoggedQuery
from pincite.server.app import create_app
from pincite.settings import load_settings
from pincite.workspaces.tokens import Tokens

FAKE = Path(__file__).resolve().parents[3] / "shared" / "attacks" / "fake_provider.py"
MISSING = "needs the provider that misbehaves, ../shared/attacks/fake_provider.py, which isn't beside this repository"
KEY = "sk-FAKE-CANARY-0123456789"
Protocol = Literal["chat", "responses"]


def modes() -> list[str]:
    """Return every fault that the fake knows; none without it."""
    if not FAKE.exists():
        return []
    [listed] = re.findall(r'MODES="""(.*?)"""', FAKE.read_text(encoding="utf-8"), re.DOTALL)
    return listed.split()


def fake() -> Any:
    """Return a fresh fake: what it has seen is its own."""
    spec = importlib.util.spec_from_file_location("fake_provider", FAKE)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.app


@dataclass(frozen=True)
class Reply:
    """What a client got from one door."""

    door: str
    status: int
    body: str

    @property
    def events(self) -> list[tuple[str, Any]]:
        """Return the events of a stream, read as the contract writes them: nothing but `event:`, one `data:` line, a blank line."""
        blocks = self.body.removesuffix("\n\n").split("\n\n")
        pairs = [block.split("\n") for block in blocks if not block.startswith(":")]
        return [(name.removeprefix("event: "), json.loads(data.removeprefix("data: "))) for name, data in pairs]

    @property
    def text(self) -> str:
        """Return the answer's text, as far as it came."""
        if self.door == "json":
            return str(json.loads(self.body).get("text", ""))
        return "".join(data.get("token", data.get("text", "")) for name, data in self.events if name in ("token", "answer_delta"))


@dataclass(frozen=True)
class Asking:
    """Our server, the fake behind it, and a client for both."""

    app: FastAPI
    port: int
    provider_url: str
    token: str

    @property
    def services(self) -> Services:
        return self.app.state.server.services

    async def use(self, mode: str, protocol: Protocol, **options: Any) -> None:
        """Answer with the fake in a mode from here on."""
        url = f"{self.provider_url}/v1"
        given: dict[str, Any] = {"retry_wait_s": 0.01} | options
        llm = OpenAIChatModel(f"fault:{mode}", KEY, url, protocol=protocol, **given)
        before = self.app.state.server.llm
        self.app.state.server = replace(self.app.state.server, llm=llm)
        if before:
            await before.aclose()

    async def ask(self, door: str, question: str) -> Reply:
        """Ask by one of the doors: `query`, `json`, `chat`."""
        path = "/chat/stream" if door == "chat" else "/query/"
        accept = {"Accept": "application/json"} if door == "json" else {}
        async with self.client() as client:
            response = await client.post(path, json={"question": question}, headers=accept)
        return Reply(door, response.status_code, response.text)

    def client(self) -> httpx.AsyncClient:
        """Return a client of our server that holds a token."""
        headers = {"Authorization": f"Bearer {self.token}"}
        return httpx.AsyncClient(base_url=f"http://127.0.0.1:{self.port}/api", headers=headers, timeout=60)

    async def seen(self, mode: str, since: float) -> list[dict[str, Any]]:
        """Return what the fake was asked in a mode, as it tells it itself."""
        async with self.client() as client:
            told: list[dict[str, Any]] = (await client.get(f"{self.provider_url}/_seen")).json()
        return [each for each in told if each["mode"] == mode and each["t"] >= since]

    async def cancelled(self, mode: str, since: float, *, within_s: float = 5.0) -> bool:
        """Wait until the fake has noticed that all who asked it left."""
        return await self._told(mode, since, lambda told: all(each.get("cancelled") for each in told), within_s)

    async def sent(self, mode: str, since: float) -> bool:
        """Wait until the fake has sent some words."""
        return await self._told(mode, since, lambda told: any(each["sent"] > 3 for each in told), 10.0)

    async def _told(self, mode: str, since: float, is_so: Callable[[list[dict[str, Any]]], bool], within_s: float) -> bool:
        for _ in range(round(within_s * 50)):
            told = await self.seen(mode, since)
            if told and is_so(told):
                return True
            await asyncio.sleep(0.02)
        return False

    async def logged(self, count: int) -> list[LoggedQuery]:
        """Return the last questions of the log."""
        await self.services.query_log.close()
        async with self.services.store.open(self.services.workspace_id) as work:
            return await work.query_logs.list(limit=count)


@asynccontextmanager
async def asking(home: Path, provider: Any, **settings: Any) -> AsyncGenerator[Asking]:
    """Run our server and a provider, each on a port. Without embeddings a handbook is added."""
    async with served(provider) as provider_port:
        provider_url = f"http://127.0.0.1:{provider_port}"
        given: dict[str, Any] = {"embedding": "none", "openai_api_key": KEY, "openai_base_url": f"{provider_url}/v1"} | settings
        app = create_app(load_settings({}, home=str(home / "home"), **given))
        async with running(app) as port:
            yield await _prepared(app, home, port, provider_url)
            if app.state.server.llm:
                await app.state.server.llm.aclose()


async def _prepared(app: FastAPI, home: Path, port: int, provider_url: str) -> Asking:
    services: Services = app.state.server.services
    if services.settings.embedding == "none":
        file = home / "handbook.md"
        file.write_text(HANDBOOK, encoding="utf-8")
        await filled(services, file)
    token = await Tokens(services.store, services.workspace_id).issue("owner")
    return Asking(app, port, provider_url, token.text)
