"""Keep how likely it was that what was found answers a question."""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column. Of earlier questions it isn't known."""
    op.add_column("query_logs", sa.Column("answerable", sa.Float()))
