"""The sample collection over HTTP: one call loads it, another one changes nothing."""

from typing import Any

from tests.server.conftest import House
from tests.server.test_documents import settled


async def load(house: House) -> tuple[int, list[dict[str, Any]]]:
    answer = await house.client.post("/samples", headers=house.headers)
    return answer.status_code, answer.json()["documents"]


async def test_the_samples_are_loaded_once_however_often_they_are_asked_for(house: House) -> None:
    status, first = await load(house)
    assert (status, len(first)) == (202, 4)
    under_way = (await load(house))[1]
    assert [row["progress"]["attempt"] for row in under_way] == [1, 1, 1, 1]
    ready = [await settled(house, row["id"]) for row in first]
    assert {row["stage"] for row in ready} == {"ready"}
    status, again = await load(house)
    assert (status, [row["version_id"] for row in again]) == (200, [row["version_id"] for row in ready])
    [samples] = {row["collection_id"] for row in again}
    question = {"question": "What can happen when fsync is turned off?", "collection_id": samples}
    asked = await house.client.post("/query/", json=question, headers=house.headers | {"Accept": "application/json"})
    assert asked.json()["sources"][0]["source"] == "postgresql-wal.html"
