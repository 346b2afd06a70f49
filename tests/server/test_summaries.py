"""Summaries over HTTP: asked for of a collection, told of each document, shown as what a model wrote."""

import asyncio
from typing import Any

import pytest
from tests.server.conftest import House
from tests.server.contract import problem_of
from tests.server.test_documents import get, settled, upload

BOOK = "\n".join(f"# Part {n}\n\nPart {n} tells of zebras. It holds for number {n} alone.\n" for n in range(12)).encode()


async def summarised(house: House, document_id: str) -> dict[str, Any]:
    """Wait until a document's summaries are ready or have failed."""
    row: dict[str, Any] = {}
    for _ in range(1000):
        row = await get(house, f"/documents/{document_id}")
        if row["summaries"] and row["summaries"]["state"] in ("ready", "failed"):
            return row
        await asyncio.sleep(0.02)
    raise AssertionError(f"still {row['summaries']}")


async def switch(house: House, **body: Any) -> dict[str, Any]:
    response = await house.client.patch(f"/collections/{house.collection_id}", json=body, headers=house.headers)
    assert response.status_code == 200, response.text
    return response.json()


async def book(house: House) -> str:
    document_id = (await upload(house, ("book.md", BOOK)))[1]["documents"][0]["id"]
    assert (await settled(house, document_id))["stage"] == "ready"
    return document_id


async def test_documents_that_are_there_and_that_come_are_summarised_from_then_on(house: House) -> None:
    before = await book(house)
    assert (await get(house, f"/documents/{before}"))["summaries"] is None
    assert not (await get(house, f"/collections/{house.collection_id}"))["summaries"]
    assert (await switch(house, summaries=True))["summaries"]
    first = (await summarised(house, before))["summaries"]
    assert (first["state"], first["model"], first["attempt"], first["reason"]) == ("ready", "extractive", 1, None)
    assert first["done"] == first["total"] > 1
    later = (await upload(house, ("later.md", BOOK.replace(b"zebras", b"lions"))))[1]["documents"][0]["id"]
    assert (await summarised(house, later))["summaries"]["done"] == first["done"]


async def test_chunks_tell_summaries_from_the_document_and_hits_are_the_document(house: House) -> None:
    await switch(house, summaries=True, name="With summaries")
    document_id = await book(house)
    row = await summarised(house, document_id)
    chunks = (await get(house, f"/documents/{document_id}/chunks"))["chunks"]
    passages = [each for each in chunks if not each["generated"]]
    summaries = [each for each in chunks if each["chunk_type"] == "summary"]
    assert len(passages) == row["chunks"]
    assert len(summaries) == row["summaries"]["done"]
    assert all(each["generated"] and each["summarises"] for each in summaries)
    assert {each for summary in summaries for each in summary["summarises"]} >= {each["id"] for each in passages}
    assert all(each["summarises"] == [] for each in passages)
    body = {"query": summaries[-1]["text"], "limit": 20}
    found = await house.client.post(f"/collections/{house.collection_id}/search", json=body, headers=house.headers)
    assert found.json()["hits"]
    assert not any(hit["generated"] for hit in found.json()["hits"])


async def test_without_them_the_collection_has_none_any_more(house: House) -> None:
    await switch(house, summaries=True)
    document_id = await book(house)
    await summarised(house, document_id)
    assert not (await switch(house, summaries=False))["summaries"]
    row = await get(house, f"/documents/{document_id}")
    assert row["summaries"] is None
    assert not [each for each in (await get(house, f"/documents/{document_id}/chunks"))["chunks"] if each["generated"]]


async def test_a_collection_may_be_made_with_them(house: House) -> None:
    made = await house.client.post("/collections", json={"name": "Law", "summaries": True}, headers=house.headers)
    assert (made.status_code, made.json()["summaries"]) == (201, True)


@pytest.mark.parametrize("body", [{"summaries": None}, {"summaries": "yes"}, {"summaries": 1}, {"summaries": True, "name": None}])
async def test_what_is_neither_yes_nor_no_is_refused(house: House, body: dict[str, Any]) -> None:
    answer = await house.client.patch(f"/collections/{house.collection_id}", json=body, headers=house.headers)
    problem_of(answer, 422, "invalid")
    assert not (await get(house, f"/collections/{house.collection_id}"))["summaries"]


async def test_summaries_that_are_ready_are_neither_tried_again_nor_cancelled(house: House) -> None:
    await switch(house, summaries=True)
    document_id = await book(house)
    await summarised(house, document_id)
    for verb, code in (("retry", "not_failed"), ("cancel", "not_in_work")):
        answer = await house.client.post(f"/documents/{document_id}/{verb}", headers=house.headers)
        assert "summari" in problem_of(answer, 409, code)["detail"]
