"""Each field of each body at its edges: what is just allowed is answered, what is just not is refused by the field's name."""

from collections.abc import AsyncGenerator
from typing import Any

import pytest
import pytest_asyncio
from tests.server.conftest import House, answering, opened
from tests.server.contract import QUESTION, problem_of

pytestmark = pytest.mark.asyncio(loop_scope="module")

QUERY, CHAT, SEARCH, NEW = "/query/", "/chat/stream", "/collections/{collection_id}/search", "/collections"
GOOD: dict[str, dict[str, Any]] = {
    QUERY: {"question": QUESTION},
    CHAT: {"question": QUESTION},
    SEARCH: {"query": QUESTION},
    NEW: {},
}
ASKING = ((QUERY, "question"), (CHAT, "question"), (SEARCH, "query"))
LONGEST, TOO_LONG = "x" * 5000, "x" * 5001
USER, SAID = {"role": "user", "content": "Hello?"}, {"role": "assistant", "content": "Hello."}

NONE: list[Any] = [None, []]
TALKS: list[Any] = [
    *(None, {}, [USER], [SAID, USER], [USER, USER], [USER, SAID] * 11, [USER | {"x": 1}, SAID], [USER | {"role": "system"}, SAID]),
    *([USER | {"content": ""}, SAID], [USER | {"content": "x" * 4001}, SAID], [USER | {"content": "x" * 4000}, SAID] * 4),
]
"""Histories that are none."""

TAKEN: list[tuple[str, str, Any]] = [
    *((path, field, value) for path, field in ASKING for value in (
        "?", LONGEST, f"  {LONGEST}  ", "😀" * 5000, "a\tb\nc", "ä\u0301", "'; DROP TABLE chunks; --", "\u200f\u202e")),
    *((QUERY, field, value) for field in ("collection_id", "session_id") for value in (None, "")),
    *((QUERY, "collection_ids", value) for value in (None, [], [""])),
    *((path, "document_ids", value) for path in (QUERY, CHAT, SEARCH) for value in NONE),
    *((path, field, value) for path in (QUERY, SEARCH) for field, value in (
        ("path_prefix", None), ("path_prefix", ""), ("path_prefix", "x" * 4096), ("tags", None), ("tags", ["x" * 200] * 50))),
    *((path, "content_types", value) for path in (CHAT, SEARCH) for value in (None, [], ["x" * 200] * 50)),
    *((CHAT, "retrieval_limit", value) for value in (1, 10, 6.0)),
    *((SEARCH, "limit", value) for value in (1, 100, 6.0)),
    *((SEARCH, "strategy", value) for value in ("hybrid", "lexical")),
    *((CHAT, "history", value) for value in ([], [USER, SAID], [USER, SAID] * 10)),
]  # fmt: skip
REFUSED: list[tuple[str, str, Any]] = [
    *((path, field, value) for path, field in ASKING for value in (
        "", " \n\t ", TOO_LONG, "😀" * 5001, None, 1, True, ["x"], {"x": 1}, "a\0b")),
    *((QUERY, field, value) for field in ("collection_id", "session_id") for value in ("x" * 65, 1, ["x"], "\0")),
    *((QUERY, "collection_ids", value) for value in (["x"] * 21, "x", [None], [1], ["x" * 65])),
    *((path, "document_ids", value) for path in (QUERY, CHAT, SEARCH) for value in (["x"] * 1001, "x", [None], ["x" * 65])),
    *((path, field, value) for path in (QUERY, SEARCH) for field, value in (
        ("path_prefix", "x" * 4097), ("path_prefix", 1), ("path_prefix", "\0"),
        ("tags", ["x"] * 51), ("tags", ["x" * 201]), ("tags", "x"))),
    *((path, "content_types", value) for path in (CHAT, SEARCH) for value in (["x"] * 51, ["x" * 201], "x", [1])),
    *((CHAT, "retrieval_limit", value) for value in (0, 11, -1, 1.5, "6", True, None, 10**30)),
    *((SEARCH, "limit", value) for value in (0, 101, -1, 1.5, "6", True, None, 10**30)),
    *((SEARCH, "strategy", value) for value in ("", "HYBRID", None, 1)),
    *((NEW, "name", value) for value in ("", "  ", "x" * 201, None, 1, "\0")),
    *((CHAT, "history", value) for value in TALKS),
]  # fmt: skip


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def house(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[House]:
    async with opened(tmp_path_factory.mktemp("fields"), answering()) as house:
        yield house


async def send(house: House, path: str, field: str, value: Any) -> Any:
    address = path.format(collection_id=house.collection_id)
    return await house.client.post(address, json=GOOD[path] | {field: value}, headers=house.headers)


async def test_what_is_just_allowed_is_answered(house: House) -> None:
    answers = [(case, await send(house, *case)) for case in TAKEN]
    assert [(case, answer.text) for case, answer in answers if answer.status_code != 200] == []


async def test_what_is_just_not_allowed_is_refused_by_the_name_of_its_field(house: House) -> None:
    for case in REFUSED:
        told = problem_of(await send(house, *case), 422, "invalid")
        assert {each["field"].partition(".")[0] for each in told["errors"]} == {case[1]}, case
        assert case[1] in told["detail"]
        assert "Value error" not in told["detail"]


@pytest.mark.parametrize(("field", "values"), [("limit", ["0", "1001", "-1", "x", "1.5", ""]), ("after", ["x" * 4097, "\0"])])
async def test_parameters_of_addresses_have_edges_too(house: House, field: str, values: list[str]) -> None:
    address = f"/collections/{house.collection_id}/documents"
    for value in values:
        refused = await house.client.get(address, params={field: value}, headers=house.headers)
        assert [each["field"] for each in problem_of(refused, 422, "invalid")["errors"]] == [field]
    for limit in ("1", "1000"):
        assert (await house.client.get(address, params={"limit": limit}, headers=house.headers)).status_code == 200


MULTIPART = "multipart/form-data; boundary=x"
UPLOADS = {
    "no part": (b"--x--\r\n", MULTIPART),
    "cut": (b'--x\r\nContent-Disposition: form-data; name="files"; filename="a.md"\r\n\r\nabc', MULTIPART),
    "no boundary": (b"--x--\r\n", "multipart/form-data"),
    "another field": (b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.md"\r\n\r\nabc\r\n--x--\r\n', MULTIPART),
    "text for a file": (b'--x\r\nContent-Disposition: form-data; name="files"\r\n\r\nabc\r\n--x--\r\n', MULTIPART),
    "garbage": (b"\0\xff" * 100, MULTIPART),
    "a field without end": (
        b'--x\r\nContent-Disposition: form-data; name="y"\r\n\r\n' + b"y" * 2_000_000 + b"\r\n--x--\r\n",
        MULTIPART,
    ),
    "empty": (b"", MULTIPART),
}


# The framework leaves the file of a part without an end to the garbage collector, which closes it.
@pytest.mark.filterwarnings("ignore:Exception ignored in. <function SpooledTemporaryFile:pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("kind", UPLOADS)
async def test_uploads_that_are_no_upload_are_refused(house: House, kind: str) -> None:
    body, media_type = UPLOADS[kind]
    address = f"/collections/{house.collection_id}/documents"
    response = await house.client.post(address, content=body, headers=house.headers | {"Content-Type": media_type})
    told = problem_of(response, 422)
    assert told["code"] in {"invalid", "body"}
    assert len(response.content) < 1000
