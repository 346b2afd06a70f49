"""Every address of the server, a line each: what a good request to it is. What all of them refuse is tested over these lines."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from tests.server.conftest import House

from pincite.core.access import Permission

READ, WRITE, MANAGE = Permission.READ_DOCUMENTS, Permission.WRITE_DOCUMENTS, Permission.MANAGE_COLLECTIONS
QUESTION = "How long is the notice period?"
NO_ID = "00000000-0000-7000-8000-00000000dead"
REQUEST_ID = "given-by-the-test"


@dataclass(frozen=True)
class Call:
    """A request that is answered with `status`. `needs` is the permission; none for what anybody may ask."""

    method: str
    path: str
    status: int = 200
    needs: Permission | None = READ
    json: Any = None
    files: Any = None
    absent: int = 404
    """How an id in its path, or else in its body, is refused that doesn't exist or belongs to somebody else."""

    def __str__(self) -> str:
        return f"{self.method} {self.path}"

    async def send(
        self,
        house: House,
        *,
        token: str | None = None,
        path: str | None = None,
        headers: Mapping[str, str | bytes] | None = None,
        **more: Any,
    ) -> httpx.Response:
        """Send it, as `token` or as the owner, with `path` and whatever else in place of its own."""
        credentials = f"Bearer {house.token if token is None else token}".encode()
        named = {"Authorization": credentials, "X-Request-Id": REQUEST_ID.encode()} | dict(headers or {})
        given = [(name.encode(), value.encode() if isinstance(value, str) else value) for name, value in named.items()]
        if not more:
            more = {"json": self.json} if self.json is not None else {"files": self.files} if self.files else {}
        at = self.at(path, collection_id=house.collection_id, document_id=house.document_id)
        response = await house.client.request(self.method, at, headers=given, **more)
        self._hold_the_document_to(response, house)
        return response

    def _hold_the_document_to(self, response: httpx.Response, house: House) -> None:
        """Fail for an answer that the OpenAPI document doesn't tell of: of all that tests send to what it names."""
        operation = house.app.openapi()["paths"].get(f"/api{self.path}", {}).get(self.method.lower())
        if operation is None or response.status_code == 405:
            return
        told = operation["responses"][str(response.status_code)].get("content", {})
        assert response.headers.get("content-type", "").partition(";")[0] in (told or {""})

    def at(self, path: str | None = None, **ids: str) -> str:
        """Return its path, or another, with ids filled in."""
        return (path or self.path).format(page=1, figure_id=NO_ID, message_id=NO_ID, **ids)


CALLS = [
    Call("POST", "/query/", json={"question": QUESTION}, absent=403),
    Call("POST", "/chat/stream", json={"question": QUESTION}),
    Call("GET", "/collections"),
    Call("POST", "/collections", 201, MANAGE, json={"name": "Law"}),
    Call("GET", "/collections/{collection_id}"),
    Call("PATCH", "/collections/{collection_id}", needs=MANAGE, json={"name": "Contracts"}),
    Call("DELETE", "/collections/{collection_id}", 204, MANAGE),
    Call("POST", "/collections/{collection_id}/search", json={"query": QUESTION}),
    Call("GET", "/collections/{collection_id}/documents"),
    Call(
        "POST", "/collections/{collection_id}/documents", 202, WRITE, files=[("files", ("fees.md", b"# Fees\n\nFive percent.\n"))]
    ),
    Call("POST", "/samples", 202, MANAGE),
    Call("GET", "/documents/{document_id}"),
    Call("GET", "/documents/{document_id}/chunks"),
    Call("GET", "/documents/{document_id}/text"),
    Call("GET", "/documents/{document_id}/file"),
    Call("GET", "/documents/{document_id}/pages/{page}", 404),
    Call("GET", "/documents/{document_id}/figures/{figure_id}", 404),
    Call("POST", "/documents/{document_id}/retry", 409, WRITE),
    Call("POST", "/documents/{document_id}/cancel", 409, WRITE),
    Call("GET", "/documents/{document_id}/versions"),
    Call("POST", "/documents/{document_id}/hold", needs=MANAGE, json={"reason": "Audit of 2031"}),
    Call("POST", "/documents/{document_id}/release", 409, MANAGE),
    Call("POST", "/documents/{document_id}/erase", needs=MANAGE),
    Call("DELETE", "/documents/{document_id}", 204, WRITE),
    Call("GET", "/messages/{message_id}/receipt", 404),
    Call("GET", "/usage"),
    Call("GET", "/health", needs=None),
    Call("GET", "/ready", needs=None),
    Call("GET", "/version", needs=None),
    Call("GET", "/docs", needs=None),
    Call("GET", "/docs/start.js", needs=None),
]
PRIVATE = [call for call in CALLS if call.needs]
TAKING_JSON = [call for call in CALLS if call.json is not None]
TAKING_A_BODY = [call for call in CALLS if call.json is not None or call.files]
WITH_AN_ID = [call for call in CALLS if "{" in call.path]


def of_each(calls: list[Call]) -> Any:
    """Run a test over each of the calls."""
    return pytest.mark.parametrize("call", calls, ids=str)


def problem_of(response: httpx.Response, status: int, code: str | None = None) -> dict[str, Any]:
    """Return a refusal's document, and hold it to what every refusal is."""
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    found = response.json()
    assert set(found) - {"errors"} == {"type", "title", "status", "code", "detail", "request_id"}
    assert (found["status"], found["request_id"]) == (status, response.headers["x-request-id"])
    assert found["detail"].rstrip(".…") != found["detail"] or " " in found["detail"]
    assert code in (None, found["code"])
    return found
