"""What `pincite doctor` asks of rows and files."""

import asyncio
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.unit.upkeep.homes import TEXTS, fill, settings_of

from pincite.bootstrap import checks
from pincite.client import Pincite


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return asyncio.run(fill(tmp_path_factory.mktemp("made") / "home"))


@pytest.fixture
def home(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "home"))


async def test_a_sound_home_has_no_fault(home: Path) -> None:
    assert await checks(settings_of(home)).faults() == []
    assert await checks(settings_of(home)).missing() == []


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("DELETE FROM chunks WHERE document_id IN (SELECT id FROM documents WHERE path = 'text1.md')", "text1.md"),
        ("UPDATE documents SET chunks = 0 WHERE path = 'text2.md'", "text2.md"),
        ("DELETE FROM documents", "without what they belong to"),
    ],
)
async def test_rows_that_do_not_fit_are_told(home: Path, statement: str, says: str) -> None:
    with closing(sqlite3.connect(home / "pincite.db")) as connection:
        connection.execute(statement)
        connection.commit()
    (fault,) = await checks(settings_of(home)).faults()
    assert says in fault


async def test_documents_whose_files_are_gone_are_named_until_they_are_added_again(home: Path) -> None:
    for path in (home / "blobs").rglob("*"):
        if path.is_file() and path.read_text() == TEXTS[1]:
            path.unlink()
    assert await checks(settings_of(home)).missing() == ["text1.md"]
    async with Pincite(settings=settings_of(home)) as client:
        await client.add_text(TEXTS[1], path="text1.md")
    assert await checks(settings_of(home)).missing() == []
