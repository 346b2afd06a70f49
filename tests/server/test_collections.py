"""Collections over HTTP: their names, what is in them, and their end."""

from typing import Any

import pytest
from tests.server.conftest import House
from tests.server.contract import NO_ID, QUESTION, problem_of
from tests.server.test_documents import SAMPLE, get, settled, upload


async def made(house: House, name: str) -> dict[str, Any]:
    response = await house.client.post("/collections", json={"name": name}, headers=house.headers)
    assert response.status_code == 201, response.text
    return response.json()


async def test_a_collection_takes_another_name_and_keeps_all_else(house: House) -> None:
    path = f"/collections/{house.collection_id}"
    before = await get(house, path)
    renamed = await house.client.patch(path, json={"name": "  Verträge 😀 "}, headers=house.headers)
    assert (renamed.status_code, renamed.json()) == (200, before | {"name": "Verträge 😀"})
    assert await get(house, path) == renamed.json()
    again = await house.client.patch(path, json={"name": "Verträge 😀"}, headers=house.headers)
    assert (again.status_code, again.json()) == (200, renamed.json())
    await made(house, "default")


async def test_the_name_of_another_collection_is_refused(house: House) -> None:
    law = await made(house, "Law")
    for path in (f"/collections/{house.collection_id}", f"/collections/{law['id']}"):
        taken = await house.client.patch(path, json={"name": "Law" if law["id"] not in path else "default"}, headers=house.headers)
        problem_of(taken, 409, "conflict")
    assert [each["name"] for each in (await get(house, "/collections"))["collections"]] == ["Law", "default"]


@pytest.mark.parametrize(
    "body",
    [{}, {"name": ""}, {"name": " \n "}, {"name": "x" * 201}, {"name": None}, {"name": "a\x00b"}, {"name": "a", "id": NO_ID}],
)
async def test_what_is_no_name_is_refused(house: House, body: dict[str, Any]) -> None:
    path = f"/collections/{house.collection_id}"
    problem_of(await house.client.patch(path, json=body, headers=house.headers), 422, "invalid")
    assert (await get(house, path))["name"] == "default"


async def test_the_list_tells_how_many_documents_each_has(house: House) -> None:
    await made(house, "Law")
    listed = (await get(house, "/collections"))["collections"]
    assert [(each["name"], each["scope"]["documents"], each["scope"]["ready"]) for each in listed] == [
        ("Law", 0, 0),
        ("default", 1, 1),
    ]


async def test_a_removed_collection_is_gone_with_all_that_was_in_it(house: House) -> None:
    path, index = f"/collections/{house.collection_id}", house.services.settings.home_path / "index"
    fees = (await upload(house, ("fees.md", SAMPLE)))[1]["documents"][0]
    await settled(house, fees["id"])
    await house.client.post(f"{path}/search", json={"query": QUESTION}, headers=house.headers)
    assert [folder.name for folder in index.iterdir()] == [house.collection_id]
    removed = await house.client.delete(path, headers=house.headers)
    assert (removed.status_code, removed.content) == (204, b"")
    for gone in (path, f"{path}/documents", f"/documents/{fees['id']}", f"/documents/{fees['id']}/file"):
        problem_of(await house.client.get(gone, headers=house.headers), 404)
    problem_of(await house.client.delete(path, headers=house.headers), 404, "collection")
    problem_of(await house.client.patch(path, json={"name": "a"}, headers=house.headers), 404, "collection")
    problem_of(await house.client.post(f"{path}/search", json={"query": QUESTION}, headers=house.headers), 404, "collection")
    asked = {"question": QUESTION, "collection_id": house.collection_id}
    problem_of(await house.client.post("/query/", json=asked, headers=house.headers), 403, "collection")
    assert await get(house, "/collections") == {"collections": []}
    assert (list(index.iterdir()), [blob async for blob in house.services.blobs.all()]) == ([], [])


async def test_a_collection_can_be_removed_while_its_documents_wait_and_are_read(house: House) -> None:
    files = [(f"{number}.md", SAMPLE + str(number).encode()) for number in range(20)]
    assert (await upload(house, *files))[0] == 202
    removed = await house.client.delete(f"/collections/{house.collection_id}", headers=house.headers)
    assert removed.status_code == 204
    law = await made(house, "Law")
    kept = await house.client.post(
        f"/collections/{law['id']}/documents", files=[("files", ("fees.md", SAMPLE))], headers=house.headers
    )
    assert (await settled(house, kept.json()["documents"][0]["id"]))["stage"] == "ready"


async def test_a_question_to_nothing_in_particular_is_answered_also_after_everything_was_removed(house: House) -> None:
    await house.client.delete(f"/collections/{house.collection_id}", headers=house.headers)
    answer = await house.client.post("/query/", json={"question": QUESTION}, headers=house.headers | {"Accept": "application/json"})
    assert (answer.status_code, answer.json()["answered"]) == (200, False)
