"""The encoder's weights as the graph wants them: int8 with one scale for each output column."""

from collections.abc import Iterator, Sequence

import numpy as np

from pincite.adapters.models.e5_file import E5File
from pincite.adapters.models.mapped_arrays import AnyArray, Floats

LARGEST_WEIGHT = 64
"""Two products of an activation (255 at most) and a weight stay within 16 bits, so that CPUs without VNNI don't saturate."""

NORMS = {"aln": "attention_norm", "oln": "output_norm"}


def graph_weights(file: E5File) -> dict[str, AnyArray]:
    """Return all external initializers of the graph by name."""
    weights: dict[str, AnyArray] = {
        # Positions count from 0 here, and the one token type is always added.
        "positions": _table(file, "emb.pos") + _table(file, "emb.type")[0],
        "embedding_norm.gain": file.floats("emb.ln.w"),
        "embedding_norm.shift": file.floats("emb.ln.b"),
    }
    for number in range(file.layers):
        weights.update(_layer(file, f"l{number}.", f"layer{number}."))
    return weights


def _layer(file: E5File, source: str, target: str) -> Iterator[tuple[str, AnyArray]]:
    yield from _linear(file, f"{target}qkv", [f"{source}{part}" for part in "qkv"])
    yield from _linear(file, f"{target}attention_out", [f"{source}ao"])
    yield from _linear(file, f"{target}inner", [f"{source}fi"])
    yield from _linear(file, f"{target}outer", [f"{source}fo"])
    for short, name in NORMS.items():
        yield f"{target}{name}.gain", file.floats(f"{source}{short}.w")
        yield f"{target}{name}.shift", file.floats(f"{source}{short}.b")


def _linear(file: E5File, target: str, sources: Sequence[str]) -> Iterator[tuple[str, AnyArray]]:
    """Yield the int8 matrix `(inputs, outputs)` of layers that share their input, with scales, zero points and biases."""
    inputs = file.inner if target.endswith(".outer") else file.width
    rows = np.concatenate([file.matrix(f"{source}.w", inputs) for source in sources])
    scales = np.maximum(np.abs(rows).max(axis=1), 1e-9) / np.float32(LARGEST_WEIGHT)
    rows /= scales[:, None]
    yield f"{target}.weight", np.ascontiguousarray(np.rint(rows, out=rows).astype(np.int8).T)
    yield f"{target}.scale", scales
    yield f"{target}.zero", np.zeros(len(scales), np.int8)
    yield f"{target}.bias", np.concatenate([file.floats(f"{source}.b") for source in sources])


def _table(file: E5File, name: str) -> Floats:
    return file.floats(name).reshape(-1, file.width)
