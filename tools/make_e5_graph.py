"""Writes the encoder graph of multilingual-e5-small without its weights: `python tools/make_e5_graph.py [OUT.onnx]`.

The weights are named external initializers, handed over at load (`SessionOptions.add_external_initializers`). What made it
fast, measured on a CPU without VNNI: one fused matrix for query, key and value, `DynamicQuantizeMatMul` and
`MultiHeadAttention`, and a plain Add followed by LayerNormalization (the fused SkipLayerNormalization is four times slower).

Input `word`: (batch, tokens, 384) float32, rows of the word table. Output `embedding`: (batch, 384) float32, mean pooled and
of length 1.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

WIDTH, LAYERS, HEADS, INNER, POSITIONS = 384, 12, 12, 1536, 512
LAYER_NORM_EPSILON = 1e-12
MICROSOFT = "com.microsoft"
COMMITTED = Path(__file__).parent.parent / "src/pincite/adapters/models/e5_small.onnx"


class GraphBuilder:
    """Collects nodes and initializers."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.initializers: list[onnx.TensorProto] = []

    def constant(self, name: str, values: np.ndarray) -> str:
        """Add a small tensor whose values stay in the graph."""
        self.initializers.append(numpy_helper.from_array(values, name))
        return name

    def weight(self, name: str, kind: int, shape: Sequence[int]) -> str:
        """Declare a tensor whose values are given when the graph is loaded."""
        tensor = onnx.TensorProto(name=name, data_type=kind, dims=shape, data_location=TensorProto.EXTERNAL)
        tensor.external_data.add(key="location", value="-")
        self.initializers.append(tensor)
        return name

    def node(self, kind: str, inputs: list[str], output: str, *, domain: str = "", **attributes: Any) -> str:
        """Add a node with one output and return that."""
        self.nodes.append(helper.make_node(kind, inputs, [output], name=output, domain=domain, **attributes))
        return output


def linear(graph: GraphBuilder, source: str, name: str, sizes: tuple[int, int]) -> str:
    """Add `source @ weight + bias` in int8."""
    return matrix_product(graph, source, name, sizes, bias=graph.weight(f"{name}.bias", TensorProto.FLOAT, [sizes[1]]))


def matrix_product(graph: GraphBuilder, source: str, name: str, sizes: tuple[int, int], *, bias: str = "") -> str:
    """Add `source @ weight + bias` in int8: one scale for each of the output columns."""
    inputs = [
        source,
        graph.weight(f"{name}.weight", TensorProto.INT8, sizes),
        graph.weight(f"{name}.scale", TensorProto.FLOAT, [sizes[1]]),
        graph.weight(f"{name}.zero", TensorProto.INT8, [sizes[1]]),
        bias,
    ]
    return graph.node("DynamicQuantizeMatMul", inputs, f"{name}.product", domain=MICROSOFT)


def linear_by_token(graph: GraphBuilder, source: str, name: str, sizes: tuple[int, int]) -> str:
    """Add `linear` with each token scaled to ±1 before and back after.

    int8 takes one range for the whole text, and single tokens stand out twentyfold here: the rest would be rounded away (cosine to
    exact arithmetic .996 without, .999 with it).
    """
    top = graph.node("ReduceMax", [graph.node("Abs", [source], f"{name}.abs")], f"{name}.top", axes=[-1], keepdims=1)
    top = graph.node("Max", [top, "smallest"], f"{name}.divisor")
    scaled = graph.node("Div", [source, top], f"{name}.scaled")
    product = matrix_product(graph, scaled, name, sizes)
    restored = graph.node("Mul", [product, top], f"{name}.restored")
    return graph.node("Add", [restored, graph.weight(f"{name}.bias", TensorProto.FLOAT, [sizes[1]])], f"{name}.out")


def norm(graph: GraphBuilder, terms: tuple[str, str], name: str) -> str:
    """Add the layer normalisation of a sum."""
    total = graph.node("Add", list(terms), f"{name}.sum")
    gain = graph.weight(f"{name}.gain", TensorProto.FLOAT, [WIDTH])
    shift = graph.weight(f"{name}.shift", TensorProto.FLOAT, [WIDTH])
    return graph.node("LayerNormalization", [total, gain, shift], f"{name}.out", axis=-1, epsilon=LAYER_NORM_EPSILON)


def embeddings(graph: GraphBuilder) -> str:
    """Add positions (from 0, the token type added) to the word rows."""
    length = graph.node("Shape", ["word"], "length", start=1, end=2)
    table = graph.weight("positions", TensorProto.FLOAT, [POSITIONS, WIDTH])
    first = graph.constant("first", np.array([0], np.int64))
    positions = graph.node("Slice", [table, first, length, first], "positions.used")
    return norm(graph, ("word", positions), "embedding_norm")


def layer(graph: GraphBuilder, source: str, name: str) -> str:
    """Add one transformer layer."""
    fused = linear(graph, source, f"{name}.qkv", (WIDTH, 3 * WIDTH))
    parts = [f"{name}.query", f"{name}.key", f"{name}.value"]
    graph.nodes.append(helper.make_node("Split", [fused, "thirds"], parts, name=f"{name}.split", axis=-1))
    mixed = graph.node("MultiHeadAttention", parts, f"{name}.attention", domain=MICROSOFT, num_heads=HEADS)
    attended = norm(graph, (linear(graph, mixed, f"{name}.attention_out", (WIDTH, WIDTH)), source), f"{name}.attention_norm")
    grown = graph.node(
        "Gelu", [linear_by_token(graph, attended, f"{name}.inner", (WIDTH, INNER))], f"{name}.gelu", domain=MICROSOFT
    )
    return norm(graph, (linear_by_token(graph, grown, f"{name}.outer", (INNER, WIDTH)), attended), f"{name}.output_norm")


def pooling(graph: GraphBuilder, source: str) -> None:
    """Add the mean over all tokens, scaled to length 1."""
    mean = graph.node("ReduceMean", [source], "mean", axes=[1], keepdims=0)
    length = graph.node("ReduceL2", [mean], "mean.length", axes=[1], keepdims=1)
    graph.node("Div", [mean, graph.node("Max", [length, "smallest"], "mean.divisor")], "embedding")


def build() -> onnx.ModelProto:
    """Return the whole graph."""
    graph = GraphBuilder()
    graph.constant("thirds", np.array([WIDTH] * 3, np.int64))
    graph.constant("smallest", np.array(1e-9, np.float32))
    state = embeddings(graph)
    for number in range(LAYERS):
        state = layer(graph, state, f"layer{number}")
    pooling(graph, state)
    word = helper.make_tensor_value_info("word", TensorProto.FLOAT, ["batch", "tokens", WIDTH])
    result = helper.make_tensor_value_info("embedding", TensorProto.FLOAT, ["batch", WIDTH])
    made = helper.make_graph(graph.nodes, "multilingual-e5-small", [word], [result], graph.initializers)
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid(MICROSOFT, 1)]
    return helper.make_model(made, opset_imports=opsets, producer_name="pincite", ir_version=8)


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else COMMITTED
    target.write_bytes(build().SerializeToString(deterministic=True))
    print(f"{target.name}: {target.stat().st_size} bytes")
