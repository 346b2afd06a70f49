"""Stores that contracts are held to: one in memory, one of SQL."""

import asyncio
import shutil
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from pincite.adapters.memory.store import MemoryStore
from pincite.adapters.sql.store import SqlStore, open_store


@pytest.fixture(scope="session")
def empty_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Migrations run once; each test gets a copy."""
    path = tmp_path_factory.mktemp("store") / "empty.sqlite3"
    asyncio.run(open_store(path).close())
    return path


@pytest.fixture
def busy_timeout_s() -> float:
    return 30.0


@pytest.fixture(params=["memory", "sql"])
async def store(
    request: pytest.FixtureRequest, tmp_path: Path, empty_file: Path, busy_timeout_s: float
) -> AsyncGenerator[SqlStore | MemoryStore]:
    if request.param == "memory":
        made = MemoryStore(busy_timeout_s=busy_timeout_s)
    else:
        made = open_store(Path(shutil.copy(empty_file, tmp_path / "store.sqlite3")), busy_timeout_s=busy_timeout_s)
    yield made
    await made.close()
