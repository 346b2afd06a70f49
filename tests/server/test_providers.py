"""Every fault of the provider that misbehaves, over both its protocols and through all doors of a real server.

The list of faults is the fake's own, so that a new one is tried at once: what holds for all of them is asked of it, and the table
has to say what must come of it.
"""

import asyncio
import json
import re
import time
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from enum import Enum
from itertools import pairwise
from typing import Any

import pytest
import pytest_asyncio
from tests.server.providers import FAKE, KEY, MISSING, Asking, Protocol, Reply, asking, fake, modes
from tests.server.running import begin

from pincite.core.querylog import LoggedQuery, Outcome

pytestmark = [pytest.mark.skipif(not FAKE.exists(), reason=MISSING), pytest.mark.asyncio(loop_scope="module")]

# Differing in punctuation alone, so that the fake takes them for different requests and the search doesn't.
DOORS = {"query": "How long is the notice period?", "json": "How long is the notice period??", "chat": "How long is notice period?"}
TEXT = "The notice period is sixty days as the handbook says on page four ."
SENTENCES = {"query": "Generation failed", "json": "Generation failed", "chat": "Grounded chat is temporarily unavailable"}
FOREIGN = (
    KEY,
    "127.0.0.1",
    '"fault"',
    "overloaded",
    "slow down",
    "Bad gateway",
    "Use only what the sources say",
    "<source:",
    "Traceback",
)


class Kind(Enum):
    """What becomes of an answer. `BROKEN`: an error behind the text that came; `REFUSED`: an error and no text."""

    WHOLE = "whole"
    CUT = "cut"
    BROKEN = "broken"
    REFUSED = "refused"


@dataclass(frozen=True)
class Fault:
    """What must come of a mode. `tries` are the requests for one question; `labels`: the text carries some."""

    kind: Kind
    tries: int = 1
    text: str | None = TEXT
    labels: bool = True
    options: dict[str, Any] = field(default_factory=dict[str, Any])
    responses: Kind | None = None
    """Where the protocol makes a difference."""


WHOLE = Fault(Kind.WHOLE)
CUT_TEXT = "The notice period"
BROKEN = Fault(Kind.BROKEN, text=CUT_TEXT)
REFUSED = Fault(Kind.REFUSED, text="")
RETRIED = Fault(Kind.REFUSED, tries=3, text="")
TIMEOUTS = {"first_token_timeout_s": 1.5, "silence_timeout_s": 1.5}
TABLE: dict[str, Fault] = {
    **dict.fromkeys(("ok", "slow_headers:0", "slow_loris:0", "one_byte", "double_done", "after_done", "malformed_sse"), WHOLE),
    **dict.fromkeys(("empty_choices", "null_delta", "bom", "crlf", "cr_only", "comments"), WHOLE),
    **dict.fromkeys(("usage_missing", "usage_negative", "usage_huge"), WHOLE),
    **dict.fromkeys(("401", "403", "404", "413"), REFUSED),
    **dict.fromkeys(("408", "429", "429_after:0", "500", "502_html", "503", "529", "error_200", "wrong_type"), RETRIED),
    **dict.fromkeys(("cut_mid", "reset", "garbage_json", "half_json", "error_event"), BROKEN),
    **dict.fromkeys(("tool_partial", "tool_unknown", "tool_bad_json"), BROKEN),
    # The same before a word was shown: tried again where that can help.
    **dict.fromkeys(("cut_mid:0", "reset:0", "garbage_json:0", "half_json:0", "error_event:0"), RETRIED),
    **dict.fromkeys(("tool_partial:0", "tool_unknown:0", "tool_bad_json:0"), REFUSED),
    "flaky_2": Fault(Kind.WHOLE, tries=3),
    "cut_before_done": Fault(Kind.BROKEN),
    "no_done": Fault(Kind.WHOLE, responses=Kind.BROKEN),
    "finish_length": Fault(Kind.CUT),
    "finish_filter": Fault(Kind.BROKEN, responses=Kind.CUT),  # the fake gives no reason there: as if cut at its limit
    "u2028": Fault(Kind.WHOLE, text=TEXT.replace("is", "a\u2028b\u2029c\u0085d", 1)),
    "nul": Fault(Kind.WHOLE, text=TEXT.replace("is", "ab", 1)),
    "inject_done": Fault(Kind.WHOLE, text=TEXT.replace("is", "x\n\ndata: [DONE]\n\nevent: done\ndata: {}\n\n", 1)),
    "reorder": Fault(Kind.WHOLE, text=TEXT.replace("period is", "is period")),
    "leak_key": Fault(Kind.WHOLE, text=TEXT.replace("is", "[redacted]", 1)),
    "bad_utf8": Fault(Kind.WHOLE, text=None),
    "dup_chunks": Fault(Kind.WHOLE, text=None),
    "split_utf8": Fault(Kind.WHOLE, text=" 漢😀" * 16, labels=False),
    "huge_token": Fault(Kind.CUT, text=None, labels=False, options={"max_output_tokens": 200}),
    "million_tokens": Fault(Kind.CUT, text="cost" + " cost" * 200, labels=False, options={"max_output_tokens": 200}),
    "never_headers": Fault(Kind.REFUSED, text="", options=TIMEOUTS),
    "slow_headers:60": Fault(Kind.REFUSED, text="", options=TIMEOUTS),
    "slow_loris:60": Fault(Kind.REFUSED, text="", options=TIMEOUTS),
    "keepalive_only": Fault(Kind.BROKEN, text=CUT_TEXT, options=TIMEOUTS),
}
GENTLE = {"slow_headers": "slow_headers:0", "slow_loris": "slow_loris:0", "429_after": "429_after:0"}
CHAT_MODES = [GENTLE.get(mode, mode) for mode in modes() if not mode.startswith("embed")]
TRIED = list(dict.fromkeys([*CHAT_MODES, *TABLE]))


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Asking]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TOKEN_DELAY", "0")
        patch.setattr("sys.dont_write_bytecode", True)
        async with asking(tmp_path_factory.mktemp("providers"), fake()) as running:
            yield running


@pytest.mark.parametrize("protocol", ["chat", "responses"])
@pytest.mark.parametrize("mode", TRIED)
async def test_a_fault_reaches_no_client(server: Asking, mode: str, protocol: Protocol) -> None:
    fault, began = TABLE.get(mode), time.time()
    await server.use(mode, protocol, **(fault.options if fault else {}))
    replies = await asyncio.gather(*(server.ask(door, question) for door, question in DOORS.items()))
    rows = {row.question: row for row in await server.logged(len(DOORS))}
    for reply in replies:
        assert_sound(reply)
        assert_logged(reply, rows[DOORS[reply.door]])
        if fault:
            assert_expected(reply, fault, fault.responses if protocol == "responses" and fault.responses else fault.kind)
    if fault:
        seen = await server.seen(mode.partition(":")[0], began)
        # On a busy machine a time-out may come before the fake has seen a request.
        assert len(seen) <= fault.tries * len(DOORS) if fault.options is TIMEOUTS else len(seen) == fault.tries * len(DOORS)
    assert len(server.app.state.server.streams) == 0


async def test_the_table_says_what_must_come_of_every_fault() -> None:
    assert set(CHAT_MODES) - set(TABLE) == set()


def assert_sound(reply: Reply) -> None:
    """Check what holds whatever the provider does: one terminal event, the last; the fixed sentence; nothing of the provider's."""
    for word in FOREIGN:
        assert word not in reply.body, word
    if reply.door == "json":
        assert reply.status in (200, 503)
        if reply.status == 503:
            assert json.loads(reply.body)["detail"] == SENTENCES["json"]
        return
    assert reply.status == 200
    names = [name for name, _ in reply.events]
    assert [name for name in names if name in ("done", "error")] == names[-1:]
    assert (names[0] == "metadata") is (reply.door == "query")
    if names[-1] == "error":
        assert reply.events[-1][1]["message"] == SENTENCES[reply.door]
        assert set(reply.events[-1][1]) == ({"message", "request_id"} if reply.door == "query" else {"message"})


def assert_logged(reply: Reply, row: LoggedQuery) -> None:
    """Check the one row of the question: how it ended, and the text that came when it didn't end well."""
    if succeeded(reply):
        assert (row.outcome, row.received, row.error) == (Outcome.COMPLETE, "", "")
    else:
        assert row.outcome is Outcome.FAILED
        assert row.error
        assert row.received.startswith(reply.text)
    assert not any(word in repr(row) for word in FOREIGN)


def succeeded(reply: Reply) -> bool:
    return reply.status == 200 and (reply.door == "json" or reply.events[-1][0] == "done")


def assert_expected(reply: Reply, fault: Fault, kind: Kind) -> None:
    is_whole = kind in (Kind.WHOLE, Kind.CUT) and (fault.labels or reply.door != "chat")
    assert succeeded(reply) is is_whole
    if fault.text is not None and (is_whole or reply.door != "json"):
        assert without_labels(reply.text) == fault.text
    if is_whole and reply.door != "chat":
        done = json.loads(reply.body) if reply.door == "json" else reply.events[-1][1]
        assert done["answered"] is True
        assert bool(done["citations"]) is fault.labels


def without_labels(text: str) -> str:
    return re.sub(r" ?\[S?\d\]", "", text)


@pytest.mark.parametrize("protocol", ["chat", "responses"])
async def test_a_provider_that_asks_to_wait_is_waited_for(server: Asking, protocol: Protocol) -> None:
    began = time.time()
    await server.use("429_after:1", protocol)
    reply = await server.ask("query", DOORS["query"])
    assert not succeeded(reply)
    at = [each["t"] for each in await server.seen("429_after", began)]
    assert len(at) == 3
    assert min(later - earlier for earlier, later in pairwise(at)) >= 1


@pytest.mark.parametrize("protocol", ["chat", "responses"])
@pytest.mark.parametrize("path", ["/query/", "/chat/stream"])
async def test_a_client_that_leaves_ends_the_call_of_the_provider(server: Asking, path: str, protocol: Protocol) -> None:
    began = time.time()
    await server.use("keepalive_only", protocol)
    _, writer = await begin(server.port, path, server.token, DOORS["query"])
    writer.close()
    assert await server.cancelled("keepalive_only", began, within_s=1)
    [row] = await server.logged(1)
    assert row.outcome is Outcome.PARTIAL
    assert row.received.startswith("The")


async def test_a_client_of_the_whole_answer_that_leaves_ends_the_call_too(server: Asking) -> None:
    began = time.time()
    await server.use("keepalive_only", "chat")
    asked = asyncio.create_task(server.ask("json", DOORS["json"]))
    assert await server.sent("keepalive_only", began)
    asked.cancel()
    assert await server.cancelled("keepalive_only", began, within_s=1)
    [row] = await server.logged(1)
    assert row.outcome is Outcome.PARTIAL


async def test_a_reply_beyond_the_limit_is_cancelled_at_the_provider(server: Asking) -> None:
    began = time.time()
    await server.use("million_tokens", "chat", max_output_tokens=50)
    assert succeeded(await server.ask("query", DOORS["query"]))
    assert await server.cancelled("million_tokens", began)
