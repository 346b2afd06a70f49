"""What is asked of a request before its body is taken: who sends it, and whether the body is of the kind that its address takes.

A stranger's upload is refused before a byte of it is kept.
"""

from collections.abc import Callable, Coroutine
from email.message import Message
from typing import Any

from fastapi import Request, params
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import Receive, Scope

from pincite.server.deps import caller, recognised
from pincite.server.strict_json import parsed

JSON = "application/json"
MULTIPART = "multipart/form-data"


class GatedRoute(APIRoute):
    """A route that refuses strangers (401) and other media types (415) first, and takes strict JSON alone (422)."""

    @property
    def is_private(self) -> bool:
        """Say whether it answers recognised callers alone."""
        return _needs_caller(self.dependant)

    @property
    def takes(self) -> str:
        """Return the media type of its body; empty when it takes none."""
        if self.body_field is None:
            return ""
        return MULTIPART if isinstance(self.body_field.field_info, params.Form) else JSON

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the handler behind the gate."""
        handle, is_private, takes = super().get_route_handler(), self.is_private, self.takes

        async def gated(request: Request) -> Response:
            if is_private:
                await recognised(request)
            if takes:
                _require_plain(request)
            if takes == MULTIPART:
                _require(_media_type(request) == MULTIPART)
            if takes == JSON:
                return await handle(await _with_json(request))
            return await handle(request)

        return gated


class _JsonRequest(Request):
    """A request whose JSON was parsed."""

    def __init__(self, scope: Scope, receive: Receive, *, body: bytes, value: Any) -> None:
        super().__init__(scope, receive)
        self._raw = body
        self._value = value

    async def body(self) -> bytes:
        """Return the bytes."""
        return self._raw

    async def json(self) -> Any:
        """Return what they say."""
        return self._value


async def _with_json(request: Request) -> Request:
    """Return the request with its JSON. Without a body its schema has the word."""
    media_type = _media_type(request)
    if media_type:
        _require(media_type == JSON or (media_type.startswith("application/") and media_type.endswith("+json")))
    body = await request.body()
    if not body:
        return request
    _require(media_type != "")
    return _JsonRequest(request.scope, request.receive, body=body, value=parsed(body))


def _media_type(request: Request) -> str:
    given = request.headers.get("content-type", "")
    if not given:
        return ""
    message = Message()
    message["content-type"] = given
    return message.get_content_type()


def _require_plain(request: Request) -> None:
    """Raise 415 for a body that is compressed: unpacking it could take any amount of memory."""
    _require(request.headers.get("content-encoding", "identity").strip().lower() in ("", "identity"))


def _require(is_right: bool) -> None:
    if not is_right:
        raise HTTPException(415)


def _needs_caller(dependant: Dependant) -> bool:
    return dependant.call is caller or any(_needs_caller(each) for each in dependant.dependencies)
