"""Versions, holds and what stays of removed documents, over HTTP."""

from pathlib import Path
from typing import Any

from tests.server.conftest import HANDBOOK, House, filled, opened

PDF = Path(__file__).resolve().parents[2] / "src" / "pincite" / "samples" / "library" / "word-processor.pdf"
CHANGED = "# Leave\n\nThe notice period is ninety days.\n"


async def asked(house: House) -> dict[str, Any]:
    """Ask, so that the handbook is cited, and return the citation."""
    found = await house.client.post(
        "/query/", json={"question": "How long is the notice period?"}, headers=house.headers | {"Accept": "application/json"}
    )
    citation: dict[str, Any] = found.json()["citations"][0]
    return citation


async def changed(house: House) -> None:
    file = house.services.settings.home_path.parent / "handbook.md"
    file.write_text(CHANGED, encoding="utf-8")
    await filled(house.services, file)


async def test_versions_are_listed_newest_first_with_what_cites_them(house: House) -> None:
    citation = await asked(house)
    await changed(house)
    told = (await house.client.get(f"/documents/{house.document_id}/versions", headers=house.headers)).json()
    new, old = told["versions"]
    assert (new["searched"], new["cited"], new["supersedes_id"]) == (True, False, old["id"])
    assert (old["id"], old["searched"], old["cited"], old["supersedes_id"]) == (citation["version_id"], False, True, None)
    row = (await house.client.get(f"/documents/{house.document_id}", headers=house.headers)).json()
    assert (row["versions"], row["duplicate_ids"], row["held"]) == (2, [], False)


async def test_the_same_bytes_elsewhere_are_named(house: House) -> None:
    file = house.services.settings.home_path.parent / "copy.md"
    file.write_text(HANDBOOK, encoding="utf-8")
    twin_id, collection_id = await filled(house.services, file)
    told = (await house.client.get(f"/documents/{house.document_id}/versions", headers=house.headers)).json()
    assert told["duplicates"] == [{"document_id": twin_id, "collection_id": collection_id, "path": "copy.md"}]
    rows = (await house.client.get(f"/collections/{collection_id}/documents", headers=house.headers)).json()["documents"]
    assert [row["duplicate_ids"] for row in rows] == [[house.document_id], [twin_id]]


async def test_file_and_text_of_a_cited_version_are_served_after_the_document_is_removed(house: House) -> None:
    citation = await asked(house)
    at, of_version = f"/documents/{house.document_id}", {"version_id": citation["version_id"]}
    assert (await house.client.delete(at, headers=house.headers)).status_code == 204
    for path in ("", "/file", "/text", "/chunks", "/versions"):
        assert (await house.client.get(f"{at}{path}", headers=house.headers)).status_code == 404
    file = await house.client.get(f"{at}/file", params=of_version, headers=house.headers)
    assert (file.status_code, file.content) == (200, HANDBOOK.encode())
    text = (await house.client.get(f"{at}/text", params=of_version, headers=house.headers)).json()
    whole = "".join(block["text"] for block in text["blocks"])
    assert citation["quotes"][0]["text"] in whole
    assert (await house.client.get(f"{at}/file", params={"version_id": "other"}, headers=house.headers)).status_code == 404


async def test_the_page_of_a_citation_looks_the_same_after_the_document_was_changed_and_removed(house: House) -> None:
    document_id, _ = await filled(house.services, PDF)
    at, headers = f"/documents/{document_id}", house.headers
    row = (await house.client.get(at, headers=headers)).json()
    found = await house.client.post(
        "/query/",
        json={"question": "Which typewriter kept text on a tape?", "document_ids": [document_id]},
        headers=headers | {"Accept": "application/json"},
    )
    [citation] = found.json()["citations"]
    page = citation["quotes"][0]["spans"][0]["page"]
    of_version = {"version_id": row["version_id"]}
    before = (await house.client.get(f"{at}/pages/{page}", params=of_version, headers=headers)).content
    assert (await house.client.delete(at, headers=headers)).status_code == 204
    assert (await house.client.get(f"{at}/pages/{page}", headers=headers)).status_code == 404
    assert (await house.client.get(f"{at}/pages/{page}", params=of_version, headers=headers)).content == before


async def test_nothing_is_kept_where_the_time_is_none(tmp_path: Path) -> None:
    from tests.server.conftest import answering

    async with opened(tmp_path, answering(), keep_cited_days=0) as house:
        citation = await asked(house)
        at = f"/documents/{house.document_id}"
        assert (await house.client.delete(at, headers=house.headers)).status_code == 204
        gone = await house.client.get(f"{at}/file", params={"version_id": citation["version_id"]}, headers=house.headers)
        assert gone.status_code == 404
        assert [blob async for blob in house.services.blobs.all()] == []


async def test_what_is_on_hold_is_not_removed_until_it_is_released(house: House) -> None:
    at = f"/documents/{house.document_id}"
    held = await house.client.post(f"{at}/hold", json={"reason": "Audit"}, headers=house.headers)
    assert (held.status_code, held.json()["reason"]) == (200, "Audit")
    for path in (at, f"/collections/{house.collection_id}"):
        refused = await house.client.delete(path, headers=house.headers)
        assert (refused.status_code, refused.json()["code"]) == (409, "held")
    assert (await house.client.get(at, headers=house.headers)).json()["held"] is True
    assert (await house.client.get(f"{at}/versions", headers=house.headers)).json()["hold"]["reason"] == "Audit"
    assert (await house.client.post(f"{at}/release", headers=house.headers)).status_code == 204
    assert (await house.client.delete(at, headers=house.headers)).status_code == 204


async def test_an_erased_document_is_gone_with_its_evidence_and_says_so(house: House) -> None:
    citation = await asked(house)
    at = f"/documents/{house.document_id}"
    held = await house.client.post(f"{at}/hold", json={}, headers=house.headers)
    assert held.status_code == 200
    refused = await house.client.post(f"{at}/erase", headers=house.headers)
    assert (refused.status_code, refused.json()["code"]) == (409, "held")
    await house.client.post(f"{at}/release", headers=house.headers)
    assert (await house.client.delete(at, headers=house.headers)).status_code == 204
    erased = await house.client.post(f"{at}/erase", headers=house.headers)
    told = {"document_ids": [house.document_id], "messages": 1, "duplicates": [], "copies": [], "left": []}
    assert (erased.status_code, erased.json()) == (200, told)
    for path in ("", "/file", "/text", "/pages/1"):
        gone = await house.client.get(f"{at}{path}", params={"version_id": citation["version_id"]}, headers=house.headers)
        assert (gone.status_code, gone.json()["code"]) == (404, "erased")
    again = await house.client.post(f"{at}/erase", headers=house.headers)
    assert (again.status_code, again.json()["messages"]) == (200, 0)
