"""Which passages of a document are summarised together, level by level, until one summary remains. Pure.

The tree is that of RAPTOR (Sarthi et al. 2024, "Recursive Abstractive Processing for Tree-Organized Retrieval"); its mixture
models are replaced by one greedy pass over nearest neighbours, which needs no random numbers: the same text gives the same tree.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING
from zlib import crc32

from pincite.core.documents import Chunk, ChunkType, PageSpan, fingerprint_of
from pincite.core.ids import ChunkId, new_id
from pincite.core.ports.models import Vector
from pincite.language.detect import detect
from pincite.language.stems import index_tokens
from pincite.language.stopwords import stop_words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MEMBERS = 8
"""Most passages that one summary stands for."""
TOKENS = 3000
"""Most tokens of them together, as far as two of them have no more."""
WINDOW = 2048
"""Passages among which neighbours are looked for: the work grows with the square of these, and with the length of the text."""
WORD_DIMENSIONS = 512


def clusters(
    vectors: Sequence[Vector], tokens: Sequence[int], *, members: int = MEMBERS, most_tokens: int = TOKENS
) -> list[list[int]]:
    """Return the numbers of passages that belong together, each once, in rising order.

    The first passage that is left takes those nearest to what it has gathered, by cosine, until the cluster is full. Each cluster
    but the last has two members at least, so that levels come to an end.
    """
    found: list[list[int]] = []
    for first in range(0, len(vectors), WINDOW):
        inside = _clusters(vectors[first : first + WINDOW], tokens[first : first + WINDOW], members, most_tokens)
        found += [[first + number for number in cluster] for cluster in inside]
    return found


def _clusters(vectors: Sequence[Vector], tokens: Sequence[int], members: int, most_tokens: int) -> list[list[int]]:
    # Imported here: whoever starts the program for something else shouldn't wait for it.
    import numpy as np

    unit = _unit(np.asarray([np.asarray(vector, dtype=np.float32) for vector in vectors]))
    is_left = np.ones(len(unit), dtype=np.bool_)
    found: list[list[int]] = []
    for seed in range(len(unit)):
        if not is_left[seed]:
            continue
        is_left[seed] = False
        cluster, room, gathered = [seed], most_tokens - tokens[seed], unit[seed].copy()
        while len(cluster) < members and is_left.any():
            nearest = int(np.where(is_left, unit @ gathered, -np.inf).argmax())
            if len(cluster) > 1 and tokens[nearest] > room:
                break
            is_left[nearest] = False
            cluster.append(nearest)
            room -= tokens[nearest]
            gathered += unit[nearest]
        found.append(sorted(cluster))
    return found


def _unit(matrix: "NDArray[np.float32]") -> "NDArray[np.float32]":
    import numpy as np

    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    return (matrix / np.where(lengths > 0, lengths, 1)).astype(np.float32)


def word_vectors(texts: Sequence[str], lang: str) -> list[list[float]]:
    """Return vectors of texts by their words, for collections that have no model: nearer where rarer words are shared.

    Words are hashed into `WORD_DIMENSIONS` numbers; of a text without words all are 0.
    """
    stops = stop_words(lang)
    bags = [frozenset(token for token in index_tokens(text, lang) if token not in stops) for text in texts]
    counts: dict[str, int] = {}
    for bag in bags:
        for token in bag:
            counts[token] = counts.get(token, 0) + 1
    vectors: list[list[float]] = []
    for bag in bags:
        vector = [0.0] * WORD_DIMENSIONS
        for token in bag:
            vector[crc32(token.encode()) % WORD_DIMENSIONS] += math.log(1 + len(bags) / counts[token])
        vectors.append(vector)
    return vectors


def summary_key(passages: Sequence[Chunk], *, writer: str) -> str:
    """Return the fingerprint of what a summary says: the words of its passages, their headings, and what writes it.

    The document's title is left out, so that renaming a file changes no summary.
    """
    parts = [writer, *("\0".join((*passage.heading_path, passage.text)) for passage in passages)]
    return fingerprint_of("\x01".join(parts))


def summary_chunk(text: str, members: Sequence[Chunk], *, like: Chunk, index: int, tokens: int) -> Chunk:
    """Return the chunk of a summary. It stands for the run from the first of its members to the last."""
    first, last = min(members, key=lambda each: each.start), max(members, key=lambda each: each.end)
    return replace(
        like,
        id=ChunkId(new_id()),
        chunk_index=index,
        heading_path=_shared([each.heading_path for each in members]),
        text=text,
        start=first.start,
        end=last.end,
        token_count=tokens,
        pages=_ends([span for each in members for span in each.pages]),
        lang=detect(text) or like.lang,
        chunk_type=ChunkType.SUMMARY,
        generated=True,
        figure_id=None,
        members=tuple(each.id for each in members),
    )


def _shared(paths: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Return the headings under which all of some passages stand."""
    shared = paths[0]
    for path in paths[1:]:
        size = 0
        while size < min(len(shared), len(path)) and shared[size] == path[size]:
            size += 1
        shared = shared[:size]
    return shared


def _ends(spans: Sequence[PageSpan]) -> tuple[PageSpan, ...]:
    """Return the first page and the last; those between would be a long list that says nothing more."""
    if not spans:
        return ()
    first, last = min(spans, key=lambda span: span.page), max(spans, key=lambda span: span.page)
    return (first,) if first.page == last.page else (first, last)
