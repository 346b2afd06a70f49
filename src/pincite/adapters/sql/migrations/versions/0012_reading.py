"""Keep how many pages OCR read, and what couldn't be read of a file."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns. Nothing was read by OCR before."""
    op.add_column("documents", sa.Column("pages_ocr", sa.Integer(), nullable=False, server_default=sa.text("0")))
    for name in ("documents", "versions", "removed_versions"):
        op.add_column(name, sa.Column("warnings", sa.Text(), nullable=False, server_default=sa.text("'[]'")))
