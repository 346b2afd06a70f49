"""Indexing chunks with tantivy."""

import os
import shutil
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

import tantivy
from tantivy import Document, Index, Query

from pincite.adapters.index.word_view import BODY, CHUNK, DOCUMENT, TITLE, schema
from pincite.core.ids import ChunkId
from pincite.core.ports.changes import Change
from pincite.language.bm25 import body_tokens, chunk_languages, title_tokens

_HEAP_BYTES = 30_000_000


def write_changes(index: Index, latest: Mapping[ChunkId, Change], *, fresh: bool, langs: Mapping[str, int]) -> Mapping[str, int]:
    """Put the chunks in the place of those of the same id, commit, and return `langs` with their languages counted in.

    In a `fresh` index there is nothing to replace. Raises `ValueError`.
    """
    chunks = [change for change in latest.values() if not change.deleted]
    found = chunk_languages(((change.lang, change.text) for change in chunks), langs)
    writer = index.writer(_HEAP_BYTES, 1)
    try:
        if not fresh:
            # By query: deleting by term has silently deleted nothing on fields of other types.
            writer.delete_documents_by_query(Query.term_set_query(schema(), CHUNK, list(latest)))
        for change, lang in zip(chunks, found, strict=True):
            writer.add_document(_document(change, lang))
        writer.commit()
    finally:
        writer.wait_merging_threads()
    return Counter(langs) + Counter(found)


def _document(change: Change, lang: str) -> Document:
    title = title_tokens(change.title, change.heading_path, lang)
    body = body_tokens(change.title, change.heading_path, change.text, lang=lang)
    document = Document()
    document.add_text(CHUNK, change.chunk_id)
    document.add_text(DOCUMENT, change.document_id)
    document.add_text(TITLE, " ".join(title))
    document.add_text(BODY, " ".join(body))
    return document


def link_snapshot(index: Path, snapshot: Path) -> None:
    """Give an index's files, which are never changed once written, a second name in a folder that writers don't touch.

    Readers there meet no lock of a writer: one that is stopped while it cleans up would else stop them too.
    """
    shutil.rmtree(snapshot, ignore_errors=True)
    snapshot.mkdir()
    for path in _data_files(index):
        try:
            os.link(path, snapshot / path.name)
        except OSError:  # a file system without hard links
            shutil.copy2(path, snapshot / path.name)


def _data_files(index: Path) -> Iterable[Path]:
    return (path for path in index.iterdir() if path.is_file() and path.suffix != ".lock")


def open_snapshot(snapshot: Path) -> tantivy.Searcher:
    """Open a snapshot. Raises `ValueError` when it is damaged.

    Only the searcher is kept: the index object would hold a thread that looks for commits twice a second.
    """
    if not Index.exists(str(snapshot)):
        raise ValueError("no index")
    return Index.open(str(snapshot)).searcher()
