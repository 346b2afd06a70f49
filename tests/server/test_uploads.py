"""Uploads are kept whole or not at all, and refused in words about files; originals are served by version and in ranges."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.server.conftest import HANDBOOK, House, answering, opened
from tests.server.contract import NO_ID, problem_of
from tests.server.test_documents import SAMPLE, get, settled, upload

WHOLE = HANDBOOK.encode()
SIZE = len(WHOLE)
MOST_BYTES = 100_000


@pytest.fixture
async def small(tmp_path: Path) -> AsyncGenerator[House]:
    """A house that takes small files alone."""
    async with opened(tmp_path, answering(), max_file_bytes=MOST_BYTES) as house:
        yield house


async def paths(house: House) -> list[str]:
    return [each["path"] for each in (await get(house, f"/collections/{house.collection_id}/documents"))["documents"]]


async def blobs(house: House) -> int:
    return len([blob async for blob in house.services.blobs.all()])


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("../x.md", "path"),
        ("a/../../x.md", "path"),
        ("..\\x.md", "path"),
        (".", "path"),
        ("./.", "path"),
        ("a" * 1001, "path"),
        ("/", "unnamed"),
        (" ", "unnamed"),
        ("\\", "unnamed"),
    ],
)
async def test_of_a_request_with_a_bad_name_no_file_is_kept(house: House, name: str, code: str) -> None:
    before = await blobs(house)
    status, told = await upload(house, ("fees.md", SAMPLE), (name, b"other"), ("last.md", b"last"))
    assert (status, told["code"]) == (422, code)
    assert "file" in told["detail"]
    assert "a text" not in told["detail"]
    assert len(told["detail"]) < 400
    assert (await paths(house), await blobs(house)) == (["handbook.md"], before)


async def test_of_a_request_with_too_large_a_file_no_file_is_kept(small: House) -> None:
    before = await blobs(small)
    status, told = await upload(small, ("fees.md", SAMPLE), ("big.md", b"x" * (MOST_BYTES + 1)), ("last.md", b"last"))
    assert (status, told["code"]) == (413, "too_large")
    assert "big.md" in told["detail"]
    assert "100,000" in told["detail"]
    assert (await paths(small), await blobs(small)) == (["handbook.md"], before)
    assert (await upload(small, ("fees.md", SAMPLE), ("big.md", b"x" * MOST_BYTES)))[0] == 202
    assert await paths(small) == ["big.md", "fees.md", "handbook.md"]


async def test_a_name_of_the_longest_kind_is_kept_and_can_be_listed_past(house: House) -> None:
    name = "ä" * 997 + ".md"
    assert (await upload(house, (name, SAMPLE), ("ö.md", b"other")))[0] == 202
    listed = await get(house, f"/collections/{house.collection_id}/documents", after=name)
    assert [each["path"] for each in listed["documents"]] == ["ö.md"]


async def test_a_cited_version_is_served_as_it_was(house: House) -> None:
    path = f"/documents/{house.document_id}/file"
    old = (await get(house, f"/documents/{house.document_id}"))["version_id"]
    changed = (await upload(house, ("handbook.md", WHOLE + b"\nMore.\n")))[1]["documents"][0]
    new = (await settled(house, changed["id"]))["version_id"]
    for parameters, content in (
        ({}, WHOLE + b"\nMore.\n"),
        ({"version_id": old}, WHOLE),
        ({"version_id": new}, WHOLE + b"\nMore.\n"),
    ):
        got = await house.client.get(path, params=parameters, headers=house.headers)
        assert (got.status_code, got.content) == (200, content)
        unchanged = await house.client.get(path, params=parameters, headers=house.headers | {"If-None-Match": got.headers["etag"]})
        assert (unchanged.status_code, unchanged.content, unchanged.headers["etag"]) == (304, b"", got.headers["etag"])
    part = await house.client.get(path, params={"version_id": old}, headers=house.headers | {"Range": f"bytes={SIZE - 3}-"})
    assert (part.status_code, part.content) == (206, WHOLE[-3:])
    other = (await upload(house, ("fees.md", SAMPLE)))[1]["documents"][0]
    foreign = (await settled(house, other["id"]))["version_id"]
    for unknown in (NO_ID, foreign, "..", "x" * 5000):
        problem_of(await house.client.get(path, params={"version_id": unknown}, headers=house.headers), 404, "version")


@pytest.mark.parametrize("asked", ["pages=1-2", "items=0-", "BYTE=0-1", "none=", "x=y, bytes=0-1"])
async def test_ranges_in_units_that_nobody_knows_do_not_count(house: House, asked: str) -> None:
    got = await house.client.get(f"/documents/{house.document_id}/file", headers=house.headers | {"Range": asked})
    assert (got.status_code, got.content) == (200, WHOLE)


@pytest.mark.parametrize(
    "asked",
    [
        "bytes=9999-",
        f"bytes={SIZE}-",
        "bytes=5-2",
        "bytes=-0",
        "bytes=-",
        "bytes=",
        "bytes",
        "0-5",
        "bytes=a-b",
        "bytes=1_0-",
        "bytes=+1-2",
        "bytes=--5",
        "bytes=0-1,x",
        "bytes=0-1;2-3",
        "bytes=٣-",
        "bytes=" + "9" * 5000 + "-",
        "bytes=0-1=2",
    ],
)
async def test_ranges_that_cannot_be_had_are_refused_with_the_size(house: House, asked: str) -> None:
    headers = [(b"Authorization", f"Bearer {house.token}".encode()), (b"Range", asked.encode())]
    refused = await house.client.get(f"/documents/{house.document_id}/file", headers=headers)
    assert "whole" in problem_of(refused, 416, "range")["detail"]
    assert refused.headers["content-range"] == f"bytes */{SIZE}"


@pytest.mark.parametrize(
    ("asked", "content"),
    [
        ("bytes=2-6", WHOLE[2:7]),
        ("Bytes = 2-6", WHOLE[2:7]),
        ("bytes=-4", WHOLE[-4:]),
        ("bytes=-9999", WHOLE),
        ("bytes=3-99999999999999999999", WHOLE[3:]),
        ("bytes=2-6,9999-", WHOLE[2:7]),
        ("bytes=, 2-6 ,", WHOLE[2:7]),
        ("bytes=2-4,5-6", WHOLE[2:7]),
    ],
)
async def test_ranges_that_can_be_had_are_served(house: House, asked: str, content: bytes) -> None:
    got = await house.client.get(f"/documents/{house.document_id}/file", headers=house.headers | {"Range": asked})
    assert (got.status_code, got.content) == (206, content)


async def test_a_range_of_another_state_of_the_file_brings_the_whole_file(house: House) -> None:
    path = f"/documents/{house.document_id}/file"
    whole = await house.client.get(path, headers=house.headers)
    for state, status in ((whole.headers["etag"], 206), (whole.headers["last-modified"], 206), ('"other"', 200)):
        got = await house.client.get(path, headers=house.headers | {"Range": "bytes=2-6", "If-Range": state})
        assert got.status_code == status
    stale = await house.client.get(path, headers=house.headers | {"Range": "bytes=9999-", "If-Range": '"other"'})
    assert (stale.status_code, stale.content) == (200, WHOLE)


async def test_an_empty_file_has_no_ranges(house: House) -> None:
    empty = (await upload(house, ("empty.md", b"")))[1]["documents"][0]
    path = f"/documents/{empty['id']}/file"
    for asked in ("bytes=0-", "bytes=-5"):
        refused = await house.client.get(path, headers=house.headers | {"Range": asked})
        problem_of(refused, 416, "range")
        assert refused.headers["content-range"] == "bytes */0"
    assert (await house.client.get(path, headers=house.headers)).content == b""
