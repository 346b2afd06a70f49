"""The file's schema: migrations make the tables that the code knows, and only when there is something to do."""

import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, Table, create_engine, inspect
from sqlalchemy.dialects import postgresql
from sqlalchemy.schema import CreateTable

from pincite.adapters.sql.schema import MIGRATIONS, REVISIONS, prepare
from pincite.adapters.sql.store import open_store
from pincite.adapters.sql.tables import metadata
from pincite.core.errors import StoreError


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "a folder % here" / "store.sqlite3"
    made.parent.mkdir()
    return made


def engine_of(path: Path) -> Engine:
    return create_engine("sqlite://", creator=lambda: sqlite3.connect(path))


def test_migrations_make_the_tables_that_the_code_knows(path: Path) -> None:
    prepare(path)
    engine = engine_of(path)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True})
        assert compare_metadata(context, metadata) == []
    engine.dispose()


def test_migrations_make_the_same_keys_and_checks_as_the_tables(path: Path) -> None:
    """What the comparison above doesn't look at: primary keys and what happens to children."""
    prepare(path)
    made, wanted = engine_of(path), create_engine("sqlite://")
    metadata.create_all(wanted)
    for table in metadata.tables:
        for question in ("get_pk_constraint", "get_foreign_keys", "get_unique_constraints", "get_indexes", "get_check_constraints"):
            answers = [getattr(inspect(engine), question)(table) for engine in (made, wanted)]
            assert _ordered(answers[0]) == _ordered(answers[1])
    made.dispose()
    wanted.dispose()


def _ordered(answer: object) -> object:
    return sorted(answer, key=str) if isinstance(answer, list) else answer  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] (inspection isn't typed)


@pytest.mark.parametrize("table", metadata.sorted_tables, ids=str)
def test_a_table_exists_in_postgresql_too(table: Table) -> None:
    sql = str(CreateTable(table).compile(dialect=postgresql.dialect()))
    assert sql.count("COLLATE") == len({"name", "path", "place", "source_uri"} & set(table.c.keys()))
    assert not {"BLOB", "DATETIME"} & set(sql.split())


def test_the_known_revisions_are_those_of_the_migrations() -> None:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    script = ScriptDirectory.from_config(config)
    assert tuple(reversed([found.revision for found in script.walk_revisions()])) == REVISIONS


def test_an_up_to_date_file_is_opened_without_alembic(path: Path) -> None:
    prepare(path)
    code = (
        "import sys; from pathlib import Path; from pincite.adapters.sql.store import open_store; "
        "open_store(Path(sys.argv[1])); print([m for m in ('alembic', 'aiosqlite') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['aiosqlite']"


def test_preparing_again_changes_nothing(path: Path) -> None:
    prepare(path)
    before = path.read_bytes()
    prepare(path)
    assert path.read_bytes() == before


def test_a_store_of_a_newer_schema_is_refused_and_left_alone(path: Path) -> None:
    prepare(path)
    connection = sqlite3.connect(path)
    connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.commit()
    connection.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match=r"9999.*[Uu]pgrade Pincite") as caught:
        open_store(path)
    assert caught.value.code == "newer_schema"
    assert path.read_bytes() == before


def test_another_program_s_database_is_not_taken_over(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE documents (id)")
    connection.commit()
    connection.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match="not a Pincite store") as caught:
        open_store(path)
    assert caught.value.code == "damaged"
    assert path.read_bytes() == before


def test_commits_reach_the_disk_and_keys_are_checked(path: Path) -> None:
    store = open_store(path)
    with store.changes.readers.borrow() as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert connection.execute("PRAGMA synchronous").fetchone() == (2,)
        assert connection.execute("PRAGMA foreign_keys").fetchone() == (1,)
    store.changes.close()


def test_threads_of_one_process_may_make_files_at_once(path: Path) -> None:
    files = [path.with_name(f"{n}.sqlite3") for n in range(6)]
    start = Barrier(len(files))

    def make(file: Path) -> None:
        start.wait(30)
        prepare(file)

    with ThreadPoolExecutor(len(files)) as threads:
        list(threads.map(make, files))
    for file in files:
        assert set(inspect(engine_of(file)).get_table_names()) == {*metadata.tables, "alembic_version"}
