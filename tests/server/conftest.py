"""A whole server over a store in a temporary folder, with a scripted model, and a client for it."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from pincite.adapters.memory.chat import ScriptedChatModel
from pincite.bootstrap import Services
from pincite.core.access import Permission
from pincite.core.ports.models import ChatModel
from pincite.ingest.adding import add_file
from pincite.ingest.folders import files_of
from pincite.ingest.reporting import Progress
from pincite.server.app import create_app
from pincite.server.middleware import Front
from pincite.settings import load_settings
from pincite.workspaces.tokens import Tokens

HANDBOOK = "# Leave\n\nEveryone has thirty days of leave a year. The notice period is sixty days.\n"


def answering() -> ScriptedChatModel:
    """Return a model that answers what the handbook says."""
    return ScriptedChatModel([["The notice ", "period is sixty ", "days [1", "]."]])


@dataclass(frozen=True)
class House:
    """A running application and what a test needs of it."""

    app: FastAPI
    services: Services
    client: httpx.AsyncClient
    token: str
    reader: str
    collection_id: str
    document_id: str

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}


@pytest.fixture
def model() -> ScriptedChatModel:
    """A test module that needs another model overrides this."""
    return answering()


@pytest.fixture
async def house(tmp_path: Path, model: ScriptedChatModel) -> AsyncGenerator[House]:
    async with opened(tmp_path, model) as house:
        yield house


@asynccontextmanager
async def opened(folder: Path, model: ChatModel, **settings: Any) -> AsyncGenerator[House]:
    """Open a house in a folder."""
    app = create_app(
        load_settings({}, home=str(folder / "home"), embedding="none", max_streams=3, **({"ocr": "off"} | settings)), llm=model
    )
    file = folder / "handbook.md"
    file.write_text(HANDBOOK, encoding="utf-8")
    async with app.router.lifespan_context(app):
        services: Services = app.state.server.services
        document_id, collection_id = await filled(services, file)
        tokens = Tokens(services.store, services.workspace_id)
        owner = await tokens.issue("owner")
        reader = await tokens.issue("nothing", permissions=frozenset({Permission.WRITE_DOCUMENTS}))
        transport = httpx.ASGITransport(app=Front(app), raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost/api") as client:
            yield House(app, services, client, owner.text, reader.text, collection_id, document_id)


async def filled(services: Services, file: Path) -> tuple[str, str]:
    collection = await services.collection("default", create=True)
    [item] = files_of([file])
    added = await add_file(services.ingestor, item, collection=collection, embedding=None, on_progress=_unheard)
    return str(added.document_id), collection.id


def _unheard(file: str, progress: Progress) -> None:
    """Listen to nothing."""
