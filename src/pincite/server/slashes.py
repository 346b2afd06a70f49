"""Addresses with a slash too many or too few: answered as they are meant. A redirect would lose the question that was posted."""

from starlette.exceptions import HTTPException
from starlette.routing import Router
from starlette.types import Receive, Scope, Send

_TRIED = "pincite.other_slash"


class OtherSlash:
    """Routes what matched no route once more, with the slash at its end taken away or added; 404 when that is nothing either."""

    def __init__(self, router: Router) -> None:
        self._router = router

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Run the request."""
        path = str(scope["path"])
        if scope["type"] != "http" or scope.get(_TRIED) or path == "/":
            raise HTTPException(404)
        scope[_TRIED] = True
        scope["path"] = path.rstrip("/") if path.endswith("/") else f"{path}/"
        await self._router.app(scope, receive, send)
