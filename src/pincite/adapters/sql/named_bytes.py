"""Where rows name bytes: one list, for all who keep, count or delete them.

Whatever comes to be kept of a document beside its file (a figure, a page's picture) is named here: bytes that no row names go.
"""

import sqlite3

from sqlalchemy import Column

from pincite.adapters.sql.tables import documents, figures, removed_figures, removed_versions, versions

COLUMNS: tuple[Column[str], ...] = tuple(
    table.c.sha256 for table in (documents, versions, removed_versions, figures, removed_figures)
)
"""The columns that hold hashes of bytes: what stands in one of them is kept, what stands in none may be deleted."""

UNNAMED = " ".join(
    ("SELECT value FROM json_each(?) WHERE 1", *(f"AND value NOT IN (SELECT {c.name} FROM {c.table.name})" for c in COLUMNS))
)
"""Those of some hashes that no row names."""


def read_all(connection: sqlite3.Connection) -> list[str]:
    """Return all hashes that rows name, sorted, also of a file of an earlier schema, which lacks some of the tables."""
    tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    selects = [f"SELECT {c.name} AS sha256 FROM {c.table.name}" for c in COLUMNS if c.table.name in tables]
    return [row[0] for row in connection.execute(f"SELECT sha256 FROM ({' UNION '.join(selects)}) WHERE sha256 != '' ORDER BY 1")]
