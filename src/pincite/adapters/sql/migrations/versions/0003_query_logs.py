"""Add the log of questions."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table of logged questions."""
    op.create_table(
        "query_logs",
        sa.Column("message_id", sa.String(length=36), nullable=False),
        sa.Column("workspace_id", sa.String(length=36), nullable=False),
        sa.Column("asked_at", sa.DateTime(timezone=True), nullable=False),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("surface", "question")),
        *(sa.Column(name, sa.String(length=16), nullable=False) for name in ("outcome", "strategy")),
        sa.Column("model", sa.Text(), nullable=False),
        *(sa.Column(name, sa.Float(), nullable=False) for name in ("embedding_ms", "retrieval_ms")),
        sa.Column("time_to_first_token_ms", sa.Float(), nullable=True),
        sa.Column("generation_ms", sa.Float(), nullable=False),
        *(sa.Column(name, sa.Integer(), nullable=False) for name in ("prompt_tokens", "completion_tokens")),
        *(sa.Column(name, sa.Boolean(), nullable=False) for name in ("estimated", "truncated")),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("scores", "received", "error")),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspaces.id"], name=op.f("fk_query_logs_workspace_id_workspaces"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("message_id", name=op.f("pk_query_logs")),
    )
    op.create_index(op.f("ix_query_logs_workspace_id_asked_at"), "query_logs", ["workspace_id", "asked_at"])
