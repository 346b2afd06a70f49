"""What columns are made of: names of constraints, types that exist in SQLite and PostgreSQL alike."""

from datetime import UTC, datetime

from sqlalchemy import DateTime, MetaData, String, Text
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator, TypeEngine

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)


class UtcDateTime(TypeDecorator[datetime]):
    """An instant with microseconds: kept in UTC, always given back aware. A naive one is refused."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Turn an instant into UTC; without its zone where the database has none."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a stored instant needs a time zone")
        instant = value.astimezone(UTC)
        return instant.replace(tzinfo=None) if dialect.name == "sqlite" else instant

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Give the zone back."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def by_code_point() -> TypeEngine[str]:
    """Return a text type that compares and sorts by code point everywhere, as Python does."""
    return Text().with_variant(Text(collation="C"), "postgresql")


ID = String(36)
HASH = String(64)
CASCADE = "CASCADE"
