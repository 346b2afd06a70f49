"""Keep where the text is that OCR read in a picture."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns: in pictures that were kept before nothing was read."""
    for table in ("figures", "removed_figures"):
        for column in ("read_start", "read_end"):
            op.add_column(table, sa.Column(column, sa.Integer(), nullable=False, server_default=sa.text("0")))
