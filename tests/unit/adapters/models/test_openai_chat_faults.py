"""The provider that misbehaves (`shared/attacks/fake_provider.py`), asked in process, against what must come of each fault."""

import asyncio
import csv
import importlib.util
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from pathlib import Path
from typing import Any, Literal

import httpx2
import pytest

from pincite.adapters.models.openai_chat import OpenAIChatModel
from pincite.core.errors import UpstreamError
from pincite.core.messages import ChatMessage, ModelUsage

ATTACKS = Path(__file__).resolve().parents[5] / "shared" / "attacks"
KEY = "sk-FAKE-CANARY-0123456789"
TEXT = "The notice period is sixty days [1] [S1] as the handbook says on page four ."
SHOWN = {
    "split_utf8": " 漢😀" * 16,
    "u2028": TEXT.replace("is", "a\u2028b\u2029c\u0085d", 1),
    "inject_done": TEXT.replace("is", "x\n\ndata: [DONE]\n\nevent: done\ndata: {}\n\n", 1),
    "reorder": TEXT.replace("period is", "is period"),
    "nul": TEXT.replace("is", "ab", 1),
    "leak_key": TEXT.replace("is", "[redacted]", 1),
}
SUFFIX = {"slow_headers": ":0", "slow_loris": ":0", "429_after": ":0"}
UNTELLABLE = {("finish_filter", "responses")}
"""The fake says `incomplete` without a reason: by the protocol the same as a reply cut at its limit."""

pytestmark = pytest.mark.skipif(not ATTACKS.exists(), reason="needs the fake provider in ../shared/attacks")

Message = MutableMapping[str, Any]
App = Callable[[Message, Callable[[], Awaitable[Message]], Callable[[Message], Awaitable[None]]], Awaitable[None]]
Protocol = Literal["chat", "responses"]


class Wire(httpx2.AsyncByteStream):
    """One exchange with an ASGI application, streamed. An application that fails cuts the connection."""

    def __init__(self, app: App, scope: Message, body: bytes) -> None:
        self._sent: asyncio.Queue[Message | None] = asyncio.Queue(maxsize=1)
        self._body: list[Message] = [{"type": "http.request", "body": body}]
        self._left = asyncio.Event()
        self._task = asyncio.create_task(self._run(app, scope))

    async def _run(self, app: App, scope: Message) -> None:
        try:
            await app(scope, self._receive, self._sent.put)
        except ConnectionError:
            await self._sent.put(None)

    async def _receive(self) -> Message:
        if self._body:
            return self._body.pop()
        await self._left.wait()
        return {"type": "http.disconnect"}

    async def next(self) -> Message:
        message = await self._sent.get()
        if message is None:
            raise httpx2.RemoteProtocolError("cut")
        return message

    async def __aiter__(self) -> AsyncIterator[bytes]:
        more = True
        while more:
            message = await self.next()
            more = message.get("more_body", False)
            yield message.get("body", b"")

    async def aclose(self) -> None:
        self._left.set()
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)


class InProcess(httpx2.AsyncBaseTransport):
    """Carries requests to an ASGI application as a network would: piece by piece, and telling it when the client leaves."""

    def __init__(self, app: App) -> None:
        self._app = app
        self.requests = 0

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        self.requests += 1
        scope: Message = {"type": "http", "path": request.url.path, "headers": []}
        wire = Wire(self._app, scope, await request.aread())
        try:
            start = await wire.next()
        except BaseException:
            await wire.aclose()
            raise
        return httpx2.Response(start["status"], headers=start["headers"], stream=wire)


@pytest.fixture
def wire(monkeypatch: pytest.MonkeyPatch) -> InProcess:
    monkeypatch.setenv("TOKEN_DELAY", "0")
    spec = importlib.util.spec_from_file_location("fake_provider", ATTACKS / "fake_provider.py")
    assert spec
    assert spec.loader
    provider = importlib.util.module_from_spec(spec)
    monkeypatch.setattr("sys.dont_write_bytecode", True)
    spec.loader.exec_module(provider)
    return InProcess(provider.app)


def expected() -> list[tuple[str, str, str]]:
    if not ATTACKS.exists():
        return []
    with (ATTACKS / "fake_provider_expected.tsv").open(encoding="utf-8", newline="") as file:
        rows = [(row["mode"], row["outcome"], row["retry"]) for row in csv.DictReader(file, delimiter="\t")]
    return [row for row in rows if not row[0].startswith("embed")]


CASES = [(*row, protocol) for row in expected() for protocol in ("chat", "responses")]


@pytest.mark.parametrize(("mode", "outcome", "retry", "protocol"), CASES, ids=[f"{case[0]} {case[3]}" for case in CASES])
async def test_a_fault_ends_as_it_must(wire: InProcess, mode: str, outcome: str, retry: str, protocol: Protocol) -> None:
    if (mode, protocol) in UNTELLABLE:
        pytest.skip("the fake doesn't say why the reply is incomplete")
    text, usage, error = await asked(wire, mode, protocol)
    if (error is not None) is not wanted_error(outcome, protocol):
        pytest.fail(f"{mode}: {outcome} was expected, got {error or text!r}")
    if error is None:
        assert usage is not None
        assert usage.truncated is (outcome == "truncated" or mode in ("huge_token", "finish_filter"))
        assert_shown(mode, text, usage, protocol)
    else:
        assert error.message.startswith("The ")
        assert not any(word in repr(error) + repr(error.__cause__) for word in ("fault", "overloaded", KEY, "handbook"))
    if retry.startswith("yes"):
        assert wire.requests == 3
    if retry == "no":
        assert wire.requests == 1


async def asked(wire: InProcess, mode: str, protocol: Protocol) -> tuple[str, ModelUsage | None, UpstreamError | None]:
    model = OpenAIChatModel(
        f"fault:{mode}{SUFFIX.get(mode, '')}",
        KEY,
        "https://provider.test/v1",
        protocol=protocol,
        first_token_timeout_s=0.2 if mode == "never_headers" else 30,
        silence_timeout_s=0.2 if mode == "keepalive_only" else 30,
        max_output_tokens=200,
        retry_wait_s=0,
        http_client=httpx2.AsyncClient(transport=wire),
    )
    pieces: list[str] = []
    usage = None
    try:
        async for piece in model.stream([ChatMessage("user", "How long is notice?")]):
            if isinstance(piece, ModelUsage):
                usage = piece
            else:
                pieces.append(piece)
    except UpstreamError as error:
        return "".join(pieces), usage, error
    return "".join(pieces), usage, None


def wanted_error(outcome: str, protocol: str) -> bool:
    if outcome == "ok on chat, error on responses":
        return protocol == "responses"
    return outcome == "error"


def assert_shown(mode: str, text: str, usage: ModelUsage, protocol: Protocol) -> None:
    assert usage.estimated is (mode in ("usage_missing", "usage_negative", "usage_huge", "million_tokens", "huge_token"))
    if mode == "dup_chunks" and protocol == "chat":
        assert text.startswith("TheThe notice notice")
    elif mode == "bad_utf8":
        assert text.replace("\ufffd", "") == TEXT
    elif mode == "million_tokens":
        assert len(text.split()) == 201
    elif mode == "huge_token":
        assert len(text) == 200 * 16
    else:
        assert text == SHOWN.get(mode, TEXT)
