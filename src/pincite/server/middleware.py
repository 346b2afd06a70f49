"""Middleware, all of it plain ASGI: request ids, the access log, security headers, body limits, HEAD."""

import logging
import re
import time
from collections.abc import Callable, Sequence
from typing import cast
from urllib.parse import quote

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pincite.core.ids import new_id

_GIVEN_ID = re.compile(rb"[A-Za-z0-9._-]{8,64}")
_KEY = "pincite.request_id"
_BODY = "pincite.send_body"
_LONGEST_PATH = 300
_log = logging.getLogger("pincite.access")

SECURITY_HEADERS: Sequence[tuple[bytes, bytes]] = (
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
)
POLICY = (
    b"default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; object-src 'none'; base-uri 'none'; "
    b"form-action 'self'; frame-ancestors 'none'"
)


def request_id_of(scope: Scope) -> str:
    """Return the id under which the log knows a request."""
    return str(scope.get(_KEY, ""))


def body_sender(scope: Scope, send: Send) -> Send:
    """Return the shortest way for a body whose head was sent: what stands between looks at heads alone, and costs at each event."""
    return cast("Send", scope.get(_BODY, send))


class Front:
    """Gives each request an id (the client's own `X-Request-Id` if it is a plain one), and writes a line when it was answered.

    Adds to every response what keeps browsers from guessing types, framing pages and loading foreign code.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Run the request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = scope[_KEY] = _given_id(scope) or new_id()
        scope[_BODY] = send
        status, began, path = 0, time.perf_counter(), _logged(scope)

        async def marked(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = _with_ours(message.get("headers", ()), request_id)
            await send(message)

        try:
            await self._app(scope, receive, marked)
        finally:
            elapsed_ms = (time.perf_counter() - began) * 1000
            _log.info("%s %s %d %.1f ms %s", scope["method"], path, status, elapsed_ms, request_id)


class BodyLimit:
    """Refuses requests that are larger than their address takes: by what they announce, else while they come."""

    def __init__(self, app: ASGIApp, *, limit_of: Callable[[Scope], int]) -> None:
        self._app = app
        self._limit_of = limit_of

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Run the request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        limit = self._limit_of(scope)
        is_announced, taken = _announced(scope) > limit, 0

        async def bounded() -> Message:
            nonlocal taken
            message: Message = {} if is_announced else await receive()
            taken += len(message.get("body", b""))
            if is_announced or taken > limit:
                raise HTTPException(413)
            return message

        await self._app(scope, bounded, send)


class Heads:
    """Answers `HEAD` wherever `GET` is answered: with the same head and no body."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Run the request."""
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self._app(scope, receive, send)
            return
        has_ended = False

        async def headed(message: Message) -> None:
            nonlocal has_ended
            if message["type"] == "http.response.start":
                await send(message)
            elif not has_ended:
                has_ended = True
                await send({"type": "http.response.body", "body": b""})

        # A file is then handed over by its path instead of being read; and a range means nothing without a body (RFC 9110, 14.2).
        extensions: dict[str, dict[object, object]] = {"http.response.pathsend": {}}
        headers = [pair for pair in scope["headers"] if pair[0] != b"range"]
        await self._app({**scope, "method": "GET", "extensions": extensions, "headers": headers}, receive, headed)


def _logged(scope: Scope) -> str:
    """Return the path alone, since a query string may hold what somebody asked, and so that no character of it ends a line."""
    return quote(str(scope["path"])[:_LONGEST_PATH], safe="/:@!$&'()*+,;=~", errors="replace")


def _announced(scope: Scope) -> int:
    """Return the length that a request announces, -1 when it doesn't."""
    given = next((value for name, value in scope["headers"] if name == b"content-length"), b"")
    return int(given) if given.isdigit() else -1


def _with_ours(headers: Sequence[tuple[bytes, bytes]], request_id: str) -> list[tuple[bytes, bytes]]:
    named = {name.lower() for name, _ in headers}
    ours = (*SECURITY_HEADERS, (b"content-security-policy", POLICY), (b"x-request-id", request_id.encode()))
    return [*headers, *(pair for pair in ours if pair[0] not in named)]


def _given_id(scope: Scope) -> str:
    given = next((value for name, value in scope["headers"] if name == b"x-request-id"), b"")
    return given.decode() if _GIVEN_ID.fullmatch(given) else ""
