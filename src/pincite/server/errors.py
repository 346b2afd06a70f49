"""Errors as problem documents (RFC 9457): one table from kind to status, and no word of a provider or a database."""

import logging
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any, cast

import orjson
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match

from pincite.core.errors import ErrorKind, PinciteError
from pincite.server.middleware import request_id_of

STATUS: Mapping[ErrorKind, int] = {
    ErrorKind.USAGE: 422,
    ErrorKind.CONFIGURATION: 503,
    ErrorKind.NOT_FOUND: 404,
    ErrorKind.REFUSED: 422,
    ErrorKind.CONFLICT: 409,
    ErrorKind.UPSTREAM: 503,
    ErrorKind.STORE: 503,
    ErrorKind.UNAUTHENTICATED: 401,
    ErrorKind.FORBIDDEN: 403,
    ErrorKind.LIMIT: 429,
}
MEDIA_TYPE = "application/problem+json"
RETRY_AFTER_S = 2
_RETRY = {"Retry-After": str(RETRY_AFTER_S)}

_STATUS_OF_CODE = {"too_large": 413}
"""Errors whose code says more of their status than their kind."""
_UNREADABLE = 400
"""What the framework answers to a body that isn't what its headers promise. Here that is a request that can't be taken."""
_CODES = {404: "not_found", 405: "method_not_allowed", 413: "too_large", 415: "media_type", 416: "range"}
_SENTENCES = {
    404: "There is nothing at this address. GET /api/openapi.json lists what there is.",
    405: "This address doesn't take that method. The header Allow names those it takes.",
    413: "The request is larger than this server takes.",
    415: "This address doesn't take that kind of body. Send what /api/docs says, uncompressed: JSON with the header "
    "Content-Type: application/json, files as multipart/form-data.",
    416: "The file has no such range. Content-Range tells its size; without the header Range it comes whole.",
}
# What a provider or the disk has to say is for the log.
_PUBLIC = {
    ErrorKind.CONFIGURATION: "This server isn't set up for that. Ask whoever runs it: its log says what to set.",
    ErrorKind.UPSTREAM: "Generation failed",
    ErrorKind.STORE: "The store can't be used right now. Try again in a moment, or ask whoever runs this server.",
}
_OUR_WORDS = {"search_failed", "stopping"}
"""Codes of errors of those kinds whose message is our own."""
MOST_NAMED = 20
"""Most faults of a request that an answer names."""
MOST_CHARACTERS = 100
"""Longest name of a field, which is the client's to choose, that an answer repeats."""
_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
_log = logging.getLogger("pincite.server")


def problem(
    status: int,
    code: str,
    detail: str,
    *,
    request_id: str,
    errors: Sequence[Mapping[str, Any]] = (),
    headers: Mapping[str, str] | None = None,
) -> Response:
    """Return a problem document. `detail` is a sentence for the person who can act."""
    body: dict[str, Any] = {
        "type": "about:blank",
        "title": _title(status),
        "status": status,
        "code": code,
        # A file's name may hold what UTF-8 can't.
        "detail": detail.encode(errors="replace").decode(),
        "request_id": request_id,
    }
    if errors:
        body["errors"] = list(errors)
    return Response(orjson.dumps(body), status, dict(headers or {}), MEDIA_TYPE)


async def on_pincite_error(request: Request, error: Exception) -> Response:
    """Answer an error of our own tree."""
    failure = cast("PinciteError", error)
    status = _STATUS_OF_CODE.get(failure.code, STATUS[failure.kind])
    detail = failure.message if failure.code in _OUR_WORDS else _PUBLIC.get(failure.kind, failure.message)
    headers = {401: {"WWW-Authenticate": "Bearer"}, 429: _RETRY}.get(status)
    if status >= 500:
        headers = _RETRY if failure.retryable else headers
        _log.warning("%s: %s, request %s", failure.code, failure.message, request_id_of(request.scope))
    return problem(status, failure.code, detail, request_id=request_id_of(request.scope), headers=headers)


async def on_invalid_request(request: Request, error: Exception) -> Response:
    """Answer a request that doesn't fit its schema: each field with what is wrong with it, never with what was sent."""
    found = [
        {"field": _field(each["loc"][1:]), "message": str(each["msg"]).removeprefix("Value error, ")}
        for each in cast("RequestValidationError", error).errors()[:MOST_NAMED]
    ]
    named = "; ".join(f"{each['field'] or 'body'}: {each['message']}" for each in found[:3])
    return problem(422, "invalid", f"The request can't be taken. {named}", request_id=request_id_of(request.scope), errors=found)


async def on_http_error(request: Request, error: Exception) -> Response:
    """Answer what the framework refuses: unknown addresses and methods, bodies too large or of another type."""
    failure = cast("HTTPException", error)
    status, request_id = failure.status_code, request_id_of(request.scope)
    if status == _UNREADABLE:
        return problem(422, "body", f"The body can't be read. {failure.detail}", request_id=request_id)
    headers = {"Allow": ", ".join(_allowed(request))} if status == 405 else failure.headers
    if status == 405 and request.method == "OPTIONS":
        return Response(status_code=204, headers=headers)
    detail = _SENTENCES.get(status, "The request can't be answered.")
    return problem(status, _CODES.get(status, "http"), detail, request_id=request_id, headers=headers)


async def on_crash(request: Request, error: Exception) -> Response:
    """Answer a fault of ours with a fixed sentence; the trace goes to the log."""
    request_id = request_id_of(request.scope)
    _log.error("Request %s failed", request_id, exc_info=error)
    return problem(500, "internal", f"Something went wrong here. The log names it under {request_id}.", request_id=request_id)


def _title(status: int) -> str:
    return HTTPStatus(status).phrase


def _field(parts: Sequence[Any]) -> str:
    return ".".join(str(part) for part in parts)[:MOST_CHARACTERS]


def _allowed(request: Request) -> list[str]:
    """Return the methods of an address: those of all its routes."""
    taken = [method for method in _METHODS if _takes(request, method)]
    return sorted({*taken, "OPTIONS", *(("HEAD",) if "GET" in taken else ())})


def _takes(request: Request, method: str) -> bool:
    scope = {**request.scope, "method": method}
    return any(route.matches(scope)[0] is Match.FULL for route in request.app.routes)
