"""The hot path: passages by chunk id, confirmed against the document's current version, in one hand-written statement."""

import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from pincite.adapters.sql.transaction import Transaction
from pincite.core.documents import ChunkType, PageSpan
from pincite.core.evidence import Passage, PassageText
from pincite.core.ids import ChunkId
from pincite.core.pictures import picture_url

CONFIRMED = """
    FROM chunks c JOIN documents d ON d.id = c.document_id AND d.version_id = c.version_id
    WHERE c.id IN (SELECT value FROM json_each(?)) AND c.workspace_id = ? AND d.workspace_id = ?
"""
TEXTS = f"SELECT c.id, c.version_id, c.chunk_index, d.title, c.heading_path, c.text, c.generated, c.members {CONFIRMED}"
PASSAGES = f"""
    SELECT c.text, c.document_id, d.title, d.path, c.id, c.version_id, c.collection_id, c.chunk_index, c.start_char, c.end_char,
           d.content_type, c.pages, c.heading_path, c.chunk_type, c.generated, c.lang, d.source_uri, d.meta, c.figure_id
    {CONFIRMED}
"""

TYPES = {kind.value: kind for kind in ChunkType}
_ID = 4
"""Its place in a row."""


async def read_passages(transaction: Transaction, chunk_ids: Sequence[ChunkId]) -> list[Passage]:
    """Return passages of the chunks of current versions, in the order asked, without the rest."""
    found = {row[_ID]: _passage(row) for row in await _rows(transaction, PASSAGES, chunk_ids)}
    return [found[chunk_id] for chunk_id in chunk_ids if chunk_id in found]


async def read_texts(transaction: Transaction, chunk_ids: Sequence[ChunkId]) -> list[PassageText]:
    """Return what tells the chunks of current versions from each other, in the order asked, without the rest."""
    found = {
        row[0]: PassageText(row[0], row[1], row[2], row[3], load_headings(row[4]), row[5], bool(row[6]), _members(row[7]))
        for row in await _rows(transaction, TEXTS, chunk_ids)
    }
    return [found[chunk_id] for chunk_id in chunk_ids if chunk_id in found]


async def _rows(transaction: Transaction, statement: str, chunk_ids: Sequence[ChunkId]) -> Sequence[Sequence[Any]]:
    own = transaction.workspace_id
    return await transaction.plain_rows(statement, (json.dumps(list(chunk_ids)), own, own))


def dump_pages(pages: Sequence[PageSpan]) -> str:
    """Return the pages of a chunk as JSON rows, which read several times faster than objects."""
    return json.dumps([[span.page, span.label, span.start, span.end, *_last(span)] for span in pages], separators=(",", ":"))


def _last(span: PageSpan) -> list[object]:
    """Return what few pages have, and older rows not at all."""
    if span.ocr:
        return [span.bates, True]
    return [span.bates] if span.bates else []


def load_pages(data: str) -> tuple[PageSpan, ...]:
    """Return what `dump_pages` wrote."""
    return tuple(PageSpan(*row) for row in json.loads(data))


def _members(data: str) -> tuple[ChunkId, ...]:
    return () if data == "[]" else tuple(json.loads(data))


@lru_cache(maxsize=1024)
def load_headings(data: str) -> tuple[str, ...]:
    """Decode a heading path, once for the many chunks that stand under it."""
    return tuple(json.loads(data))


def _passage(row: Sequence[Any]) -> Passage:
    # By position: looking columns up by name would take longer than the statement itself.
    text, document_id, title, path, chunk_id, version_id, collection_id, index, start, end, *rest = row
    content_type, pages, headings, kind, generated, lang, source_uri, meta, figure_id = rest
    spans = load_pages(pages)
    metadata: dict[str, str] = json.loads(meta) if meta != "{}" else {}
    metadata["source_uri"] = source_uri
    return Passage(
        text=text,
        document_id=document_id,
        title=title,
        path=path,
        chunk_id=chunk_id,
        version_id=version_id,
        collection_id=collection_id,
        chunk_index=index,
        start=start,
        end=end,
        content_type=content_type,
        pages=spans,
        heading_path=load_headings(headings),
        chunk_type=TYPES[kind],
        generated=bool(generated),
        image_url=picture_url(document_id, version_id, figure_id, spans),
        lang=lang,
        metadata=metadata,
    )
