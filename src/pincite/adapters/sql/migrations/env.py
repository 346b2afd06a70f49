"""What Alembic runs: upgrades on the connection that `schema.prepare` opened, inside its transaction."""

from alembic import context

from pincite.adapters.sql.tables import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata, render_as_batch=True)
with context.begin_transaction():
    context.run_migrations()
