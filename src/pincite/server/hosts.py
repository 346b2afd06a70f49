"""For which names this server answers. A page of a stranger whose name was made to lead here (DNS rebinding) is answered nothing.

A browser tells the name that it looked up in `Host`. An address can't be made to lead elsewhere, and neither can `localhost` or
a name without a dot, which nobody can register.
"""

import ipaddress
from collections.abc import Collection

from starlette.types import ASGIApp, Receive, Scope, Send

from pincite.server.errors import problem
from pincite.server.middleware import request_id_of

ANY = "*"


class Hosts:
    """Refuses (421) requests for foreign names: all but `named` ones, or when none is named, those that come over loopback."""

    def __init__(self, app: ASGIApp, *, named: Collection[str]) -> None:
        self._app = app
        self._named = {name.strip().lower().rstrip(".") for name in named if name.strip()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Run the request."""
        if scope["type"] != "http" or self._answers(scope):
            await self._app(scope, receive, send)
            return
        refusal = problem(
            421,
            "host",
            "This server doesn't answer for the name that was asked. If it should, add the name to PINCITE_HOSTS.",
            request_id=request_id_of(scope),
        )
        await refusal(scope, receive, send)

    def _answers(self, scope: Scope) -> bool:
        if ANY in self._named:
            return True
        given = [value for name, value in scope["headers"] if name == b"host"]
        if not (self._named or _is_loopback(scope)):
            return True
        return all(self._is_ours(_name(each.decode("latin-1"))) for each in given)

    def _is_ours(self, name: str) -> bool:
        return name in self._named or "." not in name or name.endswith(".localhost") or _is_address(name)


def _name(host: str) -> str:
    """Return the name or address of a `Host` header, without its port."""
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0].strip().lower().rstrip(".")


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _is_loopback(scope: Scope) -> bool:
    """Say whether the request came over the loopback interface: then nothing but this machine should know of us."""
    host = str((scope.get("server") or ("",))[0])
    return _is_address(host) and ipaddress.ip_address(host).is_loopback
