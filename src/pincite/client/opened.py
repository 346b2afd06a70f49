"""What an open installation holds: its settings, its services, and the collection that it works on."""

from pathlib import Path
from types import TracebackType
from typing import Self

from pincite.bootstrap import Services, build
from pincite.core.documents import Collection
from pincite.core.errors import NotFoundError, UsageError
from pincite.core.policies import Policy
from pincite.core.ports.models import ChatModel
from pincite.settings import Settings, load_settings
from pincite.workspaces.collections import Collections

DEFAULT_COLLECTION = "default"


class Opened:
    """An installation, opened for one collection. Use as an async context manager.

    `home` holds everything (default: PINCITE_HOME). `llm` replaces the configured chat model. `surface` names the caller in the
    log of questions.
    """

    def __init__(
        self,
        home: str | Path | None = None,
        *,
        collection: str = DEFAULT_COLLECTION,
        llm: ChatModel | None = None,
        settings: Settings | None = None,
        surface: str = "library",
    ) -> None:
        self.settings = settings or load_settings(home=str(home) if home else None)
        self._collection_name = collection
        self._llm = llm
        self._surface = surface
        self._services: Services | None = None

    @property
    def services(self) -> Services:
        """Return the services, built when first needed."""
        if self._services is None:
            self._services = build(self.settings)
        return self._services

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.close()

    async def close(self) -> None:
        """Release files and processes."""
        if self._services is not None:
            await self._services.close()
            self._services = None

    async def collection(self, *, create: bool = False) -> Collection:
        """Return the collection that this client works on. Raises `NotFoundError`."""
        return await self.services.collection(self._collection_name, create=create)

    async def _collection_if_any(self) -> Collection | None:
        try:
            return await self.collection()
        except NotFoundError:
            return None

    async def use_policy(self, policy: Policy | str) -> Collection:
        """Say what becomes of claims in answers that the collection's documents don't support: `flag`, `strict` or `off`.

        `flag` marks them, `strict` withholds them before a word of them is given out, `off` judges no claim. Returns the
        collection, which is made where there is none. Raises `UsageError` for another word.
        """
        if policy not in list(Policy):
            raise UsageError(f"There is no policy called {policy!r}. Take one of: {', '.join(Policy)}.", code="policy")
        collection = await self.collection(create=True)
        return await Collections(self.services.store, self.services.workspace_id).use_policy(collection.id, Policy(policy))
