"""A lexical mirror against the rows that it was made from."""

import json
import os
import struct
from collections.abc import Sequence
from pathlib import Path

from tantivy import Occur, Query

from pincite.adapters.index.seals import Seal, is_whole
from pincite.adapters.index.word_files import WordMirror
from pincite.adapters.index.word_view import BODY, CHUNK, WordView, schema
from pincite.core.ids import ChunkId
from pincite.core.ports.changes import Change
from pincite.language.bm25 import body_tokens, chunk_languages

_FOOTER = struct.Struct("<II")
_MAGIC = 1337
"""What tantivy ends its files with, after a footer in JSON and the footer's length (`directory/footer.rs`)."""
_MOST_SAMPLES = 20
"""Passages of a page whose words are looked up one by one."""


class WordComparison:
    """Compares the files' checksums, which chunks are there, and for some of them each word."""

    def __init__(self, mirror: WordMirror, view: WordView) -> None:
        self._view = view
        self._seen: set[ChunkId] = set()
        self._wordless: set[ChunkId] = set()
        self.damaged = [path.name for path in mirror.files_of(view) if not _is_whole(path)]
        held = [] if self.damaged else _chunks_of(view)
        self._held = set(held)
        self._twice = len(held) - len(self._held)

    def compare(self, changes: Sequence[Change]) -> None:
        """Look at some of the rows that the view says it holds."""
        self._seen |= {change.chunk_id for change in changes}
        step = -(-len(changes) // _MOST_SAMPLES) or 1
        samples = [change for change in changes[::step] if change.chunk_id in self._held]
        self._wordless |= {change.chunk_id for change in samples if not self._has_words(change)}

    def _has_words(self, change: Change) -> bool:
        """Say whether the chunk is found by all of its words, stemmed for one of the languages that it may have been taken for."""
        searcher = self._view.searcher
        [sure] = chunk_languages([(change.lang, change.text)], {})
        for lang in (sure,) if sure else ("", *self._view.langs):
            tokens = set(body_tokens(change.title, change.heading_path, change.text, lang=lang))
            terms = [Query.term_query(schema(), BODY, token, "freq") for token in tokens]
            own = Query.term_query(schema(), CHUNK, change.chunk_id, "basic")
            query = Query.boolean_query([(Occur.Must, term) for term in (own, *terms)])
            if searcher and len(searcher.search(query, 2, count=False).hits) == 1:
                return True
        return False

    def faults(self, unsure: set[ChunkId]) -> list[str]:
        """Return what was found, a sentence each, without what concerns chunks that changed since."""
        found = [
            (len(self._seen - self._held - unsure), "passages are missing"),
            (len(self._held - self._seen - unsure), "passages are there that no longer exist"),
            (len(self._wordless - unsure), "passages aren't found by their words"),
            (self._twice, "passages are there twice"),
        ]
        return [f"{count} {what}." for count, what in found if count]


def _chunks_of(view: WordView) -> list[ChunkId]:
    searcher = view.searcher
    if searcher is None or not searcher.num_docs:
        return []
    hits = searcher.search(Query.all_query(), searcher.num_docs, count=False).hits
    return [ChunkId(str(searcher.doc(address).get_first(CHUNK))) for _, address in hits]


def _is_whole(path: Path) -> bool:
    """Say whether a file's bytes have the checksum of its footer; of a file without one, whether it can be read."""
    try:
        if path.suffix == ".json":
            return json.loads(path.read_bytes()) is not None
        with path.open("rb") as file:
            size_bytes = file.seek(-_FOOTER.size, os.SEEK_END)
            length, magic = _FOOTER.unpack(file.read())
            file.seek(size_bytes - length)
            footer = json.loads(file.read(length))
        return magic == _MAGIC and is_whole(path, Seal(size_bytes - length, footer["crc"]))
    except (OSError, ValueError, KeyError, TypeError):
        return False
