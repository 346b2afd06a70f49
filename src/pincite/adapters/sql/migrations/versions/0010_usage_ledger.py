"""Add the ledger of what was used, and what attempts to read documents took."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table, and add the columns."""
    for name, kind in (
        ("embedded_tokens", sa.BigInteger()),
        ("parsing_ms", sa.Float()),
        ("chunking_ms", sa.Float()),
        ("embedding_ms", sa.Float()),
    ):
        op.add_column("ingestions", sa.Column(name, kind, nullable=False, server_default=sa.text("0")))
    op.create_table(
        "usage_ledger",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("workspace_id", sa.String(length=36), nullable=False),
        sa.Column("kind", sa.String(length=32), nullable=False),
        sa.Column("reference", sa.String(length=200), nullable=False),
        sa.Column("credits", sa.BigInteger(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("rate", sa.BigInteger(), nullable=False),
        sa.Column("output_rate", sa.BigInteger(), nullable=False),
        sa.Column("pricing_version", sa.Text(), nullable=False),
        sa.Column("input_tokens", sa.BigInteger(), nullable=False),
        sa.Column("output_tokens", sa.BigInteger(), nullable=False),
        sa.Column("meta", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspaces.id"], name=op.f("fk_usage_ledger_workspace_id_workspaces"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_usage_ledger")),
        sa.UniqueConstraint("kind", "reference", name=op.f("uq_usage_ledger_kind_reference")),
    )
    op.create_index(op.f("ix_usage_ledger_workspace_id_created_at"), "usage_ledger", ["workspace_id", "created_at"])
