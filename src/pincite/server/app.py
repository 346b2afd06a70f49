"""The application: routes, middleware and what lives as long as the process."""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.types import Scope

from pincite import __version__
from pincite.bootstrap import build
from pincite.core.errors import PinciteError
from pincite.core.ports.models import ChatModel
from pincite.server.deps import ServerState
from pincite.server.errors import on_crash, on_http_error, on_invalid_request, on_pincite_error
from pincite.server.hosts import Hosts
from pincite.server.middleware import BodyLimit, Front, Heads
from pincite.server.openapi import Described, operation_id
from pincite.server.routes import chat, collections, docs, documents, keeping, messages, pages, query, samples, system, usage
from pincite.server.signals import hearing_the_end
from pincite.server.slashes import OtherSlash
from pincite.server.sse import Streams
from pincite.server.workspaces import Workspaces
from pincite.settings import Settings, load_settings
from pincite.worker.loop import Worker
from pincite.workspaces.tokens import Authenticator

MAX_JSON_BYTES = 1_000_000
API = "/api"


def create_app(settings: Settings, *, llm: ChatModel | None = None) -> FastAPI:
    """Return the application, to be put behind a `Front`: outside of all else, so that answers to crashes pass it too.

    Services are built when it starts and closed when it stops. `llm` replaces the configured model.
    """

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncGenerator[None]:
        built = build(settings)
        workspaces = Workspaces(built)
        worker = Worker(built.queue, built.handlers, slots=settings.worker_slots)
        app.state.server = ServerState(workspaces, streams, Authenticator(built.credentials), llm, worker)
        works = [workspaces.keep_purging(), *([worker.run()] if settings.worker_slots else [])]
        tasks = [asyncio.create_task(work) for work in works]
        try:
            with hearing_the_end(streams.stop):
                yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
            await workspaces.close()

    streams = Streams(settings.max_streams)
    app = Described(
        title="Pincite",
        version=__version__,
        lifespan=lifespan,
        openapi_url=f"{API}/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        generate_unique_id_function=operation_id,
        telemetry={"tracing": False},
    )
    app.add_exception_handler(PinciteError, on_pincite_error)
    app.add_exception_handler(RequestValidationError, on_invalid_request)
    app.add_exception_handler(HTTPException, on_http_error)
    app.add_exception_handler(Exception, on_crash)
    _guard(app, settings)
    app.router.default = OtherSlash(app.router)
    for module in (query, chat, collections, documents, keeping, pages, messages, samples, usage, system, docs):
        app.include_router(module.router, prefix=API)
    return app


def _guard(app: FastAPI, settings: Settings) -> None:
    """Put around the routes what every request passes; the last stands outermost."""
    upload_limit = settings.max_file_bytes + MAX_JSON_BYTES
    app.add_middleware(Heads)
    app.add_middleware(BodyLimit, limit_of=lambda scope: upload_limit if _is_upload(scope) else MAX_JSON_BYTES)
    app.add_middleware(Hosts, named=settings.hosts.split(","))


def _is_upload(scope: Scope) -> bool:
    path = str(scope["path"]).rstrip("/")
    return scope["method"] == "POST" and path.startswith(f"{API}/collections/") and path.endswith("/documents")


def from_environment() -> Front:
    """Return the application as the environment describes it, for servers that import it."""
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    logging.getLogger("pincite").setLevel(logging.INFO)
    return Front(create_app(load_settings()))
