"""Documents over HTTP: uploads are kept at once and read soon after; every part can be looked at; strangers see nothing."""

import asyncio
from typing import Any

import pytest
from tests.server.conftest import HANDBOOK, House

from pincite.server.app import MAX_JSON_BYTES

SAMPLE = b"# Fees\n\nThe late fee is five percent.\n"


async def upload(house: House, *files: tuple[str, bytes]) -> tuple[int, dict[str, Any]]:
    response = await house.client.post(
        f"/collections/{house.collection_id}/documents",
        files=[("files", file) for file in files],
        headers=house.headers,
    )
    return response.status_code, response.json()


async def get(house: House, path: str, **parameters: Any) -> Any:
    response = await house.client.get(path, params=parameters, headers=house.headers)
    assert response.status_code == 200, response.text
    return response.json()


async def settled(house: House, document_id: str) -> dict[str, Any]:
    """Wait until a document is ready or has failed."""
    row: dict[str, Any] = {}
    for _ in range(1000):
        row = await get(house, f"/documents/{document_id}")
        if row["stage"] in ("ready", "failed"):
            return row
        await asyncio.sleep(0.02)
    raise AssertionError(f"still {row['stage']}")


async def test_uploads_are_kept_at_once_and_read_soon_after(house: House) -> None:
    status, body = await upload(house, ("fees.md", SAMPLE), ("empty.md", b""))
    assert status == 202
    fees, empty = body["documents"]
    timings = {"parsing_ms": 0.0, "chunking_ms": 0.0, "embedding_ms": 0.0}
    assert (fees["stage"], fees["progress"]) == ("pending", {"attempt": 1, "done": 0, "total": 0, "timings": timings})
    ready, failed = await settled(house, fees["id"]), await settled(house, empty["id"])
    assert (ready["stage"], ready["title"], ready["chunks"]) == ("ready", "Fees", 1)
    assert (failed["stage"], failed["reason"]["code"]) == ("failed", "empty_file")
    assert ready["progress"]["timings"]["parsing_ms"] > 0
    found = (await house.client.post("/query/", json={"question": "How high is the late fee?"}, headers=house.headers)).text
    assert "five percent" in found


async def test_the_same_bytes_again_are_left_as_they_are_and_others_replace_them(house: House) -> None:
    first = (await upload(house, ("fees.md", SAMPLE)))[1]["documents"][0]
    ready = await settled(house, first["id"])
    again = (await upload(house, ("fees.md", SAMPLE)))[1]["documents"][0]
    assert (again["id"], again["stage"], again["version_id"]) == (first["id"], "ready", ready["version_id"])
    changed = (await upload(house, ("fees.md", SAMPLE + b"\nMore.\n")))[1]["documents"][0]
    assert (changed["id"], changed["progress"]["attempt"]) == (first["id"], 2)
    assert (await settled(house, first["id"]))["version_id"] != ready["version_id"]


async def test_a_document_shows_its_parts(house: House) -> None:
    row = await get(house, f"/documents/{house.document_id}")
    assert (row["path"], row["stage"]) == ("handbook.md", "ready")
    chunks = await get(house, f"/documents/{house.document_id}/chunks")
    text = await get(house, f"/documents/{house.document_id}/text")
    assert [block["role"] for block in text["blocks"]] == ["heading", "body"]
    whole = {block["start"]: block["text"] for block in text["blocks"]}
    assert chunks["chunks"][0]["text"].startswith(whole[0])
    listed = await get(house, f"/collections/{house.collection_id}/documents")
    assert ([each["id"] for each in listed["documents"]], listed["next"]) == ([house.document_id], None)


async def test_the_original_is_served_with_ranges_and_never_as_a_page_of_ours(house: House) -> None:
    path = f"/documents/{house.document_id}/file"
    whole = await house.client.get(path, headers=house.headers)
    assert whole.content == HANDBOOK.encode()
    assert whole.headers["content-type"] == "application/octet-stream"
    assert whole.headers["content-disposition"].startswith("attachment")
    assert whole.headers["content-security-policy"] == "sandbox; default-src 'none'"
    part = await house.client.get(path, headers=house.headers | {"Range": "bytes=2-6"})
    assert (part.status_code, part.content) == (206, HANDBOOK.encode()[2:7])
    assert (await house.client.get(path, headers=house.headers | {"Range": "bytes=9999-"})).status_code == 416


async def test_a_removed_document_is_gone(house: House) -> None:
    assert (await house.client.delete(f"/documents/{house.document_id}", headers=house.headers)).status_code == 204
    for path in ("", "/chunks", "/text", "/file"):
        gone = await house.client.get(f"/documents/{house.document_id}{path}", headers=house.headers)
        assert (gone.status_code, gone.json()["code"]) == (404, "document")


async def test_a_document_that_failed_can_be_tried_again(house: House) -> None:
    failed = (await upload(house, ("empty.md", b"")))[1]["documents"][0]
    await settled(house, failed["id"])
    again = await house.client.post(f"/documents/{failed['id']}/retry", headers=house.headers)
    assert (again.status_code, again.json()["progress"]["attempt"]) == (202, 2)
    assert (await settled(house, failed["id"]))["reason"]["code"] == "empty_file"
    ready = await house.client.post(f"/documents/{house.document_id}/retry", headers=house.headers)
    assert (ready.status_code, ready.json()["code"]) == (409, "not_failed")


@pytest.mark.parametrize(
    ("name", "path"), [("a/b/c.md", "a/b/c.md"), ("a\\b.md", "a/b.md"), ("/a//b.md", "a/b.md"), ("naïve 😀.md", "naïve 😀.md")]
)
async def test_a_file_keeps_the_way_to_it(house: House, name: str, path: str) -> None:
    assert (await upload(house, (name, SAMPLE)))[1]["documents"][0]["path"] == path


@pytest.mark.parametrize("name", ["../x.md", "a/../../x.md", "/"])
async def test_a_path_that_leads_out_is_refused(house: House, name: str) -> None:
    assert (await upload(house, (name, SAMPLE)))[0] == 422


async def test_too_large_a_body_is_refused_while_it_comes(house: House) -> None:
    body = b"x" * (MAX_JSON_BYTES + 1)
    response = await house.client.post("/query/", content=body, headers=house.headers | {"Content-Type": "application/json"})
    assert (response.status_code, response.json()["code"]) == (413, "too_large")


async def test_collections_are_made_shown_and_searched(house: House) -> None:
    made = await house.client.post("/collections", json={"name": " Law "}, headers=house.headers)
    assert (made.status_code, made.json()["name"]) == (201, "Law")
    twice = await house.client.post("/collections", json={"name": "Law"}, headers=house.headers)
    assert twice.status_code == 409
    listed = await get(house, "/collections")
    assert [each["name"] for each in listed["collections"]] == ["Law", "default"]
    assert (await get(house, f"/collections/{made.json()['id']}"))["scope"]["documents"] == 0
    found = await house.client.post(
        f"/collections/{house.collection_id}/search", json={"query": "notice period"}, headers=house.headers
    )
    assert found.json()["hits"][0]["document_id"] == house.document_id
    assert set(found.json()["hits"][0]["scores"]) == {"fused", "dense", "lexical"}
