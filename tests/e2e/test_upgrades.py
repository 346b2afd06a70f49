"""A store of any older schema, opened by two processes at once, or by one that is killed meanwhile."""

import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine
from sqlalchemy.pool import StaticPool

from pincite.adapters.sql.schema import MIGRATIONS, REVISIONS, prepare

SCRIPT = Path(__file__).with_name("upgrades.py")
TIMES = 10
ROWS = (
    "INSERT INTO workspaces (id, created_at) VALUES ('w', '2031-02-03')",
    """INSERT INTO collections (id, workspace_id, name, head_seq, log_horizon, created_at)
       VALUES ('c', 'w', 'papers', 1, 0, '2031-02-03')""",
    """INSERT INTO documents (id, workspace_id, collection_id, path, title, content_type, source_uri, stage, created_at, updated_at,
       version_id, sha256, size_bytes, pages, pages_unread, chunks, locale, doc_date, tags, meta)
       VALUES ('d', 'w', 'c', 'a.md', 'A', 'text/markdown', 'file:///a.md', 'ready', '2031-02-03', '2031-02-03',
       'v', 'ab', 1, 0, 0, 1, 'en', '', '[]', '{}')""",
    "INSERT INTO versions VALUES ('v', 'w', 'd', 'ab', 1, 'text/markdown', 'text', '1', '2031-02-03')",
    """INSERT INTO chunks (id, workspace_id, collection_id, document_id, version_id, seq, chunk_index, title, heading_path, text,
       start_char, end_char, token_count, pages, lang, chunk_type, generated, fingerprint)
       VALUES ('k', 'w', 'c', 'd', 'v', 1, 0, 'A', '[]', 'text', 0, 4, 1, '[]', 'en', 'text', 0, 'f')""",
    "INSERT INTO vectors VALUES ('k', 'm', x'00')",
)
"""What stood in a store of the first schema. A column that a later one adds takes its default."""


def upgrade(path: Path, revision: str) -> None:
    """Bring a store to a schema as the version of that time did."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        engine = create_engine("sqlite://", creator=lambda: connection, poolclass=StaticPool)
        with engine.connect() as wrapped:
            config = Config()
            config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
            config.attributes["connection"] = wrapped
            command.upgrade(config, revision)
            wrapped.commit()


def made(folder: Path, revision: str) -> Path:
    """Make a store of the first schema with rows in it, and bring it to another."""
    path = folder / f"{revision}.db"
    upgrade(path, REVISIONS[0])
    with closing(sqlite3.connect(path)) as connection:
        for row in ROWS:
            connection.execute(row)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.commit()
    upgrade(path, revision)
    return path


def run(how: str, paths: list[Path]) -> list[list[int]]:
    done = subprocess.run([sys.executable, str(SCRIPT), how, *map(str, paths)], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return [[int(word) for word in line.split()] for line in done.stdout.splitlines()]


def revision_of(path: Path) -> str:
    """Return a store's schema, having checked that all rows are there."""
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        for table in ("workspaces", "collections", "documents", "versions", "chunks", "vectors"):
            assert connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (1,)
        return connection.execute("SELECT version_num FROM alembic_version").fetchone()[0]


@pytest.mark.parametrize("revision", REVISIONS[:-1])
def test_two_processes_that_upgrade_a_store_at_once_both_get_it(tmp_path: Path, revision: str) -> None:
    old = made(tmp_path, revision)
    paths = [Path(shutil.copy(old, tmp_path / f"copy{n}.db")) for n in range(TIMES)]
    assert run("together", paths) == [[0, 0]] * TIMES
    assert {revision_of(path) for path in paths} == {REVISIONS[-1]}


@pytest.mark.parametrize("revision", REVISIONS[:-1])
def test_an_upgrade_that_is_killed_leaves_the_old_schema_or_the_new(tmp_path: Path, revision: str) -> None:
    old = made(tmp_path, revision)
    paths = [Path(shutil.copy(old, tmp_path / f"copy{n}.db")) for n in range(TIMES)]
    run("killed", paths)
    for path in paths:
        assert revision_of(path) in (revision, REVISIONS[-1])
        prepare(path)
        assert revision_of(path) == REVISIONS[-1]


def test_quotes_of_older_stores_learn_the_collection_that_they_are_of(tmp_path: Path) -> None:
    store = made(tmp_path, "0018")
    statements = (
        "INSERT INTO answers VALUES ('m', 'w', '{}', '2031-02-03')",
        """INSERT INTO removed_documents (id, workspace_id, collection_id, path, title, content_type, source_uri,
           created_at, updated_at, sha256, size_bytes, pages, removed_at)
           VALUES ('gone', 'w', 'old', 'b.md', 'B', 'text/plain', '', '2031-02-03', '2031-02-03', 'cd', 1, 0, '2031-02-03')""",
        "INSERT INTO erasures VALUES ('erased', 'w', 'older', '2031-02-03', NULL, '[]')",
        *(
            f"""INSERT INTO evidence (message_id, position, workspace_id, n, document_id, version_id, start_char, end_char,
            text, nonce, commitment, spans) VALUES ('m', {at}, 'w', 1, '{document}', 'v', 0, 1, 't', '00', 'ab', '[]')"""
            for at, document in enumerate(("d", "gone", "erased", "never"))
        ),
    )
    with closing(sqlite3.connect(store)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()
    prepare(store)
    with closing(sqlite3.connect(store)) as connection:
        found = connection.execute("SELECT collection_id FROM evidence ORDER BY position").fetchall()
    assert found == [("c",), ("old",), ("older",), ("",)]
