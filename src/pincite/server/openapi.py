"""The OpenAPI document: FastAPI's, with every refusal, the events of both streams, and names that clients can be generated from."""

from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from pincite.server.errors import MEDIA_TYPE
from pincite.server.schemas.events import CHAT_EVENTS, QUERY_EVENTS, Answer
from pincite.server.schemas.problems import Problem

PLACE = "#/components/schemas/{model}"
STREAMS: Mapping[str, Mapping[str, type[BaseModel]]] = {"QueryEvent": QUERY_EVENTS, "ChatEvent": CHAT_EVENTS}
"""Events by name, for each stream."""

_REFUSALS = {
    401: "No token, or one that isn't known, was revoked or has expired.",
    403: "The token lacks the permission; or what the body names isn't there, or isn't yours: which of the two isn't told.",
    404: "There is no such thing, or it isn't yours: which of the two isn't told.",
    409: "The request contradicts what is stored.",
    413: "The body is larger than this address takes.",
    415: "The body is of another kind than this address takes.",
    416: "The file has no such range.",
    421: "The server doesn't answer for the name in `Host`.",
    422: "The request doesn't fit: `errors` names the fields.",
    429: "Too many answers are being streamed. Try again after `Retry-After` seconds.",
    503: "The search or the store failed. Nothing was streamed.",
}
_HEADERS = {
    416: {"Content-Range": {"schema": {"type": "string"}, "description": "`bytes */SIZE`: how many bytes the file has."}},
    429: {"Retry-After": {"schema": {"type": "integer"}, "description": "Seconds to wait."}},
}
_DESCRIPTION = """Answers from your documents with checked, pinpoint citations.

Send a token with every request: `Authorization: Bearer pin_…`. Errors are problem documents (RFC 9457): `code` is stable and
`detail` says what to do. Unknown fields are refused."""


def refusals(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return what a route declares that it may refuse with, beside what every route of its kind does."""
    return {status: _refusal(status) for status in statuses}


def stream(events: str, *, twin: bool = False) -> dict[int | str, dict[str, Any]]:
    """Return what a route declares that streams the events of `STREAMS[events]`, and with `twin` answers JSON too."""
    content: dict[str, Any] = {"text/event-stream": {"itemSchema": _on_the_wire(events)}}
    if twin:
        content["application/json"] = {"schema": _reference(Answer.__name__)}
    told = f"The answer. `{events}` describes its events as parsers of server-sent events give them, with `data` parsed."
    return {200: {"description": told, "content": content}}


def operation_id(route: APIRoute) -> str:
    """Return the name of a route's method in generated clients: noun and function."""
    return f"{route.tags[0] if route.tags else 'api'}_{route.name.rstrip('_')}"


class Described(FastAPI):
    """An application whose document is complete."""

    def openapi(self) -> dict[str, Any]:
        """Return the document, made once."""
        if self.openapi_schema is None:
            self.openapi_schema = _described(self)
        return self.openapi_schema


def _described(app: FastAPI) -> dict[str, Any]:
    document = get_openapi(title=app.title, version=app.version, description=_DESCRIPTION, routes=app.routes)
    for path, operations in document["paths"].items():
        for operation in operations.values():
            _complete(operation, path)
    schemas = document["components"]["schemas"]
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    for name, schema in _schemas().items():
        schemas.setdefault(name, schema)
    document["components"]["schemas"] = dict(sorted(schemas.items()))
    return document


def _complete(operation: dict[str, Any], path: str) -> None:
    """Add what every operation of its kind may answer."""
    responses = operation["responses"]
    operation["summary"] = operation.get("description", "").partition(".")[0]
    is_private, has_body = "security" in operation, "requestBody" in operation
    may = {421, 503} if is_private else {421}
    may |= {401, 403} if is_private else set()
    may |= {413, 415} if has_body else set()
    may |= {404} if "{" in path else set()
    takes_anything = has_body or any(each["in"] == "query" for each in operation.get("parameters", ()))
    if takes_anything:
        may.add(422)
    else:
        responses.pop("422", None)
    for status in may:
        responses[str(status)] = _refusal(status)
    operation["responses"] = dict(sorted(responses.items()))


def _refusal(status: int) -> dict[str, Any]:
    found: dict[str, Any] = {
        "description": _REFUSALS[status],
        "content": {MEDIA_TYPE: {"schema": _reference(Problem.__name__)}},
    }
    return found | ({"headers": _HEADERS[status]} if status in _HEADERS else {})


def _schemas() -> dict[str, Any]:
    models = [Problem, Answer, *(model for events in STREAMS.values() for model in events.values())]
    _, found = models_json_schema([(model, "validation") for model in models], ref_template=PLACE)
    unions = {name: _union(name, events) for name, events in STREAMS.items()}
    frames = {_frame(name, event): _frame_schema(event, model) for name, all_ in STREAMS.items() for event, model in all_.items()}
    return {**found["$defs"], **frames, **unions}


def _union(name: str, events: Mapping[str, type[BaseModel]]) -> dict[str, Any]:
    return {
        "title": name,
        "description": "One event of the stream: its `event:` line, and the JSON of its `data:` line.",
        "oneOf": [_reference(_frame(name, event)) for event in events],
        "discriminator": {"propertyName": "event", "mapping": {event: _place(_frame(name, event)) for event in events}},
    }


def _on_the_wire(stream_name: str) -> dict[str, Any]:
    """Return what OpenAPI 3.2 and readers that know it take for one event: its `data` is text that holds JSON."""
    kinds: list[dict[str, Any]] = []
    for event, model in STREAMS[stream_name].items():
        data = {"type": "string", "contentMediaType": "application/json", "contentSchema": _reference(model.__name__)}
        properties = {"event": {"const": event, "type": "string"}, "data": data}
        kinds.append({"type": "object", "properties": properties, "required": ["event", "data"]})
    return {"oneOf": kinds}


def _frame_schema(event: str, model: type[BaseModel]) -> dict[str, Any]:
    properties = {"event": {"const": event, "type": "string"}, "data": _reference(model.__name__)}
    return {"type": "object", "properties": properties, "required": ["event", "data"]}


def _frame(stream_name: str, event: str) -> str:
    return f"{stream_name}_{event}"


def _place(name: str) -> str:
    return PLACE.format(model=name)


def _reference(name: str) -> dict[str, str]:
    return {"$ref": _place(name)}
