"""Remember the files of folders, and find documents by address."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

BY_CODE_POINT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """Create the table of files, and an index by which the documents of a folder are found."""
    op.create_table(
        "files",
        sa.Column("document_id", sa.String(length=36), nullable=False),
        sa.Column("workspace_id", sa.String(length=36), nullable=False),
        sa.Column("collection_id", sa.String(length=36), nullable=False),
        sa.Column("place", BY_CODE_POINT, nullable=False),
        sa.Column("stamp", sa.Text(), nullable=False),
        sa.Column("inode", sa.Text(), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("settled", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["document_id"], ["documents.id"], name=op.f("fk_files_document_id_documents"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("document_id", name=op.f("pk_files")),
    )
    if op.get_bind().dialect.name == "postgresql":
        op.alter_column("documents", "source_uri", type_=BY_CODE_POINT)
    op.create_index(op.f("ix_files_collection_id_place"), "files", ["collection_id", "place"])
    op.create_index(op.f("ix_documents_collection_id_source_uri"), "documents", ["collection_id", "source_uri"])
