"""Keep a signed receipt of each answer, and know which answers cite a collection."""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

_HOMES = "SELECT collection_id FROM {table} WHERE {table}.{id} = evidence.document_id"


def upgrade() -> None:
    """Add the table, and to quotes the collection that their document was in, as far as that is known."""
    op.create_table(
        "receipts",
        sa.Column("message_id", sa.String(length=36), nullable=False),
        sa.Column("workspace_id", sa.String(length=36), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("statement", sa.Text(), nullable=False),
        sa.Column("signature", sa.String(length=128), nullable=False),
        sa.Column("nonces", sa.Text(), nullable=False),
        sa.Column("stamp", sa.LargeBinary(), nullable=True),
        sa.Column("stamp_signature", sa.String(length=128), nullable=True),
        sa.ForeignKeyConstraint(
            ["message_id"], ["answers.message_id"], name=op.f("fk_receipts_message_id_answers"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("message_id", name=op.f("pk_receipts")),
        sa.UniqueConstraint("workspace_id", "number", name=op.f("uq_receipts_workspace_id_number")),
    )
    op.add_column("evidence", sa.Column("collection_id", sa.String(length=36), nullable=False, server_default=sa.text("''")))
    op.create_index(op.f("ix_evidence_collection_id_message_id"), "evidence", ["collection_id", "message_id"])
    homes = ", ".join(
        f"({_HOMES.format(table=table, id=key)})"
        for table, key in (("documents", "id"), ("removed_documents", "id"), ("erasures", "document_id"))
    )
    op.execute(sa.text(f"UPDATE evidence SET collection_id = coalesce({homes}, '')"))
