"""A folder with a tiny entailment model: the words `granted` and `denied` decide, wherever they stand."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, pre_tokenizers, processors

WORDS = ["[UNK]", "[CLS]", "[SEP]", "granted", "denied"]
LABELS = ("contradiction", "neutral", "entailment")
_SAYS = {"granted": (0, 0, 9), "denied": (9, 0, 0), "[CLS]": (0, 4, 0)}


def write_nli_folder(folder: Path, *, labels: Sequence[str] = LABELS) -> Path:
    """Write the model, and return its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer: Any = Tokenizer(models.WordLevel({word: number for number, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.add_special_tokens(["[CLS]", "[SEP]"])
    tokenizer.post_processor = processors.TemplateProcessing(
        "[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    table = np.array([_SAYS.get(word, (0, 0, 0)) for word in WORDS], np.float32)
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["tokens"]),
        helper.make_node("ReduceSum", ["tokens", "axes"], ["logits"], keepdims=0),
    ]
    graph = helper.make_graph(
        nodes,
        "nli",
        [helper.make_tensor_value_info("input_ids", TensorProto.INT64, [1, "tokens"])],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, [1, 3])],
        [numpy_helper.from_array(table, "table"), numpy_helper.from_array(np.array([1], np.int64), "axes")],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    (folder / "model.onnx").write_bytes(made.SerializeToString())
    (folder / "config.json").write_text(json.dumps({"id2label": {str(at): label for at, label in enumerate(labels)}}))
    return folder
