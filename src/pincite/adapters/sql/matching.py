"""The documents that a filter leaves. Every filtered search asks for them, so it is plain SQL."""

import json
from collections.abc import Sequence
from typing import Any

from pincite.adapters.sql.transaction import Transaction
from pincite.core.evidence import Filter
from pincite.core.ids import CollectionId, DocumentId

AFTER_SLASH = chr(ord("/") + 1)
Condition = tuple[str, Sequence[Any]]

SEARCHABLE = "SELECT id FROM documents WHERE workspace_id = ? AND version_id IS NOT NULL"
ONE_OF = "IN (SELECT value FROM json_each(?))"


async def read_matching(transaction: Transaction, collection_id: CollectionId, filter: Filter) -> set[DocumentId]:
    """Return the documents of a collection that have a version and pass a filter."""
    conditions = [_in_collection(collection_id, named=bool(filter.document_ids)), *_conditions(filter)]
    statement = " AND ".join((SEARCHABLE, *(condition for condition, _ in conditions)))
    parameters = [transaction.workspace_id, *(value for _, values in conditions for value in values)]
    return {DocumentId(row[0]) for row in await transaction.plain_rows(statement, parameters)}


def _in_collection(collection_id: CollectionId, *, named: bool) -> Condition:
    # The plus keeps the planner from walking all documents of the collection where a few are named.
    return "+collection_id = ?" if named else "collection_id = ?", (collection_id,)


def _conditions(filter: Filter) -> list[Condition]:
    found: list[Condition] = []
    if filter.document_ids:
        found.append((f"id {ONE_OF}", (json.dumps(filter.document_ids),)))
    if filter.path_prefix:
        found.append(_under(filter.path_prefix))
    if filter.content_types:
        found.append((f"content_type {ONE_OF}", (json.dumps(filter.content_types),)))
    if filter.tags:
        # As a tag stands in the stored list; LIKE would ignore case.
        held = " OR ".join("instr(tags, ?)" for _ in filter.tags)
        found.append((f"({held})", [json.dumps(tag) for tag in filter.tags]))
    return found


def _under(prefix: str) -> Condition:
    """Match whole paths and folders: `a/b` is itself and all of `a/b/`, `a/b/` the folder alone. By range, for the index."""
    folder = prefix if prefix.endswith("/") else f"{prefix}/"
    inside, ends = "path >= ? AND path < ?", (folder, folder[:-1] + AFTER_SLASH)
    return (inside, ends) if prefix.endswith("/") else (f"(path = ? OR {inside})", (prefix, *ends))
