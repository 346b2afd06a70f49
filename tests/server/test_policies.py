"""Policies over HTTP: where they are set, and what they do on every endpoint."""

import json
from typing import Any

import pytest
from tests.server.conftest import House
from tests.server.contract import problem_of
from tests.server.test_documents import get
from tests.server.test_questions import QUESTION, ask, events_of, names

from pincite.adapters.memory.chat import ScriptedChatModel
from pincite.answering.engine import INSUFFICIENT_MESSAGE
from pincite.core.policies import WITHHELD

SECRET = "Zebras graze for ninety euros"
FULL = ["The notice ", "period is sixty ", "days [1", f"]. {SECRET} [1", "]."]
LEFT = f"The notice period is sixty days [1]. {WITHHELD}"


@pytest.fixture
def model() -> ScriptedChatModel:
    return ScriptedChatModel([FULL])


async def use(house: House, policy: str) -> dict[str, Any]:
    path = f"/collections/{house.collection_id}"
    changed = await house.client.patch(path, json={"policy": policy}, headers=house.headers)
    assert changed.status_code == 200, changed.text
    return changed.json()


async def test_a_collection_is_made_and_changed_with_a_policy_and_lists_it(house: House) -> None:
    made = await house.client.post("/collections", json={"name": "Law", "policy": "strict"}, headers=house.headers)
    assert (made.status_code, made.json()["policy"]) == (201, "strict")
    assert (await use(house, "off"))["policy"] == "off"
    listed = (await get(house, "/collections"))["collections"]
    assert [(each["name"], each["policy"]) for each in listed] == [("Law", "strict"), ("default", "off")]


@pytest.mark.parametrize("policy", ["loose", "", None, 1, True])
async def test_what_is_no_policy_is_refused(house: House, policy: Any) -> None:
    path = f"/collections/{house.collection_id}"
    problem_of(await house.client.patch(path, json={"policy": policy}, headers=house.headers), 422, "invalid")
    problem_of(await house.client.post("/collections", json={"name": "x", "policy": policy}, headers=house.headers), 422, "invalid")


@pytest.mark.parametrize("path", ["/query/", "/chat/stream"])
async def test_a_question_cant_choose_a_policy(house: House, path: str) -> None:
    assert (await ask(house, path, policy="off"))[0] == 422


async def test_under_strict_every_endpoint_withholds_the_same(house: House) -> None:
    await use(house, "strict")
    status, body = await ask(house)
    events = events_of(body)
    done = events[-1][1]
    assert status == 200
    assert "".join(data["token"] for name, data in events if name == "token") == LEFT
    assert (done["policy"], done["withheld"], done["answered"]) == ("strict", 1, True)
    assert [LEFT[claim["start"] : claim["end"]] for claim in done["claims"]][1] == WITHHELD
    twin = json.loads((await ask(house, headers=house.headers | {"Accept": "application/json"}))[1])
    assert (twin["text"], twin["policy"], twin["claims"]) == (LEFT, "strict", done["claims"])
    chat = events_of((await ask(house, "/chat/stream"))[1])
    assert "".join(data["text"] for name, data in chat if name == "answer_delta") == LEFT.replace("[1]", "[S1]")
    assert names(chat)[-2:] == ["citations", "done"]
    receipt = await get(house, f"/messages/{done['message_id']}/receipt")
    assert receipt["statement"]["settings"]["policy"] == "strict"
    assert "Zebras" not in body + json.dumps(twin) + json.dumps(chat) + json.dumps(receipt)


class TestNothingSupported:
    @pytest.fixture
    def model(self) -> ScriptedChatModel:
        return ScriptedChatModel([[f"{SECRET} [1", "]."]])

    async def test_what_was_withheld_stays_and_the_answer_ends_as_insufficient(self, house: House) -> None:
        await use(house, "strict")
        events = events_of((await ask(house))[1])
        assert "".join(data["token"] for name, data in events if name == "token") == f"{WITHHELD}\n\n{INSUFFICIENT_MESSAGE}"
        assert (events[-1][1]["answered"], events[-1][1]["citations"]) == (False, [])
        chat = events_of((await ask(house, "/chat/stream"))[1])
        assert names(chat)[-1] == "done"
        assert "citations" not in names(chat)
        assert chat[-1][1] == {"answered": False, "citation_count": 0}


class TestNoLabel:
    @pytest.fixture
    def model(self) -> ScriptedChatModel:
        return ScriptedChatModel([[f"{SECRET}."]])

    @pytest.mark.parametrize(("policy", "end"), [("strict", "error"), ("flag", "done"), ("off", "done")])
    async def test_an_answer_without_labels_is_an_error_under_strict_alone(self, house: House, policy: str, end: str) -> None:
        await use(house, policy)
        assert names(events_of((await ask(house))[1]))[-1] == end
        assert names(events_of((await ask(house, "/chat/stream"))[1]))[-1] == "error"


async def test_several_collections_are_asked_under_the_strictest_policy(house: House) -> None:
    made = await house.client.post("/collections", json={"name": "Law", "policy": "strict"}, headers=house.headers)
    both = [house.collection_id, made.json()["id"]]
    assert events_of((await ask(house, collection_ids=both))[1])[-1][1]["policy"] == "strict"
    assert events_of((await ask(house))[1])[-1][1]["policy"] == "flag"
    chat = events_of((await ask(house, "/chat/stream", question=QUESTION))[1])
    assert SECRET in "".join(data["text"] for name, data in chat if name == "answer_delta")


async def test_under_off_no_claim_is_judged(house: House) -> None:
    await use(house, "off")
    done = events_of((await ask(house))[1])[-1][1]
    assert {(claim["verdict"], claim["support"]) for claim in done["claims"]} == {("not_checked", None)}
    assert done["policy"] == "off"
    assert done["citations"]
