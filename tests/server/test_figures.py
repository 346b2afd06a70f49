"""Pictures of documents over HTTP: chunks and sources lead to them, and readers alone see them."""

from pathlib import Path
from typing import Any

import pytest
from tests.server.conftest import House, filled
from tests.unit.adapters.parsers.conftest import PdfKit, Sheet, Text
from tests.unit.adapters.parsers.test_pdf_figures import picture

from pincite.adapters.memory.chat import ScriptedChatModel

CAPTION = "Figure 1. Ships in the harbour by year"


@pytest.fixture
async def document_id(house: House, tmp_path: Path) -> str:
    path = PdfKit(tmp_path).write(Sheet([Text(100, 100, "A page."), Text(100, 320, CAPTION)], drawing=picture()))
    return (await filled(house.services, Path(path)))[0]


async def get(house: House, path: str, **more: Any) -> Any:
    return await house.client.get(path.removeprefix("/api"), headers=house.headers | more)


async def image_url(house: House, document_id: str) -> str:
    rows = (await get(house, f"/documents/{document_id}/chunks")).json()["chunks"]
    (url,) = [row["image_url"] for row in rows if row["chunk_type"] == "image_description"]
    return url


async def test_the_chunk_of_a_caption_leads_to_its_picture(house: House, document_id: str) -> None:
    answer = await get(house, await image_url(house, document_id))
    assert (answer.status_code, answer.headers["content-type"]) == (200, "image/png")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-security-policy"] == "sandbox; default-src 'none'"
    assert answer.content.startswith(b"\x89PNG\r\n\x1a\n")
    again = await get(house, await image_url(house, document_id), **{"If-None-Match": answer.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


async def test_a_search_that_finds_the_caption_leads_there_too(house: House, document_id: str) -> None:
    found = await house.client.post(f"/collections/{house.collection_id}/search", headers=house.headers, json={"query": CAPTION})
    best = found.json()["hits"][0]
    assert (best["text"], best["chunk_type"], best["generated"]) == (CAPTION, "image_description", False)
    assert best["image_url"] == await image_url(house, document_id)


async def test_a_picture_is_shown_as_part_of_its_document_alone_and_to_readers_alone(house: House, document_id: str) -> None:
    url = await image_url(house, document_id)
    other = await get(house, url.replace(document_id, house.document_id))
    assert (other.status_code, other.json()["code"]) == (404, "figure")
    assert (await house.client.get(url.removeprefix("/api"))).status_code == 401
    refused = await house.client.get(url.removeprefix("/api"), headers={"Authorization": f"Bearer {house.reader}"})
    assert refused.status_code == 403


async def test_with_its_document_a_picture_is_gone(house: House, document_id: str) -> None:
    url = await image_url(house, document_id)
    assert (await house.client.delete(f"/documents/{document_id}", headers=house.headers)).status_code == 204
    assert (await get(house, url)).status_code == 404


@pytest.mark.parametrize("model", [ScriptedChatModel(["Ships in the harbour by year [1]."])])
async def test_the_picture_of_a_caption_that_an_answer_cites_outlives_its_document_until_that_is_erased(
    house: House, document_id: str
) -> None:
    url = await image_url(house, document_id)
    before = await get(house, url)
    asked = {"question": "Which ships in the harbour by year?", "document_ids": [document_id]}
    answer = await house.client.post("/query/", headers=house.headers | {"Accept": "application/json"}, json=asked)
    assert answer.json()["citations"]
    assert (await house.client.delete(f"/documents/{document_id}", headers=house.headers)).status_code == 204
    after = await get(house, url)
    assert (after.status_code, after.content) == (200, before.content)
    other = await get(house, url.replace(document_id, house.document_id))
    assert other.status_code == 404
    erased = await house.client.post(f"/documents/{document_id}/erase", headers=house.headers)
    assert erased.json()["left"] == []
    assert (await get(house, url)).status_code == 404
    held = [path.read_bytes() for path in (house.services.settings.home_path / "blobs").rglob("*") if path.is_file()]
    assert before.content not in held
