"""The table of the pictures in documents. A change here needs a migration (`migrations/versions`)."""

from sqlalchemy import Column, ForeignKey, Index, Integer, Table, Text

from pincite.adapters.sql.columns import CASCADE, HASH, ID, metadata

figures = Table(
    "figures",
    metadata,
    Column("id", ID, primary_key=True),
    Column("workspace_id", ID, nullable=False),
    Column("version_id", ID, ForeignKey("versions.id", ondelete=CASCADE), nullable=False),
    Column("number", Integer, nullable=False),
    Column("page", Integer),
    # Four numbers as JSON, or empty.
    Column("box", Text, nullable=False),
    Column("source", Text, nullable=False),
    Column("start_char", Integer, nullable=False),
    Column("end_char", Integer, nullable=False),
    Column("sha256", HASH, nullable=False, index=True),
    Column("content_type", Text, nullable=False),
    Column("width", Integer, nullable=False),
    Column("height", Integer, nullable=False),
    Column("description", Text, nullable=False),
    Index(None, "version_id", "number"),
)
