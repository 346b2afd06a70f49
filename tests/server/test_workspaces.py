"""Callers of several workspaces on one server: each asks, adds, searches and is logged in its own."""

from typing import Any

import pytest
from tests.server.conftest import House
from tests.server.contract import QUESTION, problem_of
from tests.server.test_documents import SAMPLE

from pincite.core.documents import Stage
from pincite.core.ids import WorkspaceId, new_id
from pincite.ingest.arrivals import Arrival
from pincite.workspaces.tokens import Tokens

THEIRS = WorkspaceId(new_id())


@pytest.fixture
async def theirs(house: House) -> dict[str, str]:
    """The headers of a caller of another workspace, which exists once it has a collection."""
    services = house.app.state.server.workspaces.of(THEIRS)
    await services.collection("default", create=True)
    token = await Tokens(house.services.store, THEIRS).issue("theirs")
    return {"Authorization": f"Bearer {token.text}"}


async def ask(house: House, headers: dict[str, str], question: str) -> dict[str, Any]:
    answer = await house.client.post("/query/", json={"question": question}, headers=headers | {"Accept": "application/json"})
    assert answer.status_code == 200, answer.text
    return answer.json()


async def add(house: House, name: str, data: bytes) -> str:
    services = house.app.state.server.workspaces.of(THEIRS)
    collection = await services.collection("default")
    done = await services.ingestor.process(await services.ingestor.receive(collection, Arrival(name, name, data)), None)
    assert done.stage is Stage.READY
    return done.id


async def test_a_question_to_nothing_in_particular_is_answered_from_the_callers_own_documents(
    house: House, theirs: dict[str, str]
) -> None:
    fees = await add(house, "fees.md", SAMPLE)
    assert {each["document_id"] for each in (await ask(house, theirs, "How high is the late fee?"))["sources"]} == {fees}
    assert {each["document_id"] for each in (await ask(house, house.headers, QUESTION))["sources"]} == {house.document_id}
    for headers, question in ((theirs, QUESTION), (house.headers, "late fee percent")):
        own = fees if headers is theirs else house.document_id
        assert {each["document_id"] for each in (await ask(house, headers, question))["sources"]} <= {own}


async def test_a_new_workspace_gets_a_default_collection_of_its_own(house: House) -> None:
    workspace = WorkspaceId(new_id())
    await house.app.state.server.workspaces.of(workspace).collection("other", create=True)
    headers = {"Authorization": f"Bearer {(await Tokens(house.services.store, workspace).issue('new')).text}"}
    assert not (await ask(house, headers, QUESTION))["answered"]
    listed = (await house.client.get("/collections", headers=headers)).json()["collections"]
    assert [(each["name"], each["scope"]["documents"]) for each in listed] == [("default", 0), ("other", 0)]
    ours = (await house.client.get("/collections", headers=house.headers)).json()["collections"]
    assert [each["id"] for each in ours] == [house.collection_id]


async def test_documents_are_added_searched_and_removed_in_the_callers_workspace(house: House, theirs: dict[str, str]) -> None:
    fees = await add(house, "fees.md", SAMPLE)
    [home] = (await house.client.get("/collections", headers=theirs)).json()["collections"]
    path = f"/collections/{home['id']}"
    found = await house.client.post(f"{path}/search", json={"query": "late fee"}, headers=theirs)
    assert [each["document_id"] for each in found.json()["hits"]] == [fees]
    sent = await house.client.post(f"{path}/documents", files=[("files", ("new.md", b"New."))], headers=theirs)
    assert sent.status_code == 202
    assert (await house.client.get(f"/documents/{fees}/file", headers=theirs)).content == SAMPLE
    problem_of(await house.client.get(f"/documents/{fees}/file", headers=house.headers), 404, "document")
    assert (await house.client.delete(f"/documents/{fees}", headers=theirs)).status_code == 204
    assert (await house.client.delete(path, headers=theirs)).status_code == 204
    assert (await house.client.get(f"/documents/{house.document_id}", headers=house.headers)).status_code == 200


async def test_the_samples_are_loaded_into_the_callers_workspace(house: House, theirs: dict[str, str]) -> None:
    assert (await house.client.post("/samples", headers=theirs)).status_code == 202
    names = [each["name"] for each in (await house.client.get("/collections", headers=theirs)).json()["collections"]]
    assert names == ["default", "samples"]
    ours = (await house.client.get("/collections", headers=house.headers)).json()["collections"]
    assert [each["name"] for each in ours] == ["default"]


async def test_questions_are_logged_and_answers_kept_in_the_callers_workspace(house: House, theirs: dict[str, str]) -> None:
    await add(house, "fees.md", SAMPLE)
    answer = await ask(house, theirs, "How high is the late fee?")
    await house.app.state.server.workspaces.of(THEIRS).query_log.close()
    async with house.services.store.open(THEIRS) as work:
        assert [each.message_id for each in await work.query_logs.list()] == [answer["message_id"]]
        assert await work.answers.get(answer["message_id"])
    async with house.services.store.open(house.services.workspace_id) as work:
        assert (await work.query_logs.list(), await work.answers.get(answer["message_id"])) == ([], None)
