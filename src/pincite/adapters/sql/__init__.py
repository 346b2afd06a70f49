"""Rows in an SQL database: the embedded SQLite file of `store.open_store`, written so that PostgreSQL can follow."""
