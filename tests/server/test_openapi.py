"""The OpenAPI document tells the truth: names that stay, examples that fit, and events as they are really streamed."""

import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from tests.server.conftest import House, filled
from tests.server.contract import QUESTION
from tests.server.test_questions import ask, events_of

from pincite.adapters.memory.chat import ScriptedChatModel
from pincite.core.errors import UpstreamError
from pincite.core.messages import ModelUsage
from pincite.server.openapi import STREAMS
from pincite.server.schemas.events import Answer

ANSWER = ["The notice ", "period is sixty days [1]. ", "The late fee is five percent [2]."]
REPLIES = {
    "whole": ScriptedChatModel([ANSWER], usage=ModelUsage(100, 20)),
    "cut": ScriptedChatModel([ANSWER], usage=ModelUsage(100, 20, truncated=True)),
    "without labels": ScriptedChatModel([["The notice period is sixty days."]]),
    "failed at once": ScriptedChatModel([ANSWER], fail_at=0, error=UpstreamError("no")),
    "failed midway": ScriptedChatModel([ANSWER], fail_at=2, error=UpstreamError("no")),
}
QUESTIONS = [QUESTION + " How high is the late fee?", "Zebras in Xanadu?"]


@pytest.fixture
def reply() -> str:
    """Which of the replies the model gives, unless a test names others."""
    return "whole"


@pytest.fixture
def model(reply: str) -> ScriptedChatModel:
    return REPLIES[reply]


async def document(house: House) -> dict[str, Any]:
    return (await house.client.get("/openapi.json")).json()


def valid(whole: dict[str, Any], name: str) -> Any:
    """Return what validates against a schema of the document."""
    return jsonschema_rs.validator_for({"$ref": f"#/components/schemas/{name}", "components": whole["components"]})


async def with_cells(house: House, folder: Path) -> None:
    """Add a table, whose quotes name cells."""
    file = folder / "fees.csv"
    file.write_text("Fee,Share\nlate fee,five percent\nearly fee,one percent\n")
    await filled(house.services, file)


@pytest.mark.parametrize("reply", REPLIES)
@pytest.mark.parametrize(("path", "stream"), [("/query/", "QueryEvent"), ("/chat/stream", "ChatEvent")])
async def test_every_event_is_what_the_document_says_and_nothing_more(house: House, tmp_path: Path, path: str, stream: str) -> None:
    await with_cells(house, tmp_path)
    checked = valid(await document(house), stream)
    for question in QUESTIONS:
        status, body = await ask(house, path, question=question)
        events = events_of(body)
        assert (status, events[-1][0] in {"done", "error"}) == (200, True)
        for name, data in events:
            checked.validate({"event": name, "data": data})
            STREAMS[stream][name].model_validate(data, extra="forbid")


@pytest.mark.parametrize("reply", ["whole", "cut"])
async def test_the_json_twin_is_what_the_document_says(house: House) -> None:
    checked = valid(await document(house), "Answer")
    for question in QUESTIONS:
        status, body = await ask(house, headers=house.headers | {"Accept": "application/json"}, question=question)
        assert status == 200
        checked.validate(json.loads(body))
        Answer.model_validate_json(body, extra="forbid")


IDS = """
    collections_list collections_make collections_search collections_show
    documents_cancel documents_chunks documents_file documents_list documents_remove documents_retry documents_show documents_text
    documents_upload
    questions_chat questions_query
    system_health system_ready system_version
    usage_show
"""
"""Names of methods in generated clients. One that is here stays; a new one is added."""


async def test_operations_keep_their_names(house: House) -> None:
    found = [
        operation["operationId"] for operations in (await document(house))["paths"].values() for operation in operations.values()
    ]
    assert set(IDS.split()) - set(found) == set()
    assert len(found) == len(set(found))


async def test_examples_fit_their_schemas(house: House) -> None:
    whole = await document(house)
    shown = {name: schema["examples"] for name, schema in whole["components"]["schemas"].items() if "examples" in schema}
    assert {"QueryRequest", "ChatRequest", "Problem"} <= set(shown)
    for name, examples in shown.items():
        for example in examples:
            valid(whole, name).validate(example)


async def test_every_operation_says_who_may_call_it_and_every_refusal_is_a_problem(house: House) -> None:
    for path, operations in (await document(house))["paths"].items():
        for operation in operations.values():
            is_open = path.startswith(("/api/health", "/api/ready", "/api/version"))
            assert operation.get("security", []) == ([] if is_open else [{"bearer": []}])
            refused = {status: each["content"] for status, each in operation["responses"].items() if status >= "400"}
            assert all(list(content) == ["application/problem+json"] for content in refused.values())
            assert operation["summary"]
