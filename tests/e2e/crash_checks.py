"""What the crash tests ask of a home afterwards: rows, files and indexes that fit together, and a search as after a clean build."""

import asyncio
import hashlib
import os
import sqlite3
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

from pincite import Passage, Pincite, Strategy
from pincite.adapters.sql.store import open_store
from pincite.core.errors import NotFoundError

QUERIES = ("oil for the pump", "valve 7", "How often is the filter changed?")
PINCITE = (sys.executable, "-m", "pincite")

Hits: TypeAlias = dict[str, list[tuple[float, str, str]]]
"""For each query and strategy the hits as (score, path, text), best first."""

THINGS = ("pump", "valve", "boiler", "gasket", "filter", "bearing", "hose", "sensor")
WORK = ("oiled", "changed", "cleaned", "tightened", "inspected")


def environment(home: Path, **more: str) -> dict[str, str]:
    """Return an environment of the product's defaults with a home of its own."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PINCITE_", "CHAT_", "OPENAI_"))}
    return kept | {"PINCITE_HOME": str(home)} | more


def write_files(folder: Path, count: int, *, first: int = 0) -> list[Path]:
    """Write small files of two sections each, no two alike."""
    folder.mkdir(parents=True, exist_ok=True)
    files: list[Path] = []
    for n in range(first, first + count):
        thing, work = THINGS[n % len(THINGS)], WORK[n % len(WORK)]
        file = folder / f"paper{n:03}.md"
        file.write_text(
            f"# The {thing} of machine {n}\n\n"
            f"The {thing} of machine number {n} is {work} every {n + 2} weeks by the crew of hall {n % 7}.\n\n"
            f"# Winter\n\nIn winter the {thing} {n} needs special care, because the oil of hall {n % 5} gets thick in the cold.\n"
        )
        files.append(file)
    return files


def hits_of(home: Path) -> Hits:
    """Search a home as it stands, in every way."""
    found: Hits = {}
    with suppress(NotFoundError), Pincite.sync(home) as client:  # not found: killed before there was a collection
        for query in QUERIES:
            for strategy in Strategy:
                sources = client.search(query, limit=100, strategy=strategy)
                passages = [passage for source in sources for passage in source.passages]
                hits = [(score_of(passage, strategy), passage.path, passage.text) for passage in passages]
                found[f"{strategy}: {query}"] = sorted(hits, reverse=True)
    return found


def texts_of(home: Path) -> dict[str, str]:
    """Return the text of each document that is searched."""
    with suppress(NotFoundError), Pincite.sync(home) as client:
        return {
            source.best.path: "\n".join(passage.text for passage in source.passages)
            for source in client.search("oil rain", limit=100, strategy=Strategy.DENSE)
        }
    return {}


def score_of(passage: Passage, strategy: Strategy) -> float:
    """Return the score by which a strategy ordered a passage, rounded to what float32 holds."""
    scores = passage.scores
    score = {Strategy.DENSE: scores.dense, Strategy.LEXICAL: scores.lexical, Strategy.HYBRID: scores.fused}[strategy]
    assert score is not None
    return round(score, 5)


def copy_without_index(home: Path, target: Path) -> Path:
    """Copy the database; the indexes of the copy will be built anew."""
    target.mkdir()
    source, copy = sqlite3.connect(home / "pincite.db"), sqlite3.connect(target / "pincite.db")
    source.backup(copy)
    for connection in (source, copy):
        connection.close()
    return target


def assert_sound(home: Path, acknowledged: Iterable[Path]) -> None:
    """Check rows and files against each other, and that each acknowledged file is a whole document."""
    asyncio.run(open_store(home / "pincite.db").close())  # as any next command does first
    database = sqlite3.connect(home / "pincite.db")
    try:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert database.execute("PRAGMA foreign_key_check").fetchall() == []
        for fault in FAULTS:
            assert (fault, database.execute(fault).fetchall()) == (fault, [])
        ready = database.execute("SELECT source_uri, sha256 FROM documents WHERE stage = 'ready'").fetchall()
    finally:
        database.close()
    for _, sha256 in ready:
        assert hashlib.sha256((home / "blobs" / sha256[:2] / sha256[2:]).read_bytes()).hexdigest() == sha256
    missing = {file.resolve().as_uri() for file in acknowledged} - {uri for uri, _ in ready}
    assert missing == set()


FAULTS = (
    # A ready document whose chunks aren't all there, or aren't its version's.
    """SELECT d.path FROM documents d WHERE d.stage = 'ready' AND (d.chunks = 0 OR d.chunks !=
       (SELECT count(*) FROM chunks c WHERE c.document_id = d.id AND c.version_id = d.version_id))""",
    # A chunk of a ready document without its vector, of a document that isn't there, or found though its version isn't searched.
    """SELECT c.id FROM chunks c JOIN documents d ON d.id = c.document_id AND d.stage = 'ready'
       WHERE c.seq > 0 AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.chunk_id = c.id)""",
    """SELECT c.id FROM chunks c WHERE NOT EXISTS (SELECT 1 FROM documents d
       WHERE d.id = c.document_id AND (d.version_id = c.version_id OR (c.seq < 0 AND d.stage != 'ready')))""",
    # A number of the change log that stands twice, or beyond its head.
    """SELECT seq FROM (SELECT collection_id, seq FROM chunks UNION ALL SELECT collection_id, seq FROM tombstones)
       GROUP BY collection_id, seq HAVING count(*) > 1""",
    "SELECT c.id FROM chunks c JOIN collections l ON l.id = c.collection_id WHERE c.seq > l.head_seq",
)


def told_ready(lines: Sequence[str]) -> list[Path]:
    """Return the files that `pincite add` said are ready."""
    return [Path(line.split(maxsplit=1)[1]) for line in lines if line.startswith("ready ")]
