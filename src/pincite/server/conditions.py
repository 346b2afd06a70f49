"""Conditional requests (RFC 9110, section 13): whether a client already has what it asks for."""

from starlette.requests import Request


def has_already(request: Request, etag: str) -> bool:
    """Say whether `If-None-Match` names a tag, in the weak comparison that is meant for it."""
    given = request.headers.get("if-none-match", "")
    return given.strip() == "*" or etag in [each.strip().removeprefix("W/") for each in given.split(",")]
