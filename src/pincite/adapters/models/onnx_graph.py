"""An ONNX graph opened for one-text runs: onnxruntime is imported when the first one is opened."""

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from pincite.adapters.models.mapped_arrays import AnyArray, Arrays, Floats
from pincite.core.errors import ConfigurationError

FAULTS = ("Fail", "InvalidArgument", "InvalidGraph", "InvalidProtobuf", "NoSuchFile", "NotImplemented", "RuntimeException")
INPUT_TYPES = {"tensor(int64)": np.int64, "tensor(int32)": np.int32, "tensor(float)": np.float32}


class OnnxGraph:
    """A graph on the CPU, one thread a run; any number of threads may run it at once.

    `weights` are the initializers that the graph leaves open. `inputs` gives each input's number type, `outputs` the names.
    Raises `ConfigurationError` (`model_graph`) when onnxruntime can't use the graph.
    """

    def __init__(self, graph: bytes | Path, *, weights: Arrays | None = None) -> None:
        runtime: Any = import_module("onnxruntime")
        options = _options(runtime)
        # Kept with the session, whose tensors point into this memory.
        self._weights = {name: runtime.OrtValue.ortvalue_from_numpy(values) for name, values in (weights or {}).items()}
        options.add_external_initializers(list(self._weights), list(self._weights.values()))
        self._session = _open(runtime, graph, options)
        self.inputs = {str(entry.name): INPUT_TYPES.get(entry.type) for entry in self._session.get_inputs()}
        self.outputs = tuple[str, ...](entry.name for entry in self._session.get_outputs())

    def run(self, inputs: Mapping[str, AnyArray], *, output: str) -> Floats:
        """Return one output of the graph."""
        return np.asarray(self._session.run([output], dict(inputs))[0], np.float32)


def _open(runtime: Any, graph: bytes | Path, options: Any) -> Any:
    state = import_module("onnxruntime.capi.onnxruntime_pybind11_state")
    try:
        source = graph if isinstance(graph, bytes) else str(graph)
        return runtime.InferenceSession(source, options, providers=["CPUExecutionProvider"])
    except tuple(getattr(state, name) for name in FAULTS) as error:
        raise ConfigurationError("onnxruntime can't use the model's graph. Export it again.", code="model_graph") from error


def _options(runtime: Any) -> Any:
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    # Any level above fuses Add and LayerNormalization into a kernel that is four times slower.
    options.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    # Memory is kept between runs: given back and taken again, its page faults cost up to a third of a run.
    options.enable_cpu_mem_arena = True
    # Texts differ in length, so a plan of memory for each length would only grow.
    options.enable_mem_pattern = False
    return options
