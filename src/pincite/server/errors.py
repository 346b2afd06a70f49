"""Errors as problem documents (RFC 9457): one table from kind to status, and no word of a provider or a database."""

import logging
from collections.abc import Mapping, Sequence
from typing import Any, cast

import orjson
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from pincite.core.errors import ErrorKind, PinciteError
from pincite.server.middleware import request_id_of

STATUS: Mapping[ErrorKind, int] = {
    ErrorKind.USAGE: 422,
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

_CODES = {400: "bad_request", 404: "not_found", 405: "method_not_allowed", 413: "too_large", 415: "media_type"}
_SENTENCES = {
    404: "There is nothing at this address.",
    405: "This address doesn't take that method.",
    413: "The request is larger than this server takes.",
    415: "This address takes application/json.",
}
# What a provider or the disk has to say is for the log.
_PUBLIC = {
    ErrorKind.UPSTREAM: "Generation failed",
    ErrorKind.STORE: "The store can't be used right now. Try again in a moment, or ask whoever runs this server.",
}
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
    body: dict[str, Any] = {"type": "about:blank", "status": status, "code": code, "detail": detail, "request_id": request_id}
    if errors:
        body["errors"] = list(errors)
    return Response(orjson.dumps(body), status, dict(headers or {}), MEDIA_TYPE)


async def on_pincite_error(request: Request, error: Exception) -> Response:
    """Answer an error of our own tree."""
    failure = cast("PinciteError", error)
    status = STATUS[failure.kind]
    detail = _PUBLIC.get(failure.kind, failure.message)
    headers = {401: {"WWW-Authenticate": "Bearer"}, 429: {"Retry-After": str(RETRY_AFTER_S)}}.get(status)
    if status >= 500:
        _log.warning("%s: %s, request %s", failure.code, failure.message, request_id_of(request.scope))
    return problem(status, failure.code, detail, request_id=request_id_of(request.scope), headers=headers)


async def on_invalid_request(request: Request, error: Exception) -> Response:
    """Answer a request that doesn't fit its schema: each field with what is wrong with it, never with what was sent."""
    found = [
        {"field": ".".join(str(part) for part in each["loc"][1:]), "message": str(each["msg"])}
        for each in cast("RequestValidationError", error).errors()
    ]
    named = "; ".join(f"{each['field'] or 'body'}: {each['message']}" for each in found[:3])
    return problem(422, "invalid", f"The request can't be taken. {named}", request_id=request_id_of(request.scope), errors=found)


async def on_http_error(request: Request, error: Exception) -> Response:
    """Answer what the framework refuses: unknown addresses and methods, bodies too large or of another type."""
    failure = cast("HTTPException", error)
    status = failure.status_code
    detail = _SENTENCES.get(status, "The request can't be answered.")
    return problem(status, _CODES.get(status, "http"), detail, request_id=request_id_of(request.scope), headers=failure.headers)


async def on_crash(request: Request, error: Exception) -> Response:
    """Answer a fault of ours with a fixed sentence; the trace goes to the log."""
    request_id = request_id_of(request.scope)
    _log.error("Request %s failed", request_id, exc_info=error)
    return problem(500, "internal", f"Something went wrong here. The log names it under {request_id}.", request_id=request_id)
