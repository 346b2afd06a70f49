"""The tables of summaries of documents. A change here needs a migration (`migrations/versions`)."""

from sqlalchemy import BigInteger, Column, Float, ForeignKey, Index, Integer, LargeBinary, String, Table, Text

from pincite.adapters.sql.columns import CASCADE, HASH, ID, metadata

summaries = Table(
    "summaries",
    metadata,
    Column("document_id", ID, ForeignKey("documents.id", ondelete=CASCADE), primary_key=True),
    # The fingerprint of what it summarises, and by what.
    Column("key", HASH, primary_key=True),
    Column("workspace_id", ID, nullable=False),
    Column("text", Text, nullable=False),
    # Half precision, little-endian, 2 bytes a dimension; null before it is embedded.
    Column("vector", LargeBinary),
    Column("model_id", String(128), nullable=False),
    # Never led by the workspace, as with chunks.
    Index(None, "key", "workspace_id"),
)

summary_runs = Table(
    "summary_runs",
    metadata,
    Column("document_id", ID, ForeignKey("documents.id", ondelete=CASCADE), primary_key=True),
    Column("workspace_id", ID, nullable=False),
    Column("version_id", ID, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("state", String(16), nullable=False),
    Column("done", Integer, nullable=False),
    Column("total", Integer, nullable=False),
    Column("reason_code", Text),
    Column("reason_message", Text),
    Column("model", Text, nullable=False),
    Column("input_tokens", BigInteger, nullable=False),
    Column("output_tokens", BigInteger, nullable=False),
    Column("embedded_tokens", BigInteger, nullable=False),
    Column("summarising_ms", Float, nullable=False),
)
