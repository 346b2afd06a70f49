"""Keep what refused a document, so that the same does not read the same bytes again."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column. What refused earlier ones isn't known: they are read once more when they are added again."""
    op.add_column("documents", sa.Column("refused_by", sa.Text(), nullable=False, server_default=sa.text("''")))
