"""Keep what collections do with claims that aren't supported, and how many of an answer were withheld."""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns. Collections that are there mark such claims."""
    op.add_column("collections", sa.Column("policy", sa.String(length=16), nullable=False, server_default=sa.text("'flag'")))
    op.add_column("query_logs", sa.Column("withheld", sa.Integer(), nullable=False, server_default=sa.text("0")))
