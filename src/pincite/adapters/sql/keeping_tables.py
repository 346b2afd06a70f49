"""The tables of what stays of removed documents, and of what was erased. A change here needs a migration."""

from sqlalchemy import BigInteger, Column, ForeignKey, Index, Integer, LargeBinary, Table, Text, text

from pincite.adapters.sql.columns import CASCADE, HASH, ID, UtcDateTime, by_code_point, metadata

# Ids of what may be gone with its collection: only the workspace is a foreign key of what stays of removed documents.
holds = Table(
    "holds",
    metadata,
    Column("document_id", ID, primary_key=True),
    Column("workspace_id", ID, ForeignKey("workspaces.id", ondelete=CASCADE), nullable=False),
    Column("collection_id", ID, nullable=False, index=True),
    Column("held_at", UtcDateTime, nullable=False),
    Column("reason", Text, nullable=False),
)

removed_documents = Table(
    "removed_documents",
    metadata,
    Column("id", ID, primary_key=True),
    Column("workspace_id", ID, ForeignKey("workspaces.id", ondelete=CASCADE), nullable=False),
    Column("collection_id", ID, nullable=False),
    Column("path", by_code_point(), nullable=False),
    Column("title", Text, nullable=False),
    Column("content_type", Text, nullable=False),
    Column("source_uri", by_code_point(), nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("updated_at", UtcDateTime, nullable=False),
    Column("sha256", HASH, nullable=False),
    Column("size_bytes", BigInteger, nullable=False),
    Column("pages", Integer, nullable=False),
    Column("removed_at", UtcDateTime, nullable=False),
    Index(None, "removed_at"),
    Index(None, "collection_id", "removed_at"),
)

# A version with its text, as `versions` and `canonical_texts` had them.
removed_versions = Table(
    "removed_versions",
    metadata,
    Column("id", ID, primary_key=True),
    Column("workspace_id", ID, nullable=False),
    Column("document_id", ID, ForeignKey("removed_documents.id", ondelete=CASCADE), nullable=False, index=True),
    Column("sha256", HASH, nullable=False, index=True),
    Column("size_bytes", BigInteger, nullable=False),
    Column("content_type", Text, nullable=False),
    Column("parser", Text, nullable=False),
    Column("parser_version", Text, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("read_as", Text),
    Column("title", Text, nullable=False),
    Column("pages_unread", Integer, nullable=False),
    Column("meta", Text, nullable=False),
    Column("doc_date", Text, nullable=False),
    Column("contained", Integer, nullable=False),
    Column("chunking", Text, nullable=False),
    Column("data", LargeBinary, nullable=False),
    Column("warnings", Text, nullable=False, server_default=text("'[]'")),
)

# The documents among whose sources stored answers, and logged questions without one, found what they say.
source_documents = Table(
    "source_documents",
    metadata,
    Column("message_id", ID, primary_key=True),
    Column("document_id", ID, primary_key=True, index=True),
    Column("workspace_id", ID, nullable=False),
)

erasures = Table(
    "erasures",
    metadata,
    Column("document_id", ID, primary_key=True),
    Column("workspace_id", ID, ForeignKey("workspaces.id", ondelete=CASCADE), nullable=False),
    Column("collection_id", ID, nullable=False),
    Column("erased_at", UtcDateTime, nullable=False),
    Column("finished_at", UtcDateTime),
    Column("hashes", Text, nullable=False),
    Index(None, "workspace_id", "finished_at"),
)
