"""`GET /usage`: what the caller's workspace used."""

from tests.server.conftest import House
from tests.server.contract import QUESTION


async def test_answers_and_documents_are_counted(house: House) -> None:
    before = (await house.client.get("/usage", headers=house.headers)).json()
    asked = await house.client.post("/query/", json={"question": QUESTION}, headers=house.headers | {"Accept": "application/json"})
    assert asked.status_code == 200
    after = (await house.client.get("/usage", headers=house.headers)).json()
    kinds = {each["kind"]: each["rows"] for each in after["usage"]}
    assert kinds["embedding"] >= 1
    assert kinds["chat"] == 1 + sum(each["rows"] for each in before["usage"] if each["kind"] == "chat")
    later = await house.client.get("/usage", params={"since": "2999-01-01T00:00:00Z"}, headers=house.headers)
    assert later.json() == {"balance": 0, "usage": []}
    naive = await house.client.get("/usage", params={"since": "2031-01-01T00:00:00"}, headers=house.headers)
    number = await house.client.get("/usage", params={"since": "0.5"}, headers=house.headers)
    assert (naive.status_code, number.status_code) == (422, 422)
