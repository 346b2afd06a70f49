"""What every address refuses, and how: over every line of `contract.py`, which names every address.

Refusals change nothing, so all of them are asked of one house.
"""

from collections.abc import AsyncGenerator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
import pytest_asyncio
from fastapi.routing import iter_route_contexts
from tests.server.conftest import House, answering, opened
from tests.server.contract import (
    CALLS,
    NO_ID,
    PRIVATE,
    READ,
    TAKING_A_BODY,
    TAKING_JSON,
    WITH_AN_ID,
    WRITE,
    Call,
    of_each,
    problem_of,
)

from pincite.core.access import EVERYTHING
from pincite.core.ids import WorkspaceId
from pincite.ingest.arrivals import Arrival
from pincite.server.app import MAX_JSON_BYTES
from pincite.server.gate import GatedRoute
from pincite.workspaces.collections import Collections
from pincite.workspaces.tokens import Tokens

pytestmark = pytest.mark.asyncio(loop_scope="module")
METHODS = {"GET", "POST", "PUT", "PATCH", "DELETE"}


async def test_every_address_has_its_line_and_stands_behind_the_gate(house: House) -> None:
    routes = [route for route in iter_route_contexts(house.app.routes) if route.name != "openapi"]
    served = {f"{method} {str(route.path).removeprefix('/api')}" for route in routes for method in route.methods or ()}
    assert served - {"GET /docs/{name}"} == {str(call) for call in CALLS} - {"GET /docs/start.js"}
    assert [route.path for route in routes if not isinstance(route.original_route, GatedRoute)] == []


STRANGERS = ["", "Bearer", "Bearer  ", "Basic dXNlcjpwYXNz", "Bearer pin_x_y", "pin_x_y", "Bearer " + "x" * 5000, "Bearer ü"]


@of_each(PRIVATE)
async def test_strangers_are_refused(house: House, call: Call) -> None:
    for credentials in STRANGERS:
        response = await call.send(house, headers={"Authorization": credentials.encode()})
        problem_of(response, 401)
        assert response.headers["www-authenticate"] == "Bearer"


@of_each(PRIVATE)
async def test_tokens_that_expired_or_were_revoked_are_refused_alike(house: House, call: Call) -> None:
    tokens = Tokens(house.services.store, house.services.workspace_id)
    expired = await tokens.issue("old", valid_for=timedelta(seconds=-1))
    revoked = await tokens.issue("gone")
    await tokens.revoke(revoked.token.id)
    bodies = {(await call.send(house, token=token)).content for token in (expired.text, revoked.text, "pin_no_such")}
    assert len(bodies) == 1
    assert b"pincite token create" in bodies.pop()


@of_each(PRIVATE)
async def test_tokens_without_the_permission_are_refused(house: House, call: Call) -> None:
    other = WRITE if call.needs is READ else READ
    token = await Tokens(house.services.store, house.services.workspace_id).issue("other", permissions=frozenset({other}))
    assert str(call.needs) in problem_of(await call.send(house, token=token.text), 403, "forbidden")["detail"]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def house(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[House]:
    async with opened(tmp_path_factory.mktemp("contract"), answering()) as house:
        yield house


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def foreign(house: House) -> dict[str, str]:
    """A collection and a document of another workspace in the same store."""
    workspace = WorkspaceId("00000000-0000-7000-8000-000000000002")
    collection = await Collections(house.services.store, workspace).make("theirs", None)
    ingestor = replace(house.services.ingestor, workspace_id=workspace)
    document = await ingestor.receive(collection, Arrival("theirs.md", "theirs.md", b"# Theirs"))
    return {"collection_id": collection.id, "document_id": document.id}


@of_each(WITH_AN_ID)
async def test_what_belongs_to_others_is_refused_byte_for_byte_as_what_is_not_there(
    house: House, foreign: dict[str, str], call: Call
) -> None:
    theirs = await call.send(house, path=call.at(**foreign))
    nothing = await call.send(house, path=call.at(collection_id=NO_ID, document_id=NO_ID))
    problem_of(theirs, call.absent)
    assert theirs.content == nothing.content
    for odd in ("%00", "..%2f..", "%ff", "%ed%a0%80", "'--", "x" * 5000):
        problem_of(await call.send(house, path=call.at(collection_id=odd, document_id=odd)), 404)


@pytest.mark.parametrize(
    ("path", "field", "status"),
    [
        ("/query/", "collection_id", 403),
        ("/query/", "collection_ids", 403),
        ("/query/", "session_id", 403),
        ("/query/", "document_ids", 404),
        ("/chat/stream", "document_ids", 404),
        ("/collections/{collection_id}/search", "document_ids", 404),
    ],
)
async def test_ids_in_bodies_tell_nothing_of_others_either(
    house: House, foreign: dict[str, str], path: str, field: str, status: int
) -> None:
    [call] = [call for call in CALLS if call.path == path]
    theirs = foreign["document_id" if field == "document_ids" else "collection_id"]
    values: list[Any] = [[theirs], [NO_ID]] if field.endswith("s") else [theirs, NO_ID]
    answers = [await call.send(house, json=call.json | {field: each}) for each in values]
    for answer in answers:
        problem_of(answer, status)
    assert answers[0].content.replace(theirs.encode(), b"") == answers[1].content.replace(NO_ID.encode(), b"")


@of_each(CALLS)
async def test_an_address_says_which_methods_it_takes(house: House, call: Call) -> None:
    taken = {each.method for each in CALLS if each.path == call.path}
    allowed = {*taken, "OPTIONS", *(["HEAD"] if "GET" in taken else [])}
    for method in METHODS - taken:
        response = await replace(call, method=method).send(house)
        problem_of(response, 405, "method_not_allowed")
        assert set(response.headers["allow"].split(", ")) == allowed
    options = await replace(call, method="OPTIONS").send(house, content=b"")
    assert (options.status_code, options.content, set(options.headers["allow"].split(", "))) == (204, b"", allowed)


@pytest.mark.parametrize("path", ["/nothing", "/", "/query//", "/documents/", "/../etc/passwd", "/%00", "/collections/a/b/c"])
async def test_where_there_is_nothing_that_is_said(house: House, path: str) -> None:
    for method in ("GET", "POST", "HEAD", "OPTIONS"):
        response = await house.client.request(method, path)
        assert response.status_code == 404
    problem_of(await house.client.get(path), 404, "not_found")


OTHER_BODIES: list[dict[str, str | bytes]] = [
    {"Content-Type": "text/plain"},
    {"Content-Type": "application/x-www-form-urlencoded"},
    {"Content-Type": "application/octet-stream"},
    {"Content-Type": "multipart/mixed; boundary=x"},
    {"Content-Type": "nonsense"},
    {"Content-Type": "text/json"},
    {"Content-Type": "application/json", "Content-Encoding": "gzip"},
    {},
]


@of_each(TAKING_A_BODY)
async def test_another_kind_of_body_is_refused_with_what_to_send(house: House, call: Call) -> None:
    for headers in OTHER_BODIES:
        refused = problem_of(await call.send(house, content=b'{"x": 1}', headers=headers), 415, "media_type")
        assert "Content-Type" in refused["detail"]


DEEP = b'{"question": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"
BODIES = {
    "empty": b"",
    "cut": b'{"question": "a',
    "two": b'{"question": "a"} {}',
    "a list": b"[]",
    "a number": b"1",
    "null": b"null",
    "a string": b'"x"',
    "latin-1": '{"question": "ä"}'.encode("latin-1"),
    "utf-16": '{"question": "a"}'.encode("utf-16"),
    "deep": DEEP,
    "NaN": b'{"question": NaN}',
    "infinite": b'{"question": -Infinity}',
    "a huge number": b'{"question": ' + b"9" * 100_000 + b"}",
    "a key twice": b'{"question": "a", "question": "b"}',
    "half a character": b'{"question": "\\ud800"}',
    "half a character as key": b'{"\\uDFFF": 1}',
    "control characters": b'{"question": "a\nb"}',
    "thousands of unknown fields": b"{" + b",".join(b'"f%d": 1' % n for n in range(50_000)) + b"}",
}


@of_each(TAKING_JSON)
async def test_bodies_that_are_no_good_json_are_refused(house: House, call: Call) -> None:
    for body in BODIES.values():
        response = await call.send(house, content=body, headers={"Content-Type": "application/json"})
        problem_of(response, 422)
        assert len(response.content) < 5000


@of_each(TAKING_JSON)
async def test_fields_that_nobody_knows_are_refused_by_name(house: House, call: Call) -> None:
    for field in ("model", "prompt", "threshold", "filter", "top_k", "Question", "__proto__", ""):
        found = problem_of(await call.send(house, json=call.json | {field: "x"}), 422, "invalid")
        assert [each["field"] for each in found["errors"]] == [field]


@of_each(TAKING_JSON)
async def test_bodies_that_are_too_large_are_refused_announced_or_not(house: House, call: Call) -> None:
    sent = 0

    async def pieces() -> Any:
        nonlocal sent
        for _ in range(100):
            sent += 100_000
            yield b" " * 100_000

    for content in (b" " * (MAX_JSON_BYTES + 1), pieces()):
        problem_of(await call.send(house, content=content, headers={"Content-Type": "application/json"}), 413, "too_large")
    assert sent <= MAX_JSON_BYTES + 200_000


@of_each(TAKING_A_BODY)
async def test_of_a_strangers_body_nothing_is_read(house: House, call: Call) -> None:
    response = await call.send(house, token="pin_x_y", content=_unread(), headers={"Content-Type": "application/json"})
    problem_of(response, 401)


@of_each(TAKING_A_BODY)
async def test_of_the_body_of_somebody_who_may_not_nothing_is_read(house: House, call: Call) -> None:
    others = EVERYTHING - {call.needs}
    token = await Tokens(house.services.store, house.services.workspace_id).issue("all but that", permissions=frozenset(others))
    for headers in ({"Content-Type": "multipart/form-data; boundary=x"}, {"Content-Type": "application/json"}, {}):
        response = await call.send(house, token=token.text, content=_unread(), headers=headers)
        assert str(call.needs) in problem_of(response, 403, "forbidden")["detail"]


async def _unread() -> Any:
    raise AssertionError("read")
    yield b""
