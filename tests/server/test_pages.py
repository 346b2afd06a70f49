"""Pages as pictures over HTTP: told with their size in points, asked for once, shown to readers alone."""

import struct
from pathlib import Path

import pytest
from tests.server.conftest import House, filled

PDF = Path(__file__).resolve().parents[2] / "src" / "pincite" / "samples" / "library" / "word-processor.pdf"


@pytest.fixture
async def pages(house: House) -> str:
    document_id, _ = await filled(house.services, PDF)
    return f"/documents/{document_id}/pages"


async def test_a_page_comes_as_a_png_with_its_size_in_points(house: House, pages: str) -> None:
    answer = await house.client.get(f"{pages}/2", params={"width": 300}, headers=house.headers)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "image/png")
    assert answer.headers["x-content-type-options"] == "nosniff"
    width, height = struct.unpack(">II", answer.content[16:24])
    points = float(answer.headers["x-page-width"]), float(answer.headers["x-page-height"])
    assert points == (595.2, 841.92)
    assert (width, height) == (300, round(300 * points[1] / points[0]))


async def test_a_page_that_the_client_has_is_not_sent_again(house: House, pages: str) -> None:
    first = await house.client.get(f"{pages}/1", headers=house.headers)
    assert first.headers["cache-control"] == "private, no-cache"
    etag = first.headers["etag"]
    for known in (etag, f"W/{etag}", f'"other", {etag}', "*"):
        again = await house.client.get(f"{pages}/1", headers=house.headers | {"If-None-Match": known})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", etag)
    others = [await house.client.get(path, headers=house.headers) for path in (f"{pages}/2", f"{pages}/1?width=999")]
    assert len({etag, *(other.headers["etag"] for other in others)}) == 3
    changed = await house.client.get(f"{pages}/1", headers=house.headers | {"If-None-Match": '"other"'})
    assert changed.content == first.content


@pytest.mark.parametrize("number", ["0", "-1", "6", "99999999999999999999999"])
async def test_a_page_that_isnt_there_is_not_found(house: House, pages: str, number: str) -> None:
    answer = await house.client.get(f"{pages}/{number}", headers=house.headers)
    assert (answer.status_code, answer.json()["code"]) == (404, "page")


async def test_a_format_that_cant_be_drawn_says_so(house: House) -> None:
    answer = await house.client.get(f"/documents/{house.document_id}/pages/1", headers=house.headers)
    assert (answer.status_code, answer.json()["code"]) == (404, "no_picture")


@pytest.mark.parametrize("query", ["width=15", "width=4001", "width=x", "width=1e3"])
async def test_a_width_that_cant_be_is_refused(house: House, pages: str, query: str) -> None:
    assert (await house.client.get(f"{pages}/1?{query}", headers=house.headers)).status_code == 422


async def test_the_page_of_the_version_that_is_searched_is_shown_unless_another_is_named(house: House, pages: str) -> None:
    row = (await house.client.get(pages.removesuffix("/pages"), headers=house.headers)).json()
    named = await house.client.get(f"{pages}/1", params={"version_id": row["version_id"]}, headers=house.headers)
    assert named.content == (await house.client.get(f"{pages}/1", headers=house.headers)).content
    other = (await house.client.get(f"/documents/{house.document_id}", headers=house.headers)).json()["version_id"]
    for wrong in (other, "nonsense"):
        answer = await house.client.get(f"{pages}/1", params={"version_id": wrong}, headers=house.headers)
        assert (answer.status_code, answer.json()["code"]) == (404, "version")


async def test_only_those_who_may_read_the_document_see_its_pages(house: House, pages: str) -> None:
    assert (await house.client.get(f"{pages}/1")).status_code == 401
    assert (await house.client.get(f"{pages}/1", headers={"Authorization": f"Bearer {house.reader}"})).status_code == 403
    known = {"Authorization": f"Bearer {house.reader}", "If-None-Match": "*"}
    assert (await house.client.get(f"{pages}/1", headers=known)).status_code == 403
    assert (await house.client.get("/documents/none/pages/1", headers=house.headers)).status_code == 404
