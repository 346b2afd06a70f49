"""Let versions be stored before they are searched, and vectors come later than their chunks."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns. All versions that there are were searched, and all chunks came with their vectors."""
    empty, none = sa.text("''"), sa.text("0")
    op.add_column("versions", sa.Column("draft", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("versions", sa.Column("read_as", sa.Text(), nullable=True))
    op.add_column("versions", sa.Column("title", sa.Text(), nullable=False, server_default=empty))
    op.add_column("versions", sa.Column("pages_unread", sa.Integer(), nullable=False, server_default=none))
    op.add_column("versions", sa.Column("meta", sa.Text(), nullable=False, server_default=sa.text("'{}'")))
    op.add_column("versions", sa.Column("doc_date", sa.Text(), nullable=False, server_default=empty))
    op.add_column("versions", sa.Column("contained", sa.Integer(), nullable=False, server_default=none))
    op.add_column("versions", sa.Column("chunking", sa.Text(), nullable=False, server_default=empty))
    op.add_column("chunks", sa.Column("vector_seq", sa.BigInteger(), nullable=False, server_default=none))
    op.create_index(op.f("ix_chunks_collection_id_vector_seq"), "chunks", ["collection_id", "vector_seq"])
