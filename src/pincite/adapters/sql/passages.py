"""The hot path: passages by chunk id, confirmed against the document's current version, in one hand-written statement."""

import json
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Row, bindparam, text

from pincite.adapters.sql.transaction import Transaction
from pincite.core.documents import ChunkType, PageSpan
from pincite.core.evidence import Passage
from pincite.core.ids import ChunkId, CollectionId, DocumentId, VersionId

IDS_PER_STATEMENT = 1000

PASSAGES = text("""
    SELECT c.id, c.document_id, c.version_id, c.collection_id, c.chunk_index, c.heading_path, c.text, c.start_char, c.end_char,
           c.pages, c.lang, c.chunk_type, c.generated, d.title, d.path, d.content_type, d.source_uri, d.meta
    FROM chunks c JOIN documents d ON d.id = c.document_id AND d.version_id = c.version_id
    WHERE c.id IN :chunk_ids AND c.workspace_id = :own AND d.workspace_id = :own
""").bindparams(bindparam("chunk_ids", expanding=True))


async def read_passages(transaction: Transaction, chunk_ids: Sequence[ChunkId]) -> list[Passage]:
    """Return passages of the chunks of current versions, in the order asked, without the rest."""
    found: dict[ChunkId, Passage] = {}
    for at in range(0, len(chunk_ids), IDS_PER_STATEMENT):
        for row in await transaction.rows(PASSAGES, chunk_ids=chunk_ids[at : at + IDS_PER_STATEMENT]):
            found[row.id] = _passage(row)
    return [found[chunk_id] for chunk_id in chunk_ids if chunk_id in found]


def dump_pages(pages: Sequence[PageSpan]) -> str:
    """Return the pages of a chunk as JSON rows, which read several times faster than objects."""
    return json.dumps([[span.page, span.label, span.start, span.end] for span in pages], separators=(",", ":"))


def load_pages(data: str) -> tuple[PageSpan, ...]:
    """Return what `dump_pages` wrote."""
    return tuple(PageSpan(*row) for row in json.loads(data))


def _passage(row: Row[Any]) -> Passage:
    return Passage(
        text=row.text,
        document_id=DocumentId(row.document_id),
        title=row.title,
        path=row.path,
        chunk_id=ChunkId(row.id),
        version_id=VersionId(row.version_id),
        collection_id=CollectionId(row.collection_id),
        chunk_index=row.chunk_index,
        start=row.start_char,
        end=row.end_char,
        content_type=row.content_type,
        pages=load_pages(row.pages),
        heading_path=tuple(json.loads(row.heading_path)),
        chunk_type=ChunkType(row.chunk_type),
        generated=bool(row.generated),
        lang=row.lang,
        metadata=json.loads(row.meta) | {"source_uri": row.source_uri},
    )
