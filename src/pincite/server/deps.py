"""What every route gets: the services, the caller, and the one way to begin a stream."""

import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Annotated, cast

from fastapi import Depends, Request

from pincite.answering.exchange import Ask
from pincite.bootstrap import Services
from pincite.core.access import Permission, Principal, require
from pincite.core.answers import AnswerEvent, SourcesChunk
from pincite.core.documents import Document
from pincite.core.errors import AuthenticationError, ErrorKind, LimitError, NotFoundError, PinciteError, StoreError
from pincite.core.ids import DocumentId
from pincite.core.ports.models import ChatModel
from pincite.server.middleware import request_id_of
from pincite.server.sse import Dialect, EventStream, Streams
from pincite.worker.loop import Worker
from pincite.workspaces.collections import Collections
from pincite.workspaces.tokens import Authenticator

_log = logging.getLogger("pincite.server")


@dataclass(frozen=True, slots=True)
class ServerState:
    """What one server process holds while it runs."""

    services: Services
    streams: Streams
    authenticator: Authenticator
    llm: ChatModel | None = None
    worker: Worker | None = None

    def wake(self) -> None:
        """Tell the worker inside this process, if there is one, that a job was enqueued."""
        if self.worker:
            self.worker.wake()


@dataclass(frozen=True, slots=True)
class Caller:
    """A recognised request: who asks, and with what it is answered."""

    principal: Principal
    state: ServerState
    request_id: str

    @property
    def services(self) -> Services:
        """Return the services of the installation."""
        return self.state.services

    @property
    def streams(self) -> Streams:
        """Return the streams that are open."""
        return self.state.streams

    def require(self, permission: Permission) -> None:
        """Raise `ForbiddenError` unless the caller has the permission."""
        require(self.principal, permission)

    @property
    def collections(self) -> Collections:
        """Return the collections of the caller's workspace."""
        return Collections(self.services.store, self.principal.workspace_id)

    async def document(self, document_id: DocumentId) -> Document:
        """Return a document of the caller's workspace. Raises `NotFoundError`."""
        async with self.services.store.open(self.principal.workspace_id) as work:
            found = await work.documents.get(document_id)
        if found is None:
            raise NotFoundError("There is no such document.", code="document")
        return found

    async def stream(self, ask: Ask, dialect: Dialect) -> EventStream:
        """Search, and return the response that streams the answer. Raises what refuses it, before a byte is sent."""
        self._admit()
        self.streams.reserve()
        events = self.services.engine(self.state.llm).stream(ask)
        try:
            first = await _searched(events, self.request_id)
        except BaseException:
            self.streams.release()
            await events.aclose()
            raise
        return EventStream(first, events, dialect, streams=self.streams, request_id=self.request_id)

    @asynccontextmanager
    async def events(self, ask: Ask) -> AsyncGenerator[AsyncGenerator[AnswerEvent, None]]:
        """Open the events of an answer that is sent whole."""
        self._admit()
        self.streams.reserve()
        events = self.services.engine(self.state.llm).stream(ask)
        try:
            yield events
        finally:
            self.streams.release()
            await events.aclose()

    def _admit(self) -> None:
        if self.streams.is_full:
            raise LimitError(
                "This server answers as many questions at once as it may. Ask again in a moment.", code="too_many_streams"
            )


async def _searched(events: AsyncGenerator[AnswerEvent, None], request_id: str) -> SourcesChunk:
    """Return the first event, which ends the search."""
    try:
        return cast("SourcesChunk", await anext(events))
    except PinciteError as error:
        if error.kind is not ErrorKind.UPSTREAM:
            raise
        raise _search_failed() from error
    except Exception as error:
        # Whatever a driver or an index raises, the caller learns that the search failed.
        _log.exception("Search failed, request %s", request_id)
        raise _search_failed() from error


def _search_failed() -> StoreError:
    return StoreError("The search failed. Try again in a moment.", code="search_failed", retryable=True)


def state_of(request: Request) -> ServerState:
    """Return the process's state."""
    return cast("ServerState", request.app.state.server)


async def caller(request: Request) -> Caller:
    """Return the caller. Raises `AuthenticationError` without a good bearer token."""
    state = state_of(request)
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise AuthenticationError("Send your token: Authorization: Bearer pin_…", code="no_token")
    principal = await state.authenticator.principal(token.strip())
    return Caller(principal, state, request_id_of(request.scope))


CallerDep = Annotated[Caller, Depends(caller)]
