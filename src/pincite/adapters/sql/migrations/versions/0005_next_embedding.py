"""Let a collection name the embedding model that it is being brought to."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns. Numbers of the log start at 1, so 0 is before all of them."""
    op.add_column("collections", sa.Column("next_embedding", sa.Text(), nullable=True))
    for name in ("embedding_seq", "next_embedding_seq"):
        op.add_column("collections", sa.Column(name, sa.BigInteger(), server_default=sa.text("0"), nullable=False))
