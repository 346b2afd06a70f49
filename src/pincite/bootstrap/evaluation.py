"""What measures an installation's models."""

import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from pincite.answering.verify import Verifier
from pincite.bootstrap.home import home_of
from pincite.bootstrap.models import Models
from pincite.bootstrap.services import LOCAL_WORKSPACE, rules_of
from pincite.core.errors import ConfigurationError
from pincite.evaluation.runs import Bench, Evaluator
from pincite.retrieval.searcher import Searcher
from pincite.settings import Settings


def verifier(settings: Settings) -> Verifier:
    """Return what judges claims. Raises `ConfigurationError` (`no_local_model`) without the tables of words that it needs."""
    found = Models(settings).verifier
    if found is None:
        raise ConfigurationError(
            "Claims can't be judged here: the package that holds the local model's words isn't installed.", code="no_local_model"
        )
    return found


def evaluator(settings: Settings) -> Evaluator:
    """Build what measures retrieval and abstention: each run in a store of its own, with vectors cached between runs."""
    from pincite.adapters.models.cached import CachedEmbedding

    models = Models(settings)
    cache = home_of(settings) / "cache"
    inner = models.embedding
    embedding = CachedEmbedding(inner, cache) if inner else None

    @asynccontextmanager
    async def open_bench() -> AsyncGenerator[Bench, None]:
        from pincite.adapters.index.dense import MappedDenseIndex
        from pincite.adapters.index.lexical import TantivyIndex
        from pincite.adapters.sql.store import open_store

        with tempfile.TemporaryDirectory(prefix="pincite-eval-") as folder:
            store = open_store(Path(folder) / "pincite.db")
            dense, lexical = MappedDenseIndex(Path(folder), store.changes), TantivyIndex(Path(folder), store.changes)
            try:
                yield Bench(store, Searcher(store, dense, lexical, lambda _: embedding, LOCAL_WORKSPACE), LOCAL_WORKSPACE)
            finally:
                await store.close()

    return Evaluator(open_bench, embedding, rules_of(settings), settings.answerable_least)
