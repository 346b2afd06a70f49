"""Every door through which an answer leaves, read into one normal form. Another door is another line of `DOORS`."""

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

import httpx
from click.testing import CliRunner

from pincite import Pincite, SyncPincite
from pincite.answering.exchange import Ask
from pincite.answering.fold import fold
from pincite.bootstrap import Services
from pincite.cli.main import cli
from pincite.core.answers import Answer, AnswerEvent, Citation, Claim, Quote, Span
from pincite.core.errors import UpstreamError

Told: TypeAlias = dict[str, Any]
"""What a door tells of an answer: `text`, `answered`, `claims`, `citations`; or that it `failed`."""
FAILED: Told = {"failed": True}

_LABEL = re.compile(r"\[S(\d+)\]")


@dataclass(frozen=True)
class House:
    """An installation with its doors open, each on the same home: a server's services, an HTTP client that holds a token, and the
    library with and without async. `environ` holds the variables that set it up."""

    services: Services
    client: httpx.AsyncClient
    library: Pincite
    blocking: SyncPincite
    environ: Mapping[str, str]

    async def run(self, *arguments: str) -> str:
        """Return what a command prints."""
        runner = CliRunner(env=dict(self.environ))
        done = await asyncio.to_thread(runner.invoke, cli, arguments, catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.stdout


@dataclass(frozen=True)
class Door:
    """A way to ask, and what the contract says that this door shows of an answer: all of it, unless told otherwise."""

    way: Callable[[House, str], Coroutine[Any, Any, Told]]
    shows: Callable[[Told], Told] = lambda told: told

    async def ask(self, house: House, question: str) -> Told:
        """Return what is told of the answer."""
        try:
            return await self.way(house, question)
        except UpstreamError:
            return FAILED


async def library(house: House, question: str) -> Told:
    return of_answer(await house.library.ask(question))


async def library_stream(house: House, question: str) -> Told:
    return of_answer(await fold(house.library.stream(question)))


async def blocking_library(house: House, question: str) -> Told:
    return of_answer(await asyncio.to_thread(house.blocking.ask, question))


async def blocking_stream(house: House, question: str) -> Told:
    events = await asyncio.to_thread(lambda: list(house.blocking.stream(question)))
    return of_answer(await fold(_each(events)))


async def engine(house: House, question: str) -> Told:
    collection = await house.services.collection("default")
    return of_answer(await house.services.engine().ask(Ask(question, (collection.id,))))


async def query_stream(house: House, question: str) -> Told:
    events = events_of((await house.client.post("/query/", json={"question": question})).text)
    name, done = events[-1]
    if name == "error":
        return FAILED
    return of_json({"text": "".join(data["token"] for name, data in events if name == "token"), **done})


async def query_json(house: House, question: str) -> Told:
    response = await house.client.post("/query/", json={"question": question}, headers={"Accept": "application/json"})
    return of_json(response.json()) if response.is_success else FAILED


async def chat_stream(house: House, question: str) -> Told:
    events = events_of((await house.client.post("/chat/stream", json={"question": question})).text)
    if events[-1][0] == "error":
        return FAILED
    text = "".join(data["text"] for name, data in events if name == "answer_delta")
    entries = [entry for name, data in events if name == "citations" for entry in data["citations"]]
    shown = [{**entry, "id": entry["id"].removeprefix("S")} for entry in entries]
    told = {"text": _LABEL.sub(r"[\1]", text), "answered": events[-1][1]["answered"], "citations": shown}
    assert events[-1][1]["citation_count"] == len(entries)
    return without(told, "title", "content_type", "score")


async def command(house: House, question: str) -> Told:
    return of_json(json.loads(await house.run("ask", question, "--json")))


async def stored(house: House, question: str) -> Told:
    asked = await house.library.ask(question)
    return of_answer((await house.library.answer(asked.message_id)).answer)


async def receipt(house: House, question: str) -> Told:
    asked = await house.library.ask(question)
    return of_receipt(json.loads(await house.run("receipt", asked.message_id)))


def by_source(told: Told) -> Told:
    """Return what `/chat/stream` shows: one entry for each source, nothing of claims, and no answer that cites nothing."""
    if told["answered"] and not told["citations"]:
        return FAILED
    entries: dict[int, Told] = {}
    for citation in told["citations"]:
        quote = citation["quotes"][0]
        first = {"id": str(citation["n"]), "document_id": citation["document_id"], "chunk_id": citation["chunk_id"]}
        entry = entries.setdefault(citation["n"], {**first, "quote": quote["text"], "locations": []})
        for place in map(_location, citation["quotes"]):
            entry["locations"] += [place] if place not in entry["locations"] else []
    return {"text": told["text"], "answered": told["answered"], "citations": list(entries.values())}


def _location(quote: Told) -> Told:
    first, last = quote["spans"][0], quote["spans"][-1]
    place = {"page_from": first["page"], "page_to": last["page"], "page_label": first["page_label"], "section": first["section"]}
    sheet = {"sheet": first["page_label"]} if first["cells"] and first["page_label"] else {}
    return {**place, **sheet, **({"cells": first["cells"]} if first["cells"] else {})}


DOORS: dict[str, Door] = {
    "Pincite.ask": Door(library),
    "Pincite.stream": Door(library_stream),
    "SyncPincite.ask": Door(blocking_library),
    "SyncPincite.stream": Door(blocking_stream),
    "QueryEngine.ask": Door(engine),
    "/query/ as a stream": Door(query_stream),
    "/query/ as JSON": Door(query_json),
    "/chat/stream": Door(chat_stream, by_source),
    "pincite ask --json": Door(command),
    "Pincite.answer": Door(stored),
    "pincite receipt": Door(receipt),
}


def of_answer(answer: Answer) -> Told:
    """Read an answer of the library, field by field: what its JSON form forgot is seen."""
    return {
        "text": answer.text,
        "answered": answer.answered,
        "claims": [_claim(claim) for claim in answer.claims],
        "citations": [_citation(citation) for citation in answer.citations],
    }


def _claim(claim: Claim) -> Told:
    return {
        "start": claim.start,
        "end": claim.end,
        "verdict": claim.verdict.value,
        "support": claim.support,
        "reason": claim.reason,
        "citations": list(claim.citations),
        "judged_by": claim.judged_by,
    }


def _citation(citation: Citation) -> Told:
    return {
        "n": citation.n,
        "document_id": citation.document_id,
        "version_id": citation.version_id,
        "chunk_id": citation.chunk_id,
        "issued_by": citation.issued_by,
        "quotes": [_quote(quote) for quote in citation.quotes],
    }


def _quote(quote: Quote) -> Told:
    return {"text": quote.text, "start": quote.start, "end": quote.end, "spans": [_span(span) for span in quote.spans]}


def _span(span: Span) -> Told:
    return {
        "page": span.page,
        "page_label": span.page_label,
        "bates": span.bates or None,
        "section": span.section,
        "boxes": [[box.x0, box.y0, box.x1, box.y1] for box in span.boxes],
        "page_size": list(span.page_size) if span.page_size else None,
        "cells": span.cells or None,
        "confidence": span.confidence,
    }


def of_json(told: Told) -> Told:
    """Read an answer in the form of the HTTP contract. What it leaves out where there is nothing is None."""
    return {
        "text": told["text"],
        "answered": told["answered"],
        "claims": [{"judged_by": "", **claim} for claim in told["claims"]],
        "citations": [_cited(citation) for citation in told["citations"]],
    }


def _cited(citation: Told) -> Told:
    quotes = [{**_only(quote, "text", "start", "end"), "spans": _spans(quote["spans"])} for quote in citation["quotes"]]
    return {**_only(citation, "n", "document_id", "version_id", "chunk_id", "issued_by"), "quotes": quotes}


def _spans(spans: Sequence[Told]) -> list[Told]:
    return [{"cells": None, "confidence": None, **span} for span in spans]


def of_receipt(told: Told) -> Told:
    """Read a receipt: its statement, and the openings of what that commits to. Each of its passages is one citation's quote."""
    statement, openings = told["statement"], told["openings"]
    claims = [
        {**_only(claim, "start", "end", "verdict", "support"), "reason": openings[f"claims/{at}"]["value"]["reason"]}
        | {"citations": claim["passages"], "judged_by": claim.get("judged_by", "")}
        for at, claim in enumerate(statement["claims"])
    ]
    citations = [
        {**_only(passage, "n", "document_id", "version_id", "chunk_id", "issued_by")}
        | {"quotes": [{**_only(passage, "start", "end"), "text": _opened(openings, f"passages/{at}")}]}
        for at, passage in enumerate(statement["passages"])
    ]
    for at, citation in enumerate(citations):
        citation["quotes"][0]["spans"] = _spans(openings[f"places/{at}"]["value"])
    return {"text": _opened(openings, "answer"), "answered": statement["answered"], "claims": claims, "citations": citations}


def _opened(openings: Told, place: str) -> str:
    return cast("str", openings[place]["text"])


def _only(given: Told, *names: str) -> Told:
    return {name: given[name] for name in names}


def without(told: Told, *names: str) -> Told:
    """Return what is told without some fields of its citations."""
    kept = [{name: value for name, value in each.items() if name not in names} for each in told["citations"]]
    return {**told, "citations": kept}


def events_of(body: str) -> list[tuple[str, Any]]:
    """Read a stream as the contract writes it."""
    blocks = [block.split("\n") for block in body.removesuffix("\n\n").split("\n\n") if not block.startswith(":")]
    return [(name.removeprefix("event: "), json.loads(data.removeprefix("data: "))) for name, data in blocks]


async def _each(events: Sequence[AnswerEvent]) -> AsyncGenerator[AnswerEvent]:
    for event in events:
        yield event
