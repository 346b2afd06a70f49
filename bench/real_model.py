"""Twenty questions over three files through `/api/query/` with a small real language model: what it writes, and what becomes of it.

`python bench/real_model.py [--base-url http://127.0.0.1:18090/v1] [--context 1200]`; needs `../shared/corpus` and a server that
`../shared/tools/README.md` tells how to start. The prompt is kept short, as such a model reads some 30 tokens a second.
"""

import argparse
import asyncio
import json
import os
import re
import tempfile
import time
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import uvicorn
from httpx_sse import aconnect_sse
from report import keep, need_shared

from pincite.adapters.models.openai_chat import OpenAIChatModel
from pincite.client import Pincite
from pincite.core.errors import PinciteError
from pincite.core.messages import ChatMessage, ModelUsage
from pincite.core.ports.models import ChatModel
from pincite.server.app import create_app
from pincite.server.middleware import Front
from pincite.server.run import listen
from pincite.settings import load_settings
from pincite.workspaces.tokens import Tokens

LABEL = re.compile(r"\[S?(\d+)\]")
OUTPUT_TOKENS = 80
PATIENCE_S = 900.0


@dataclass(frozen=True)
class Question:
    """A question with the file that answers it and words of the right answer, both looked up by hand; none for neither."""

    text: str
    file: str = ""
    words: tuple[str, ...] = ()


MEMO, BOOKING, PLAYER = "fake-memo.pdf", "movie-theater-booking-2024.pdf", "norwich-city.txt"
QUESTIONS = (
    Question("How many blankets were delivered, and when?", MEMO, ("10,000", "January 23")),
    Question("How many trucks were used, and for how long?", MEMO, ("3", "15 hours")),
    Question("Wie viele Laptops wurden geliefert?", MEMO, ("200",)),
    Question("Who signed the memo?", MEMO, ("Mallori",)),
    Question("List what was delivered, one item a line.", MEMO, ("20,000", "10,000", "200")),
    Question("What commission does the Premier Entertainment Group get?", BOOKING, ("10%",)),
    Question("What is the gross amount of the booking, and what the net amount?", BOOKING, ("12,500", "11,250")),
    Question("Which movie runs on screen SCR-2, and at what time?", BOOKING, ("Winter Wonderland", "4:30")),
    Question("Who is the primary contact of the Downtown Multiplex?", BOOKING, ("Sarah Johnson",)),
    Question("How many shows were booked for December 2024?", BOOKING, ("48",)),
    Question("What is the customer ID of Universal Studios Distribution?", BOOKING, ("CUST-98765",)),
    Question("How many league appearances did Iwan Roberts make in his career?", PLAYER, ("647",)),
    Question("Where and when was Iwan Roberts born?", PLAYER, ("Bangor", "1968")),
    Question("How many caps did Roberts win for Wales, and how often did he score?", PLAYER, ("fifteen",)),
    Question("For how much did Roberts move to Huddersfield Town?", PLAYER, ("275,000",)),
    Question("Which languages does Roberts speak fluently?", PLAYER, ("Welsh",)),
    Question("À quel club Roberts a-t-il marqué son premier but professionnel ?", PLAYER, ("Manchester United",)),
    Question("When was Roberts elected to the Norwich City Hall of Fame?", PLAYER, ("2002",)),
    Question("What salary did Iwan Roberts earn at Leicester City?"),
    Question("How many tents were delivered with the blankets?"),
)


@dataclass
class Overheard:
    """A chat model whose replies are kept as they came."""

    inner: OpenAIChatModel
    reply: str = ""

    @property
    def name(self) -> str:
        return self.inner.name

    async def invoke(self, messages: Sequence[ChatMessage]) -> str:
        return await self.inner.invoke(messages)

    async def stream(self, messages: Sequence[ChatMessage]) -> AsyncGenerator[str | ModelUsage, None]:
        self.reply = ""
        async with aclosing(self.inner.stream(messages)) as pieces:
            async for piece in pieces:
                self.reply += piece if isinstance(piece, str) else ""
                yield piece


@dataclass
class Heard:
    """What a client got of one answer."""

    text: str = ""
    sources: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    done: dict[str, Any] = field(default_factory=dict[str, Any])
    first_token_s: float | None = None
    whole_s: float = 0.0


async def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--base-url", default="http://127.0.0.1:18090/v1")
    options.add_argument("--context", type=int, default=1200, help="most characters of sources in a prompt")
    given = options.parse_args()
    files = [need_shared("corpus", name) for name in sorted({question.file for question in QUESTIONS if question.file})]
    lines: list[str] = []
    every: list[tuple[Question, Heard, str]] = []
    with tempfile.TemporaryDirectory(prefix="pincite-real-model-") as home:
        await add(home, files)
        llm = Overheard(
            OpenAIChatModel(
                "local",
                base_url=given.base_url,
                timeout_s=PATIENCE_S,
                first_token_timeout_s=PATIENCE_S,
                silence_timeout_s=PATIENCE_S,
                max_output_tokens=OUTPUT_TOKENS,
            )
        )
        async with serving(home, llm, given.context) as client:
            try:
                for number, question in enumerate(QUESTIONS, 1):
                    heard = await ask(client, question.text)
                    every.append((question, heard, llm.reply))
                    lines += transcript(number, question, heard, llm.reply)
                    print(number, question.text, heard.text, flush=True)
            finally:  # a run that is stopped keeps what it has
                keep("real-model", [*about(given.context), *summary(every), *lines])


def about(context: int) -> list[str]:
    return [
        "Qwen2.5-Coder-1.5B-Instruct (Q4_K_M) by llama.cpp on two processors that others use, too: the load average at each",
        "question tells how much, so that times say little.",
        f"At most {context:,} characters of sources and {OUTPUT_TOKENS} tokens of answer.",
        "",
        "“Reply” is what the model wrote, “answer” what a client of `/api/query/` got, both on one line.",
        "",
    ]


def summary(every: Sequence[tuple[Question, Heard, str]]) -> list[str]:
    """Return how often labels were right, wrong or missing, and which verdicts claims got."""
    answered = [(question, heard, reply) for question, heard, reply in every if heard.done.get("answered")]
    verdicts = Counter(claim["verdict"] for _, heard, _ in answered for claim in heard.done["claims"])
    issuers = Counter(citation["issued_by"] for _, heard, _ in answered for citation in heard.done["citations"])
    bare = sum(not LABEL.search(reply) for _, _, reply in answered)
    dropped = sum(len(LABEL.findall(reply)) - len(LABEL.findall(heard.text)) for _, heard, reply in answered)
    return [
        f"{len(answered)} of {len(every)} questions answered, {bare} of them without a label. Claims: {counted(verdicts)}.",
        f"Citations by who issued the label: {counted(issuers)}. Labels that were dropped, never issued: {dropped}.",
        "",
    ]


def counted(found: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in found.most_common()) or "none"


async def add(home: str, files: Sequence[Path]) -> None:
    async with Pincite(home=home) as client:
        for added in await client.add(*files):
            if added.reason:
                raise SystemExit(f"{added.source}: {added.reason.message}")


@asynccontextmanager
async def serving(home: str, llm: ChatModel, context: int) -> AsyncGenerator[httpx.AsyncClient]:
    """Serve in this process, and give a client with a token."""
    app = create_app(load_settings(home=home, chat_max_context_characters=context), llm=llm)
    taken = listen("127.0.0.1", 0)
    server = uvicorn.Server(uvicorn.Config(Front(app), http="httptools", log_config=None, access_log=False))
    task = asyncio.create_task(server.serve([taken]))
    while not server.started:  # noqa: ASYNC110 - uvicorn has no event for it
        await asyncio.sleep(0.05)
    services = app.state.server.services
    token = await Tokens(services.store, services.workspace_id).issue("bench")
    headers = {"Authorization": f"Bearer {token.text}"}
    base_url = f"http://127.0.0.1:{taken.getsockname()[1]}/api"
    try:
        async with httpx.AsyncClient(base_url=base_url, headers=headers, timeout=PATIENCE_S) as client:
            yield client
    finally:
        server.should_exit = True
        await task


async def ask(client: httpx.AsyncClient, question: str) -> Heard:
    heard, began = Heard(), time.perf_counter()
    async with aconnect_sse(client, "POST", "/query/", json={"question": question}) as stream:
        stream.response.raise_for_status()
        async for event in stream.aiter_sse():
            data = json.loads(event.data)
            if event.event == "metadata":
                heard.sources = data["sources"]
            elif event.event == "token":
                heard.first_token_s = heard.first_token_s or time.perf_counter() - began
                heard.text += data["token"]
            else:
                heard.done = data
    heard.whole_s = time.perf_counter() - began
    return heard


def transcript(number: int, question: Question, heard: Heard, reply: str) -> list[str]:
    """Return the lines of one question."""
    done = heard.done
    if "claims" not in done:
        return [f"## {number}. {question.text}", "", f"Failed: {done.get('message')}", "", f"Reply: {one_line(reply)}", ""]
    wanted = f"`{question.file}`, {' and '.join(question.words)}" if question.file else "nothing: no file holds it"
    tokens = f"{done['usage']['prompt_tokens']} + {done['usage']['completion_tokens']} tokens, load {os.getloadavg()[0]:.1f}"
    first = f"{heard.first_token_s:.1f} s" if heard.first_token_s else "–"
    cited = [f"- {citation_line(heard, citation)}" for citation in done["citations"]]
    judged = [f"- claim {claim_line(heard, claim)}" for claim in done["claims"]]
    return [
        f"## {number}. {question.text}",
        "",
        f"- wanted: {wanted}",
        f"- reply: {one_line(reply) or '(the model was not asked)'}",
        f"- answer: {one_line(heard.text)}",
        f"- verdict: {verdict(question, heard)}",
        f"- labels: {labels(question, heard, reply)}",
        f"- first token {first}, whole {heard.whole_s:.1f} s, {tokens}",
        *judged,
        *cited,
        "",
    ]


def one_line(text: str) -> str:
    return " ".join(text.split())


def verdict(question: Question, heard: Heard) -> str:
    if not heard.done["answered"]:
        return "declined, **wrongly**" if question.file else "declined, rightly"
    if not question.file:
        return "answered, **though nothing holds it**"
    said = heard.text.lower()
    return "right" if all(word.lower() in said for word in question.words) else "**wrong or incomplete**"


def labels(question: Question, heard: Heard, reply: str) -> str:
    """Say what the model wrote as labels and what became of them."""
    issued = {source["n"] for source in heard.sources}
    written = [int(n) for n in LABEL.findall(reply)]
    shown = [int(n) for n in LABEL.findall(heard.text)]
    names = {source["n"]: source["source"] for source in heard.sources}
    right = [n for n in shown if names.get(n) == question.file]
    uncited = sum(not claim["citations"] for claim in heard.done["claims"])
    return (
        f"{len(written)} written as `[n]`, {sum(n not in issued for n in written)} of them never issued; {len(shown)} shown, "
        f"{len(right)} of the right file; {uncited} of {len(heard.done['claims'])} claims without one"
    )


def claim_line(heard: Heard, claim: dict[str, Any]) -> str:
    labels = ", ".join(f"[{heard.done['citations'][at]['n']}]" for at in claim["citations"]) or "no label"
    support = f" ({claim['support']:.2f})" if claim["support"] is not None else ""
    return f"“{one_line(heard.text[claim['start'] : claim['end']])}”, {labels}: **{claim['verdict']}**{support}. {claim['reason']}"


def citation_line(heard: Heard, citation: dict[str, Any]) -> str:
    source = next(source for source in heard.sources if source["n"] == citation["n"])
    quotes = "; ".join(f"“{one_line(quote['text'])[:160]}”" for quote in citation["quotes"])
    pages = sorted({span["page"] for quote in citation["quotes"] for span in quote["spans"] if span["page"]})
    place = f", page {', '.join(map(str, pages))}" if pages else ""
    return f"[{citation['n']}] by the {citation['issued_by']}: `{source['source']}`{place}: {quotes or '(no quote)'}"


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except PinciteError as error:
        raise SystemExit(error.message) from None
