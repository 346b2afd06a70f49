"""Know which answers rest on which documents, what was erased, and where backups were written."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

ROWS_AT_ONCE = 500


def upgrade() -> None:
    """Create the tables, and fill the first from the answers that are stored."""
    op.create_table(
        "source_documents",
        sa.Column("message_id", sa.String(length=36), nullable=False),
        sa.Column("document_id", sa.String(length=36), nullable=False),
        sa.Column("workspace_id", sa.String(length=36), nullable=False),
        sa.PrimaryKeyConstraint("message_id", "document_id", name=op.f("pk_source_documents")),
    )
    op.create_index(op.f("ix_source_documents_document_id"), "source_documents", ["document_id"])
    op.create_table(
        "erasures",
        sa.Column("document_id", sa.String(length=36), nullable=False),
        sa.Column("workspace_id", sa.String(length=36), nullable=False),
        sa.Column("collection_id", sa.String(length=36), nullable=False),
        sa.Column("erased_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("hashes", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspaces.id"], name=op.f("fk_erasures_workspace_id_workspaces"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("document_id", name=op.f("pk_erasures")),
    )
    op.create_index(op.f("ix_erasures_workspace_id_finished_at"), "erasures", ["workspace_id", "finished_at"])
    op.create_table(
        "backups",
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("written_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("path", name=op.f("pk_backups")),
    )
    op.add_column("evidence", sa.Column("erased", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("query_logs", sa.Column("document_ids", sa.Text(), nullable=False, server_default=sa.text("'[]'")))
    _fill()


def _fill() -> None:
    connection = op.get_bind()
    table = sa.table("source_documents", sa.column("message_id"), sa.column("document_id"), sa.column("workspace_id"))
    quoted = "SELECT DISTINCT message_id, document_id, workspace_id FROM evidence WHERE document_id != ''"
    connection.execute(sa.text(f"INSERT INTO source_documents (message_id, document_id, workspace_id) {quoted}"))
    known = {tuple(row) for row in connection.execute(sa.text("SELECT message_id, document_id FROM source_documents"))}
    answers = connection.execute(sa.text("SELECT message_id, workspace_id, body FROM answers"))
    for page in answers.partitions(ROWS_AT_ONCE):
        rows = [
            {"message_id": message_id, "document_id": document_id, "workspace_id": workspace_id}
            for message_id, workspace_id, body in page
            for document_id in sorted(set(_documents(json.loads(body)["answer"])))
            if (message_id, document_id) not in known
        ]
        if rows:
            connection.execute(sa.insert(table), rows)


def _documents(answer: Mapping[str, Any]) -> Iterator[str]:
    for part in (*answer["citations"], *(passage for source in answer["sources"] for passage in source["passages"])):
        if part["document_id"]:
            yield part["document_id"]
