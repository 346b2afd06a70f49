"""Receipts over HTTP: signed, canonical to the byte, without what is withheld or was erased."""

from tests.server.conftest import House
from tests.server.contract import problem_of

from pincite.client import check_receipt
from pincite.core.ids import WorkspaceId
from pincite.server.deps import ServerState
from pincite.workspaces.tokens import Tokens


async def asked(house: House) -> str:
    """Ask, and return the answer's message_id."""
    found = await house.client.post(
        "/query/", json={"question": "How long is the notice period?"}, headers=house.headers | {"Accept": "application/json"}
    )
    message_id: str = found.json()["message_id"]
    return message_id


async def test_a_receipt_is_had_by_the_answers_id_and_verifies(house: House) -> None:
    message_id = await asked(house)
    found = await house.client.get(f"/messages/{message_id}/receipt", headers=house.headers)
    assert (found.status_code, found.headers["content-type"]) == (200, "application/json")
    receipt = check_receipt(found.content)
    assert receipt.faults == ()
    assert receipt.text("question") == "How long is the notice period?"
    assert receipt.text("passages/0") == "The notice period is sixty days."
    assert receipt.field("versions/0", "path") == "handbook.md"
    assert receipt.statement["model"] == "scripted"
    again = await house.client.get(f"/messages/{message_id}/receipt", headers=house.headers)
    assert again.content == found.content


async def test_passages_and_the_question_are_withheld(house: House) -> None:
    at = f"/messages/{await asked(house)}/receipt"
    found = await house.client.get(at, params=[("withhold", "1"), ("withhold", "question")], headers=house.headers)
    assert b"sixty" not in found.content
    assert b"How long" not in found.content
    assert check_receipt(found.content).faults == ()
    for wrong in ("7", "sources"):
        problem_of(await house.client.get(at, params={"withhold": wrong}, headers=house.headers), 422)


async def test_what_was_erased_is_withheld(house: House) -> None:
    at = f"/messages/{await asked(house)}/receipt"
    before = check_receipt((await house.client.get(at, headers=house.headers)).content)
    assert (await house.client.post(f"/documents/{house.document_id}/erase", headers=house.headers)).status_code == 200
    found = await house.client.get(at, headers=house.headers)
    after = check_receipt(found.content)
    assert (after.faults, after.id) == ((), before.id)
    assert "passages/0" in after.withheld
    for said in (b"sixty", b"handbook", b"Leave"):
        assert said not in found.content


async def test_others_learn_nothing_of_an_answer(house: House) -> None:
    at = f"/messages/{await asked(house)}/receipt"
    problem_of(await house.client.get(at), 401)
    problem_of(await house.client.get(at, headers={"Authorization": f"Bearer {house.reader}"}), 403)
    state: ServerState = house.app.state.server
    stranger = WorkspaceId("00000000-0000-7000-8000-0000000000ff")
    token = (await Tokens(state.services.store, stranger).issue("stranger")).text
    problem_of(await house.client.get(at, headers={"Authorization": f"Bearer {token}"}), 404, "answer")
    problem_of(await house.client.get("/messages/nothing/receipt", headers=house.headers), 404, "answer")


async def test_answers_of_both_doors_stand_in_one_chain(house: House) -> None:
    first = await asked(house)
    second = await asked(house)
    found = [
        check_receipt((await house.client.get(f"/messages/{each}/receipt", headers=house.headers)).content)
        for each in (first, second)
    ]
    assert [each.number for each in found] == [1, 2]
    assert found[1].chain["previous"] == found[0].id
    assert [each.statement["settings"]["surface"] for each in found] == ["query", "query"]
