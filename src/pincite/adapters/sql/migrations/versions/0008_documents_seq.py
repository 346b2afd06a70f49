"""Number the changes of a collection's documents, so that their counts are read again only after one."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the number."""
    op.add_column("collections", sa.Column("documents_seq", sa.BigInteger(), nullable=False, server_default=sa.text("0")))
