"""Add whose turn it is to have a job taken."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the number."""
    op.add_column("workspaces", sa.Column("turn", sa.BigInteger(), nullable=False, server_default=sa.text("0")))
