"""The tables. A change here needs a migration (`migrations/versions`)."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    String,
    Table,
    Text,
    UniqueConstraint,
    false,
    text,
)

from pincite.adapters.sql.columns import CASCADE, HASH, ID, UtcDateTime, by_code_point, metadata
from pincite.adapters.sql.figure_table import figures as figures
from pincite.adapters.sql.figure_table import picture_descriptions as picture_descriptions
from pincite.adapters.sql.figure_table import removed_figures as removed_figures
from pincite.adapters.sql.keeping_tables import erasures as erasures
from pincite.adapters.sql.keeping_tables import holds as holds
from pincite.adapters.sql.keeping_tables import removed_documents as removed_documents
from pincite.adapters.sql.keeping_tables import removed_versions as removed_versions
from pincite.adapters.sql.keeping_tables import source_documents as source_documents
from pincite.adapters.sql.receipt_table import receipts as receipts
from pincite.adapters.sql.summary_tables import summaries as summaries
from pincite.adapters.sql.summary_tables import summary_runs as summary_runs

workspaces = Table(
    "workspaces",
    metadata,
    Column("id", ID, primary_key=True),
    Column("created_at", UtcDateTime, nullable=False),
    # Grows with each job that is taken: whoever has the lowest was served longest ago.
    Column("turn", BigInteger, nullable=False, server_default=text("0")),
)

collections = Table(
    "collections",
    metadata,
    Column("id", ID, primary_key=True),
    Column("workspace_id", ID, ForeignKey("workspaces.id", ondelete=CASCADE), nullable=False),
    Column("name", by_code_point(), nullable=False),
    Column("embedding", Text),
    # The change log's newest number. Taking numbers locks this row, so that they rise in the order of commits.
    Column("head_seq", BigInteger, nullable=False, default=0),
    Column("log_horizon", BigInteger, nullable=False, default=0),
    Column("created_at", UtcDateTime, nullable=False),
    # The model that it is being brought to, and where the log stood when bringing it to either of the two was begun.
    Column("next_embedding", Text),
    Column("embedding_seq", BigInteger, nullable=False, server_default=text("0")),
    Column("next_embedding_seq", BigInteger, nullable=False, server_default=text("0")),
    Column("documents_seq", BigInteger, nullable=False, server_default=text("0")),
    Column("summaries", Boolean, nullable=False, server_default=false()),
    Column("policy", String(16), nullable=False, server_default=text("'flag'")),
    UniqueConstraint("workspace_id", "name"),
)

documents = Table(
    "documents",
    metadata,
    Column("id", ID, primary_key=True),
    Column("workspace_id", ID, nullable=False),
    Column("collection_id", ID, ForeignKey("collections.id", ondelete=CASCADE), nullable=False),
    Column("path", by_code_point(), nullable=False),
    Column("title", Text, nullable=False),
    Column("content_type", Text, nullable=False),
    Column("source_uri", by_code_point(), nullable=False),
    Column("stage", String(16), nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("updated_at", UtcDateTime, nullable=False),
    # Without a foreign key: versions point at documents, and a circle could not be inserted.
    Column("version_id", ID),
    Column("reason_code", Text),
    Column("reason_message", Text),
    Column("sha256", HASH, nullable=False),
    Column("size_bytes", BigInteger, nullable=False),
    Column("pages", Integer, nullable=False),
    Column("pages_unread", Integer, nullable=False),
    Column("chunks", Integer, nullable=False),
    Column("locale", Text, nullable=False),
    Column("doc_date", Text, nullable=False),
    Column("tags", Text, nullable=False),
    Column("meta", Text, nullable=False),
    Column("pages_ocr", Integer, nullable=False, server_default=text("0")),
    Column("warnings", Text, nullable=False, server_default=text("'[]'")),
    Column("refused_by", Text, nullable=False, server_default=text("''")),
    UniqueConstraint("collection_id", "path"),
    Index(None, "sha256"),
    Index(None, "collection_id", "source_uri"),
)

# What is known of the files of folders that documents were made of. Stamps and inodes are text: systems have numbers that are
# too large for a column.
files = Table(
    "files",
    metadata,
    Column("document_id", ID, ForeignKey("documents.id", ondelete=CASCADE), primary_key=True),
    Column("workspace_id", ID, nullable=False),
    Column("collection_id", ID, nullable=False),
    Column("place", by_code_point(), nullable=False),
    Column("stamp", Text, nullable=False),
    Column("inode", Text, nullable=False),
    Column("sha256", HASH, nullable=False),
    Column("settled", Boolean, nullable=False),
    Index(None, "collection_id", "place"),
)

versions = Table(
    "versions",
    metadata,
    Column("id", ID, primary_key=True),
    Column("workspace_id", ID, nullable=False),
    Column("document_id", ID, ForeignKey("documents.id", ondelete=CASCADE), nullable=False, index=True),
    Column("sha256", HASH, nullable=False, index=True),
    Column("size_bytes", BigInteger, nullable=False),
    Column("content_type", Text, nullable=False),
    Column("parser", Text, nullable=False),
    Column("parser_version", Text, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    # Never searched yet.
    Column("draft", Boolean, nullable=False, server_default=false()),
    Column("read_as", Text),
    Column("title", Text, nullable=False, server_default=text("''")),
    Column("pages_unread", Integer, nullable=False, server_default=text("0")),
    Column("meta", Text, nullable=False, server_default=text("'{}'")),
    Column("doc_date", Text, nullable=False, server_default=text("''")),
    Column("contained", Integer, nullable=False, server_default=text("0")),
    Column("chunking", Text, nullable=False, server_default=text("''")),
    Column("warnings", Text, nullable=False, server_default=text("'[]'")),
)

canonical_texts = Table(
    "canonical_texts",
    metadata,
    Column("version_id", ID, ForeignKey("versions.id", ondelete=CASCADE), primary_key=True),
    Column("workspace_id", ID, nullable=False),
    Column("data", LargeBinary, nullable=False),
)

chunks = Table(
    "chunks",
    metadata,
    Column("id", ID, primary_key=True),
    Column("workspace_id", ID, nullable=False),
    # Collection and document follow from the version; they stand here for the log and the hot path.
    Column("collection_id", ID, nullable=False),
    Column("document_id", ID, nullable=False),
    Column("version_id", ID, ForeignKey("versions.id", ondelete=CASCADE), nullable=False),
    # Its number in the log; below 0 for one that is kept beside those that are searched, and in no log.
    Column("seq", BigInteger, nullable=False),
    Column("chunk_index", Integer, nullable=False),
    Column("title", Text, nullable=False),
    Column("heading_path", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("start_char", Integer, nullable=False),
    Column("end_char", Integer, nullable=False),
    Column("token_count", Integer, nullable=False),
    Column("pages", Text, nullable=False),
    Column("lang", Text, nullable=False),
    Column("chunk_type", String(32), nullable=False),
    Column("generated", Boolean, nullable=False),
    Column("figure_id", ID),
    # Of a summary, the chunks that it summarises, as JSON.
    Column("members", Text, nullable=False, server_default=text("'[]'")),
    Column("fingerprint", HASH, nullable=False),
    # The number in the log at which mirrors of vectors read it, when its vector came later than itself; else 0.
    Column("vector_seq", BigInteger, nullable=False, server_default=text("0")),
    UniqueConstraint("collection_id", "seq"),
    Index(None, "collection_id", "vector_seq"),
    Index(None, "version_id", "chunk_index"),
    Index(None, "document_id"),
    # Never led by the workspace: the planner would walk all of its chunks instead of looking up a few ids.
    Index(None, "fingerprint", "workspace_id"),
)

vectors = Table(
    "vectors",
    metadata,
    Column("chunk_id", ID, ForeignKey("chunks.id", ondelete=CASCADE), primary_key=True),
    Column("model_id", String(128), primary_key=True),
    # Half precision, little-endian, 2 bytes a dimension.
    Column("data", LargeBinary, nullable=False),
)

tombstones = Table(
    "tombstones",
    metadata,
    Column("chunk_id", ID, primary_key=True),
    Column("workspace_id", ID, nullable=False),
    Column("collection_id", ID, ForeignKey("collections.id", ondelete=CASCADE), nullable=False),
    Column("document_id", ID, nullable=False),
    Column("seq", BigInteger, nullable=False),
    UniqueConstraint("collection_id", "seq"),
)

answers = Table(
    "answers",
    metadata,
    Column("message_id", ID, primary_key=True),
    Column("workspace_id", ID, ForeignKey("workspaces.id", ondelete=CASCADE), nullable=False, index=True),
    Column("body", Text, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
)

evidence = Table(
    "evidence",
    metadata,
    Column("message_id", ID, ForeignKey("answers.message_id", ondelete=CASCADE), primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("workspace_id", ID, nullable=False),
    Column("n", Integer, nullable=False),
    # Cited passages outlive their document, so neither id is a foreign key.
    Column("document_id", ID, nullable=False, index=True),
    Column("version_id", ID, nullable=False, index=True),
    Column("start_char", Integer, nullable=False),
    Column("end_char", Integer, nullable=False),
    Column("text", Text, nullable=False),
    Column("nonce", Text, nullable=False),
    Column("commitment", HASH, nullable=False),
    Column("spans", Text, nullable=False),
    Column("erased", Boolean, nullable=False, server_default=false()),
    # Where the document was when it was cited; empty where that isn't known.
    Column("collection_id", ID, nullable=False, server_default=text("''")),
    Index(None, "collection_id", "message_id"),
)

tokens = Table(
    "tokens",
    metadata,
    Column("id", ID, primary_key=True),
    Column("workspace_id", ID, ForeignKey("workspaces.id", ondelete=CASCADE), nullable=False, index=True),
    Column("name", by_code_point(), nullable=False),
    Column("secret_sha256", HASH, nullable=False),
    Column("permissions", Text, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("expires_at", UtcDateTime),
)

query_logs = Table(
    "query_logs",
    metadata,
    Column("message_id", ID, primary_key=True),
    Column("workspace_id", ID, ForeignKey("workspaces.id", ondelete=CASCADE), nullable=False),
    Column("asked_at", UtcDateTime, nullable=False),
    Column("surface", Text, nullable=False),
    Column("question", Text, nullable=False),
    Column("outcome", String(16), nullable=False),
    Column("strategy", String(16), nullable=False),
    Column("model", Text, nullable=False),
    Column("embedding_ms", Float, nullable=False),
    Column("retrieval_ms", Float, nullable=False),
    Column("time_to_first_token_ms", Float),
    Column("generation_ms", Float, nullable=False),
    Column("prompt_tokens", Integer, nullable=False),
    Column("completion_tokens", Integer, nullable=False),
    Column("estimated", Boolean, nullable=False),
    Column("truncated", Boolean, nullable=False),
    Column("scores", Text, nullable=False),
    Column("received", Text, nullable=False),
    Column("error", Text, nullable=False),
    Column("document_ids", Text, nullable=False, server_default=text("'[]'")),
    Column("withheld", Integer, nullable=False, server_default=text("0")),
    Column("answerable", Float),
    Index(None, "workspace_id", "asked_at"),
)

jobs = Table(
    "jobs",
    metadata,
    Column("id", ID, primary_key=True),
    Column("workspace_id", ID, ForeignKey("workspaces.id", ondelete=CASCADE), nullable=False),
    Column("kind", String(32), nullable=False),
    Column("key", String(200), nullable=False),
    Column("payload", Text, nullable=False),
    Column("state", String(16), nullable=False),
    Column("priority", Integer, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("lease", Text, nullable=False),
    # Seconds since 1970 by the database's clock: when it may begin, or when its lease ends.
    Column("due_at", Float, nullable=False),
    Column("error", Text, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    UniqueConstraint("kind", "key"),
    Index(None, "state", "due_at"),
)

ingestions = Table(
    "ingestions",
    metadata,
    Column("document_id", ID, ForeignKey("documents.id", ondelete=CASCADE), primary_key=True),
    Column("workspace_id", ID, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("stage", String(16), nullable=False),
    Column("done", Integer, nullable=False),
    Column("total", Integer, nullable=False),
    Column("embedded_tokens", BigInteger, nullable=False, server_default=text("0")),
    Column("parsing_ms", Float, nullable=False, server_default=text("0")),
    Column("chunking_ms", Float, nullable=False, server_default=text("0")),
    Column("embedding_ms", Float, nullable=False, server_default=text("0")),
)

# As the reader of the page made them, until the document is ready.
read_pages = Table(
    "read_pages",
    metadata,
    Column("document_id", ID, ForeignKey("documents.id", ondelete=CASCADE), primary_key=True),
    # Of the document's file, or of a picture in it.
    Column("sha256", HASH, primary_key=True),
    Column("reader", Text, primary_key=True),
    Column("page", Integer, primary_key=True),
    Column("workspace_id", ID, nullable=False),
    Column("data", LargeBinary, nullable=False),
)

usage_ledger = Table(
    "usage_ledger",
    metadata,
    Column("id", ID, primary_key=True),
    Column("workspace_id", ID, ForeignKey("workspaces.id", ondelete=CASCADE), nullable=False),
    Column("kind", String(32), nullable=False),
    Column("reference", String(200), nullable=False),
    # Below 0 for what was used, so that the sum is the balance.
    Column("credits", BigInteger, nullable=False),
    Column("model", Text, nullable=False),
    # Millionths of a credit for a token, as they were when the row was written.
    Column("rate", BigInteger, nullable=False),
    Column("output_rate", BigInteger, nullable=False),
    Column("pricing_version", Text, nullable=False),
    Column("input_tokens", BigInteger, nullable=False),
    Column("output_tokens", BigInteger, nullable=False),
    Column("meta", Text, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    UniqueConstraint("kind", "reference"),
    Index(None, "workspace_id", "created_at"),
)

backups = Table(
    "backups",
    metadata,
    Column("path", by_code_point(), primary_key=True),
    Column("written_at", UtcDateTime, nullable=False),
)
