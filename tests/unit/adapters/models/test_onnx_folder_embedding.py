import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import NodeProto, TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from pincite.adapters.models.onnx_folder import OnnxFolderEmbedding
from pincite.adapters.models.onnx_folder_config import Pooling, read_folder
from pincite.core.errors import ConfigurationError, UpstreamError

WORDS = ["[UNK]", "[CLS]", "[SEP]", "a", "b", "c", "q", "p", ":", "[", "]", "SEP"]
TABLE = np.random.default_rng(3).standard_normal((len(WORDS), 4)).astype(np.float32)
IDS = ("input_ids", TensorProto.INT64)


def write_tokenizer(folder: Path, *, special: bool = True) -> None:
    tokenizer: Any = Tokenizer(models.WordLevel({word: number for number, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Whitespace()])
    if special:
        tokenizer.add_special_tokens(["[CLS]", "[SEP]"])
        tokenizer.post_processor = processors.TemplateProcessing("[CLS] $A [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)])
    tokenizer.enable_truncation(3)
    tokenizer.enable_padding(length=64)
    tokenizer.save(str(folder / "tokenizer.json"))


def write_graph(
    path: Path, *, inputs: Sequence[tuple[str, int]] = (IDS,), output: str = "last_hidden_state", extra: Sequence[NodeProto] = ()
) -> None:
    """Write a graph that looks up a vector for each token."""
    hidden = "hidden" if extra else output
    nodes = [helper.make_node("Gather", ["table", "input_ids"], [hidden]), *extra]
    declared = [helper.make_tensor_value_info(name, kind, [1, "tokens"]) for name, kind in inputs]
    result = helper.make_tensor_value_info(output, TensorProto.FLOAT, None)
    graph = helper.make_graph(nodes, "tiny", declared, [result], [numpy_helper.from_array(TABLE, "table")])
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8).SerializeToString())


def write_json(folder: Path, **files: object) -> None:
    for name, content in files.items():
        (folder / f"{name}.json").write_text(json.dumps(content))


def write_pooling(folder: Path, config: Mapping[str, Any]) -> None:
    parts = [("", "Transformer"), ("1_Pooling", "Pooling"), ("2_Normalize", "Normalize")]
    write_json(folder, modules=[{"type": f"sentence_transformers.models.{kind}", "path": path} for path, kind in parts])
    (folder / "1_Pooling").mkdir(exist_ok=True)
    write_json(folder / "1_Pooling", config=config)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_tokenizer(tmp_path)
    write_graph(tmp_path / "model.onnx")
    return tmp_path


def unit(vector: Any) -> Any:
    return pytest.approx((vector / np.linalg.norm(vector)).tolist(), abs=1e-6)


def rows(*words: str) -> Any:
    return TABLE[[WORDS.index(word) for word in words]]


async def passage(folder: Path, text: str) -> list[float]:
    return list((await OnnxFolderEmbedding(folder).embed_passages([text]))[0])


async def test_without_any_config_tokens_are_averaged_with_special_tokens(folder: Path):
    assert await passage(folder, "a b") == unit(rows("[CLS]", "a", "b", "[SEP]").mean(0))


POOLINGS: dict[str, tuple[Mapping[str, Any], Callable[[Any], Any]]] = {
    "mean": ({"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": False}, lambda tokens: tokens.mean(0)),
    "cls": ({"pooling_mode_cls_token": True, "word_embedding_dimension": 4}, lambda tokens: tokens[0]),
    "max": ({"pooling_mode_max_tokens": True, "include_prompt": True}, lambda tokens: tokens.max(0)),
    "last": ({"pooling_mode_lasttoken": True}, lambda tokens: tokens[-1]),
    "by name": ({"pooling_mode": "cls"}, lambda tokens: tokens[0]),
    "nothing said": ({}, lambda tokens: tokens.mean(0)),
}


@pytest.mark.parametrize("case", POOLINGS)
async def test_pooling_is_what_the_folder_says(folder: Path, case: str):
    config, expected = POOLINGS[case]
    write_pooling(folder, config)
    assert await passage(folder, "a b") == unit(expected(rows("[CLS]", "a", "b", "[SEP]")))


UNFIT: dict[str, Mapping[str, Any]] = {
    "two at once": {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": True},
    "weighted": {"pooling_mode_weightedmean_tokens": True},
    "without the prompt": {"pooling_mode_mean_tokens": True, "include_prompt": False},
}


@pytest.mark.parametrize("case", UNFIT)
def test_pooling_that_can_not_be_honoured_is_refused(folder: Path, case: str):
    write_pooling(folder, UNFIT[case])
    with pytest.raises(ConfigurationError):
        read_folder(folder)


def test_a_part_that_is_not_known_is_refused(folder: Path):
    write_json(folder, modules=[{"type": "sentence_transformers.models.Dense", "path": "2_Dense"}])
    with pytest.raises(ConfigurationError, match="Dense"):
        read_folder(folder)


async def test_prefixes_come_from_the_prompts(folder: Path):
    write_json(folder, config_sentence_transformers={"prompts": {"query": "q: ", "document": "p: "}, "default_prompt_name": None})
    model = OnnxFolderEmbedding(folder)
    assert (model.spec.query_prefix, model.spec.passage_prefix) == ("q: ", "p: ")
    assert list(await model.embed_query("a")) == unit(rows("[CLS]", "q", ":", "a", "[SEP]").mean(0))
    assert list((await model.embed_passages(["a"]))[0]) == unit(rows("[CLS]", "p", ":", "a", "[SEP]").mean(0))


def test_a_default_prompt_stands_on_both_sides(folder: Path):
    write_json(folder, config_sentence_transformers={"prompts": {"all": "p: "}, "default_prompt_name": "all"})
    config = read_folder(folder)
    assert (config.query_prefix, config.passage_prefix) == ("p: ", "p: ")


@pytest.mark.parametrize(
    ("files", "window"),
    [
        ({"sentence_bert_config": {"max_seq_length": 5}, "tokenizer_config": {"model_max_length": 9}}, 5),
        ({"sentence_bert_config": {"max_seq_length": None}, "tokenizer_config": {"model_max_length": 5}}, 5),
        ({"tokenizer_config": {"model_max_length": 10**30}, "config": {"max_position_embeddings": 7}}, 5),
        ({}, 512),
    ],
)
def test_the_window_is_what_the_folder_says(folder: Path, files: Mapping[str, object], window: int):
    write_json(folder, **files)
    assert read_folder(folder).window_tokens == window


async def test_a_long_text_is_cut_at_the_window_and_ends_with_the_last_special_token(folder: Path):
    write_json(folder, sentence_bert_config={"max_seq_length": 5})
    assert await passage(folder, "a b c a b c") == unit(rows("[CLS]", "a", "b", "c", "[SEP]").mean(0))


async def test_texts_are_lower_cased_where_the_folder_says_so(folder: Path):
    write_json(folder, sentence_bert_config={"do_lower_case": True})
    assert await passage(folder, "A") == unit(rows("[CLS]", "a", "[SEP]").mean(0))


async def test_special_tokens_in_a_text_are_plain_text(folder: Path):
    assert OnnxFolderEmbedding(folder).count_tokens(["[SEP]"]) == [3]


async def test_each_input_gets_the_number_type_that_the_graph_wants(folder: Path):
    inputs = [
        IDS,
        ("attention_mask", TensorProto.INT32),
        ("token_type_ids", TensorProto.INT64),
        ("position_ids", TensorProto.FLOAT),
    ]
    write_graph(folder / "model.onnx", inputs=inputs)
    assert await passage(folder, "a") == unit(rows("[CLS]", "a", "[SEP]").mean(0))


def test_an_input_that_is_not_known_is_refused(folder: Path):
    write_graph(folder / "model.onnx", inputs=[IDS, ("pixel_values", TensorProto.FLOAT)])
    with pytest.raises(ConfigurationError, match="pixel_values"):
        OnnxFolderEmbedding(folder)


async def test_an_output_that_is_pooled_already_is_taken_as_it_is(folder: Path):
    pooled = helper.make_node("ReduceMax", ["hidden"], ["sentence_embedding"], axes=[1], keepdims=0)
    write_graph(folder / "model.onnx", output="sentence_embedding", extra=[pooled])
    assert await passage(folder, "a b") == unit(rows("[CLS]", "a", "b", "[SEP]").max(0))


async def test_numbers_that_are_not_finite_are_an_error(folder: Path):
    broken = helper.make_node("Log", ["hidden"], ["last_hidden_state"])
    write_graph(folder / "model.onnx", extra=[broken])
    with pytest.raises(UpstreamError):
        OnnxFolderEmbedding(folder)


async def test_an_empty_text_has_a_vector_without_special_tokens_too(folder: Path):
    write_tokenizer(folder, special=False)
    assert await passage(folder, "") == unit(rows("[UNK]")[0])


def test_the_graph_may_lie_in_a_folder_of_its_own(folder: Path):
    (folder / "model.onnx").unlink()
    write_graph(folder / "onnx/model.onnx")
    assert read_folder(folder).graph == folder / "onnx/model.onnx"


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_a_folder_that_lacks_a_part_is_refused(folder: Path, name: str):
    (folder / name).unlink()
    with pytest.raises(ConfigurationError, match=name) as caught:
        OnnxFolderEmbedding(folder)
    assert caught.value.code == "model_folder"


@pytest.mark.parametrize("name", ["tokenizer.json", "modules.json", "sentence_bert_config.json"])
@pytest.mark.parametrize("content", ["{", "[]", "\ufeff"])
def test_a_part_that_can_not_be_read_is_refused_or_counts_as_empty(folder: Path, name: str, content: str):
    (folder / name).write_text(content)
    if content == "[]" and name != "tokenizer.json":
        assert read_folder(folder).pooling is Pooling.MEAN
    else:
        with pytest.raises(ConfigurationError):
            read_folder(folder)


@pytest.mark.parametrize("content", [b"", b"no graph"])
def test_a_graph_that_can_not_be_read_is_refused(folder: Path, content: bytes):
    (folder / "model.onnx").write_bytes(content)
    with pytest.raises(ConfigurationError) as caught:
        OnnxFolderEmbedding(folder)
    assert caught.value.code == "model_graph"


def test_the_revision_changes_with_whatever_changes_vectors(folder: Path):
    revisions = [read_folder(folder).revision]
    write_pooling(folder, {"pooling_mode": "cls"})
    revisions.append(read_folder(folder).revision)
    write_tokenizer(folder, special=False)
    revisions.append(read_folder(folder).revision)
    (folder / "model.onnx_data").write_bytes(b"weights")
    revisions.append(read_folder(folder).revision)
    assert len(set(revisions)) == 4
    assert read_folder(folder).revision == revisions[-1]


def test_the_name_is_the_folders(folder: Path):
    assert OnnxFolderEmbedding(folder).spec.name == folder.name
    assert OnnxFolderEmbedding(folder).spec.dimensions == 4


def test_without_the_tokenizer_package_the_message_says_what_to_install(folder: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(ConfigurationError, match="tokenizers") as caught:
        OnnxFolderEmbedding(folder)
    assert caught.value.code == "no_tokenizers"
