"""Keep summaries of documents, of which passages they are, and which collections have them."""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the tables and columns. No collection that is there has summaries."""
    op.create_table(
        "summaries",
        sa.Column("document_id", sa.String(length=36), nullable=False),
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("workspace_id", sa.String(length=36), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("vector", sa.LargeBinary(), nullable=True),
        sa.Column("model_id", sa.String(length=128), nullable=False),
        sa.ForeignKeyConstraint(
            ["document_id"], ["documents.id"], name=op.f("fk_summaries_document_id_documents"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("document_id", "key", name=op.f("pk_summaries")),
    )
    op.create_index(op.f("ix_summaries_key_workspace_id"), "summaries", ["key", "workspace_id"])
    op.create_table(
        "summary_runs",
        sa.Column("document_id", sa.String(length=36), nullable=False),
        sa.Column("workspace_id", sa.String(length=36), nullable=False),
        sa.Column("version_id", sa.String(length=36), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("done", sa.Integer(), nullable=False),
        sa.Column("total", sa.Integer(), nullable=False),
        sa.Column("reason_code", sa.Text(), nullable=True),
        sa.Column("reason_message", sa.Text(), nullable=True),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("input_tokens", sa.BigInteger(), nullable=False),
        sa.Column("output_tokens", sa.BigInteger(), nullable=False),
        sa.Column("embedded_tokens", sa.BigInteger(), nullable=False),
        sa.Column("summarising_ms", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(
            ["document_id"], ["documents.id"], name=op.f("fk_summary_runs_document_id_documents"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("document_id", name=op.f("pk_summary_runs")),
    )
    op.add_column("chunks", sa.Column("members", sa.Text(), nullable=False, server_default=sa.text("'[]'")))
    op.add_column("collections", sa.Column("summaries", sa.Boolean(), nullable=False, server_default=sa.false()))
