"""What every route gets: the services, the caller, and the one way to begin a stream."""

import logging
from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import AsyncExitStack, aclosing, contextmanager
from dataclasses import dataclass
from typing import Annotated, cast

from fastapi import Depends, Request, Security
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from pincite.answering.exchange import Ask
from pincite.answering.fold import fold
from pincite.bootstrap import Services
from pincite.core.access import Permission, Principal, require
from pincite.core.answers import Answer, AnswerEvent, SourcesChunk
from pincite.core.documents import Document
from pincite.core.errors import AuthenticationError, ErrorKind, LimitError, NotFoundError, PinciteError, StoreError
from pincite.core.ids import DocumentId
from pincite.core.keeping import was_erased
from pincite.core.ports.models import ChatModel
from pincite.server.middleware import request_id_of
from pincite.server.schemas.documents import DocumentRow, document_row
from pincite.server.sse import Dialect, EventStream, Streams
from pincite.server.workspaces import Workspaces
from pincite.worker.loop import Worker
from pincite.workspaces.collections import Collections
from pincite.workspaces.tokens import Authenticator

_CALLER = "pincite.caller"
_BEARER = HTTPBearer(
    scheme_name="bearer", bearerFormat="pin_…", description="A token: `pincite token create NAME` makes one.", auto_error=False
)
_log = logging.getLogger("pincite.server")


@dataclass(frozen=True, slots=True)
class ServerState:
    """What one server process holds while it runs."""

    workspaces: Workspaces
    streams: Streams
    authenticator: Authenticator
    llm: ChatModel | None = None
    worker: Worker | None = None

    @property
    def services(self) -> Services:
        """Return the services of the installation's own workspace."""
        return self.workspaces.own

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
        """Return the services, bound to the caller's workspace."""
        return self.state.workspaces.of(self.principal.workspace_id)

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
        """Return a document of the caller's workspace. Raises `NotFoundError` (`erased` for one that was)."""
        async with self.services.store.open(self.principal.workspace_id) as work:
            found = await work.documents.get(document_id)
            is_erased = found is None and await work.keeping.erased([document_id])
        if found is None:
            raise was_erased() if is_erased else NotFoundError("There is no such document.", code="document")
        return found

    async def rows(self, documents: Sequence[Document]) -> list[DocumentRow]:
        """Return documents as they are sent, with what a list tells of them beside their rows."""
        standings = await self.services.histories.standings(documents)
        async with self.services.store.open(self.principal.workspace_id) as work:
            ids = [each.id for each in documents]
            ingestions, summaries = await work.ingestions.of(ids), await work.summaries.runs(ids)
        return [document_row(each, ingestions.get(each.id), standings[each.id], summaries.get(each.id)) for each in documents]

    async def evidence(self, document_id: DocumentId, named: str) -> Document:
        """Return the document of a version or figure that an answer may name, also a removed one of which it may be kept.

        Raises `NotFoundError`.
        """
        async with self.services.store.open(self.principal.workspace_id) as work:
            removed = await work.keeping.removed(document_id) if named else None
        return removed.document if removed else await self.document(document_id)

    async def stream(self, ask: Ask, dialect: Dialect) -> EventStream:
        """Search, and return the response that streams the answer. Raises what refuses it, before a byte is sent."""
        first, events = await self._begin(ask)
        return EventStream(first, events, dialect, streams=self.streams, request_id=self.request_id)

    async def answer(self, ask: Ask) -> Answer:
        """Return an answer that is sent whole: the fold of its stream."""
        first, events = await self._begin(ask)
        try:
            return await fold(_after(first, events))
        finally:
            self.streams.release()
            await events.aclose()

    @contextmanager
    def searching(self) -> Generator[None]:
        """Tell whatever goes wrong in the block as a search that failed."""
        try:
            yield
        except PinciteError as error:
            if error.kind is not ErrorKind.UPSTREAM:
                raise
            _log.warning("Search failed (%s): %s, request %s", error.code, error.message, self.request_id)
            raise _search_failed() from error
        except Exception as error:
            # Whatever a driver or an index raises, the caller learns that the search failed.
            _log.exception("Search failed, request %s", self.request_id)
            raise _search_failed() from error

    async def _begin(self, ask: Ask) -> tuple[SourcesChunk, AsyncGenerator[AnswerEvent, None]]:
        """Take a place among the streams and search: the first event ends that. Raises what refuses the question."""
        if self.streams.is_full:
            raise LimitError(
                "This server answers as many questions at once as it may. Ask again in a moment.", code="too_many_streams"
            )
        self.streams.reserve()
        async with AsyncExitStack() as stack:
            stack.callback(self.streams.release)
            with self.searching():
                await self.services.models.learn()
                events = await stack.enter_async_context(aclosing(self.services.engine(self.state.llm).stream(ask)))
                first = cast("SourcesChunk", await anext(events))
            stack.pop_all()
            return first, events
        raise AssertionError("The block returns or raises.")


async def _after(first: AnswerEvent, events: AsyncGenerator[AnswerEvent, None]) -> AsyncGenerator[AnswerEvent, None]:
    yield first
    async for event in events:
        yield event


def _search_failed() -> StoreError:
    return StoreError("The search failed. Try again in a moment.", code="search_failed", retryable=True)


def state_of(request: Request) -> ServerState:
    """Return the process's state."""
    return cast("ServerState", request.app.state.server)


async def recognised(request: Request) -> Caller:
    """Return the caller, looked up once a request. Raises `AuthenticationError` without a good bearer token."""
    known = request.scope.get(_CALLER)
    if known is None:
        known = request.scope[_CALLER] = await _recognised(request)
    return cast("Caller", known)


async def _recognised(request: Request) -> Caller:
    state = state_of(request)
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise AuthenticationError("Send your token: Authorization: Bearer pin_…", code="no_token")
    principal = await state.authenticator.principal(token.strip())
    return Caller(principal, state, request_id_of(request.scope))


@dataclass(frozen=True, slots=True)
class Permitted:
    """What a private route depends on: the caller, who has a permission. The route's gate asks for it before the body is taken."""

    permission: Permission

    async def __call__(self, request: Request, _: Annotated[HTTPAuthorizationCredentials | None, Security(_BEARER)]) -> Caller:
        """Return the caller. Raises `AuthenticationError`, `ForbiddenError`."""
        found = await recognised(request)
        found.require(self.permission)
        return found


Reader = Annotated[Caller, Depends(Permitted(Permission.READ_DOCUMENTS))]
Writer = Annotated[Caller, Depends(Permitted(Permission.WRITE_DOCUMENTS))]
Keeper = Annotated[Caller, Depends(Permitted(Permission.MANAGE_COLLECTIONS))]
