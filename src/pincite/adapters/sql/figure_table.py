"""The tables of the pictures in documents. A change here needs a migration (`migrations/versions`)."""

from sqlalchemy import Column, ForeignKey, Index, Integer, Table, Text, UniqueConstraint, text

from pincite.adapters.sql.columns import CASCADE, HASH, ID, UtcDateTime, metadata


def _table(name: str, versions: str) -> Table:
    """Return a table of figures that go with their version in another one."""
    return Table(
        name,
        metadata,
        Column("id", ID, primary_key=True),
        Column("workspace_id", ID, nullable=False),
        Column("version_id", ID, ForeignKey(f"{versions}.id", ondelete=CASCADE), nullable=False),
        Column("number", Integer, nullable=False),
        Column("page", Integer),
        # Four numbers as JSON, or empty.
        Column("box", Text, nullable=False),
        Column("source", Text, nullable=False),
        Column("start_char", Integer, nullable=False),
        Column("end_char", Integer, nullable=False),
        # What OCR read in it.
        Column("read_start", Integer, nullable=False, server_default=text("0")),
        Column("read_end", Integer, nullable=False, server_default=text("0")),
        Column("sha256", HASH, nullable=False, index=True),
        Column("content_type", Text, nullable=False),
        Column("width", Integer, nullable=False),
        Column("height", Integer, nullable=False),
        Column("description", Text, nullable=False),
        Index(None, "version_id", "number"),
    )


figures = _table("figures", "versions")

# Those of versions that are kept of removed documents.
removed_figures = _table("removed_figures", "removed_versions")

picture_descriptions = Table(
    "picture_descriptions",
    metadata,
    Column("id", ID, primary_key=True),
    Column("workspace_id", ID, nullable=False),
    Column("sha256", HASH, nullable=False),
    Column("model", Text, nullable=False),
    Column("asked", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    UniqueConstraint("workspace_id", "sha256", "model", "asked"),
)
