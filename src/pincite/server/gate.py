"""What is asked of a request before its body is taken: who sends it, who may, and whether its address takes such a body.

The upload of a stranger, or of somebody who may only read, is refused before a byte of it is kept.
"""

from collections.abc import Callable, Coroutine, Sequence
from email.message import Message
from typing import Any

from fastapi import Request, params
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import Receive, Scope

from pincite.core.access import Permission
from pincite.server.deps import Permitted, recognised
from pincite.server.strict_json import parsed

JSON = "application/json"
MULTIPART = "multipart/form-data"


class GatedRoute(APIRoute):
    """A route that refuses strangers (401), those who may not (403), other media types (415), and JSON that isn't strict (422)."""

    @property
    def needs(self) -> Sequence[Permission]:
        """Return what a caller must be allowed; nothing for what anybody may ask."""
        return _needed(self.dependant)

    @property
    def takes(self) -> str:
        """Return the media type of its body; empty when it takes none."""
        if self.body_field is None:
            return ""
        return MULTIPART if isinstance(self.body_field.field_info, params.Form) else JSON

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the handler behind the gate."""
        handle, needs, takes = super().get_route_handler(), self.needs, self.takes

        async def gated(request: Request) -> Response:
            for permission in needs:
                (await recognised(request)).require(permission)
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


def _needed(dependant: Dependant) -> list[Permission]:
    own = [dependant.call.permission] if isinstance(dependant.call, Permitted) else []
    return own + [permission for each in dependant.dependencies for permission in _needed(each)]
