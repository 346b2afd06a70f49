"""Clients as people write them: the reference documents' loops, httpx-sse, eventsource-parser, code points in JavaScript."""

import asyncio
import json
import os
import random
import re
import shutil
import subprocess
import sys
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from httpx_sse import aconnect_sse
from tests.server.conftest import HANDBOOK, filled
from tests.server.running import running

from pincite.bootstrap import Services
from pincite.core.ids import MessageId
from pincite.core.messages import ChatMessage, ModelUsage
from pincite.server.app import create_app
from pincite.settings import load_settings
from pincite.workspaces.tokens import Tokens

REFERENCE = Path(__file__).resolve().parents[3] / "shared" / "seeds" / "000_e7e39e5ef19caff1.txt"
CONSUMERS = Path(__file__).parent / "consumers"
QUESTION = "How long is the notice period"
SENTENCES = (
    "The notice period is sixty days [1].",
    "👩‍👩‍👧‍👦 families get thirty days 🎉 [1].",
    "सूचना अवधि साठ दिन है [1]।",
    "فترة الإشعار ستون يومًا [1].",
    "通知期为六十天 [1]。𠮷野家も同じです [1]。",
    "Ünïcode e\u0301 stays as it was [1].",
    "- A list item 🧾 [1]",
    "No citation stands here 😀.",
)


@dataclass
class NumberedModel:
    """Answers a question with n question marks with the n-th of many texts, cut at random places."""

    texts: Sequence[str]
    name: str = "numbered"

    async def invoke(self, messages: Sequence[ChatMessage]) -> str:
        return self._text(messages)

    async def stream(self, messages: Sequence[ChatMessage]) -> AsyncGenerator[str | ModelUsage, None]:
        text, at = self._text(messages), 0
        sizes = random.Random(text)
        while at < len(text):
            size = sizes.randint(1, 12)
            yield text[at : at + size]
            at += size

    def _text(self, messages: Sequence[ChatMessage]) -> str:
        grounding = messages[-1].grounding
        return self.texts[grounding.question.count("?") if grounding else 0]


def texts(count: int) -> list[str]:
    """Return answers of one to six sentences in any order and script."""
    chosen = random.Random(3)
    return [chosen.choice([" ", "\n", "\n\n"]).join(chosen.choices(SENTENCES, k=chosen.randint(1, 6))) for _ in range(count)]


@dataclass(frozen=True)
class Running:
    """A server on a port, and how to reach it."""

    services: Services
    base_url: str
    token: str

    @property
    def environment(self) -> dict[str, str]:
        return {"PATH": os.environ["PATH"], "BASE_URL": self.base_url, "TOKEN": self.token}

    async def run(self, *command: str, given: str = "", **environment: str) -> str:
        """Run a program and return what it prints."""
        process = await asyncio.create_subprocess_exec(
            *command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.environment | environment
        )
        out, err = await process.communicate(given.encode())
        assert process.returncode == 0, err.decode()
        return out.decode()


@pytest.fixture
async def server(tmp_path: Path) -> AsyncGenerator[Running]:
    settings = load_settings({}, home=str(tmp_path / "home"), embedding="none")
    app = create_app(settings, llm=NumberedModel(texts(500)))
    file = tmp_path / "handbook.md"
    file.write_text(HANDBOOK, encoding="utf-8")
    async with running(app) as port:
        services: Services = app.state.server.services
        await filled(services, file)
        made = await Tokens(services.store, services.workspace_id).issue("owner")
        yield Running(services, f"http://127.0.0.1:{port}/api", made.text)


@pytest.fixture(scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the JavaScript parser into a temporary folder."""
    if not shutil.which("npm"):
        pytest.skip("needs npm")
    folder = tmp_path_factory.mktemp("consumers") / "copy"
    shutil.copytree(CONSUMERS, folder)
    subprocess.run(["npm", "ci", "--silent"], cwd=folder, check=True, capture_output=True)
    return folder


def reference() -> str:
    if not REFERENCE.exists():
        pytest.skip("needs the reference documents in ../shared/seeds")
    return REFERENCE.read_text(encoding="utf-8")


async def test_the_loop_of_the_reference_document_runs_as_it_stands(server: Running, tmp_path: Path) -> None:
    loop = re.search(r"const res = await fetch.*?\n}\n", reference(), re.DOTALL)
    assert loop
    # `!` is TypeScript's, not JavaScript's; nothing else is changed.
    script = loop[0].replace("res.body!", "res.body")
    shown = "\n".join(
        f"const {name} = (value) => console.log(JSON.stringify(['{name}', value]));"
        for name in ("renderSources", "appendToken", "finish", "showError")
    )
    given = f"const {{BASE_URL, TOKEN: token}} = process.env, question = '{QUESTION}', collection_id = undefined, session_id = '';"
    file = tmp_path / "loop.mjs"
    file.write_text(f"{given}\n{shown}\n{script}", encoding="utf-8")
    lines = [json.loads(line) for line in (await server.run("node", str(file))).splitlines()]
    assert lines[0][0] == "renderSources"
    assert lines[-1][0] == "finish"
    assert "".join(value for name, value in lines if name == "appendToken") == texts(1)[0]


async def test_the_curl_line_of_the_reference_document_runs_as_it_stands(server: Running) -> None:
    line = re.search(r"curl -N -X POST.*?\n\n", reference(), re.DOTALL)
    assert line
    out = await server.run("bash", "-c", line[0].replace("-N", "-sN"), COLLECTION_ID="")
    assert out.startswith("event: metadata\ndata: {")
    assert out.rstrip().rpartition("event: ")[2].startswith("done\n")


async def test_the_examples_show_answer_and_quotes(server: Running) -> None:
    examples = Path(__file__).resolve().parents[2] / "examples" / "http"
    for command in ((sys.executable, str(examples / "ask.py")), ("node", str(examples / "ask.mjs"))):
        out = await server.run(*command, QUESTION)
        assert out.startswith(texts(1)[0])
        assert "The notice period is sixty days." in out.removeprefix(texts(1)[0])


async def test_javascript_cuts_the_claims_that_python_cuts(server: Running, modules: Path) -> None:
    questions = [QUESTION + "?" * number for number in range(200)]
    out = await server.run("node", str(modules / "claims.mjs"), given=json.dumps(questions))
    theirs = [json.loads(line) for line in out.splitlines()]
    ours = [await _answer(server, question) for question in questions]
    assert [each["text"] for each in theirs] == [each["text"] for each in ours]
    assert [each["claims"] for each in theirs] == [
        [each["text"][claim["start"] : claim["end"]] for claim in each["claims"]] for each in ours
    ]
    assert sum(len(each["claims"]) for each in theirs) > 200


async def _answer(server: Running, question: str) -> dict[str, Any]:
    headers = {"Authorization": f"Bearer {server.token}", "Accept": "application/json"}
    async with httpx.AsyncClient(headers=headers) as client:
        return (await client.post(f"{server.base_url}/query/", json={"question": question})).json()


async def test_tokens_stored_answer_and_json_twin_are_the_same_text(server: Running) -> None:
    headers = {"Authorization": f"Bearer {server.token}"}
    same = 0
    async with httpx.AsyncClient(headers=headers) as client:
        for number in range(500):
            body = {"question": QUESTION + "?" * number}
            async with aconnect_sse(client, "POST", f"{server.base_url}/query/", json=body) as source:
                events = [(event.event, event.json()) async for event in source.aiter_sse()]
            said = "".join(data["token"] for name, data in events if name == "token")
            twin = (await client.post(f"{server.base_url}/query/", json=body, headers={"Accept": "application/json"})).json()
            same += said == await _stored(server, events[-1][1]["message_id"]) == twin["text"] == texts(500)[number]
    assert same == 500


async def _stored(server: Running, message_id: str) -> str:
    async with server.services.store.open(server.services.workspace_id) as work:
        record = await work.answers.get(MessageId(message_id))
    return record.answer.text if record else ""


async def test_httpx_sse_reads_the_other_dialect_too(server: Running) -> None:
    headers = {"Authorization": f"Bearer {server.token}"}
    async with (
        httpx.AsyncClient(headers=headers) as client,
        aconnect_sse(client, "POST", f"{server.base_url}/chat/stream", json={"question": QUESTION}) as source,
    ):
        names = [event.event async for event in source.aiter_sse()]
    assert names[-2:] == ["citations", "done"]
