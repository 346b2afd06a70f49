"""The table of receipts. A change here needs a migration (`migrations/versions`)."""

from sqlalchemy import Column, ForeignKey, Integer, LargeBinary, String, Table, Text, UniqueConstraint

from pincite.adapters.sql.columns import CASCADE, ID, metadata

receipts = Table(
    "receipts",
    metadata,
    Column("message_id", ID, ForeignKey("answers.message_id", ondelete=CASCADE), primary_key=True),
    Column("workspace_id", ID, nullable=False),
    Column("number", Integer, nullable=False),
    Column("statement", Text, nullable=False),
    Column("signature", String(128), nullable=False),
    Column("nonces", Text, nullable=False),
    Column("stamp", LargeBinary),
    Column("stamp_signature", String(128)),
    # A chain that forks is no chain: whoever comes second with a number is refused.
    UniqueConstraint("workspace_id", "number"),
)
