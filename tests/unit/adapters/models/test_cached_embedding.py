import asyncio
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from pincite.adapters.memory.embedding import HashEmbedding
from pincite.adapters.models.cached import CachedEmbedding
from pincite.core.documents import EmbeddingSpec
from pincite.core.errors import UpstreamError
from pincite.core.ports.models import Vector


class CountingEmbedding(HashEmbedding):
    """Notes what it is asked for, and refuses the text `bad`."""

    def __init__(self, name: str = "counting") -> None:
        super().__init__(16)
        self.asked: list[str] = []
        self._name = name

    @property
    def spec(self) -> EmbeddingSpec:
        return EmbeddingSpec(self._name, "1", 16, 512)

    async def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        if "bad" in texts:
            raise UpstreamError("refused")
        self.asked += texts
        return await super().embed_passages(texts)

    async def embed_queries(self, texts: Sequence[str]) -> list[Vector]:
        self.asked += [f"?{text}" for text in texts]
        return await super().embed_queries(texts)


async def test_only_what_is_new_is_asked_for_once(tmp_path: Path):
    inner = CountingEmbedding()
    model = CachedEmbedding(inner, tmp_path)
    first = await model.embed_passages(["a", "b", "a"])
    again = await CachedEmbedding(inner, tmp_path).embed_passages(["b", "c", "a"])
    assert inner.asked == ["a", "b", "c"]
    assert [list(vector) for vector in (first[1], first[0])] == [list(vector) for vector in (again[0], again[2])]


async def test_a_question_and_a_passage_of_one_text_are_kept_apart(tmp_path: Path):
    inner = CountingEmbedding()
    model = CachedEmbedding(inner, tmp_path)
    for _ in range(2):
        await model.embed_query("a")
        await model.embed_passages(["a"])
    assert inner.asked == ["?a", "a"]


async def test_two_models_are_kept_apart(tmp_path: Path):
    one, two = CountingEmbedding("one"), CountingEmbedding("two")
    await CachedEmbedding(one, tmp_path).embed_passages(["a"])
    await CachedEmbedding(two, tmp_path).embed_passages(["a"])
    assert two.asked == ["a"]


async def test_what_was_made_before_an_error_is_kept(tmp_path: Path):
    inner = CountingEmbedding()
    texts = [str(number) for number in range(300)]
    with pytest.raises(UpstreamError):
        await CachedEmbedding(inner, tmp_path).embed_passages([*texts, "bad"])
    made = len(inner.asked)
    await CachedEmbedding(inner, tmp_path).embed_passages(texts)
    assert 0 < made < 300
    assert sorted(inner.asked) == sorted(texts)


async def test_callers_at_the_same_time_share_the_file(tmp_path: Path):
    models = [CachedEmbedding(CountingEmbedding(), tmp_path) for _ in range(8)]
    found = await asyncio.gather(*(model.embed_passages([f"text {n}" for n in range(40)]) for model in models))
    assert all([list(v) for v in vectors] == [list(v) for v in found[0]] for vectors in found)


def test_several_processes_share_the_file(tmp_path: Path):
    code = """if True:
        import asyncio, pathlib, sys
        from pincite.adapters.memory.embedding import HashEmbedding
        from pincite.adapters.models.cached import CachedEmbedding
        model = CachedEmbedding(HashEmbedding(16), pathlib.Path(sys.argv[1]))
        for start in range(0, 100, 5):
            asyncio.run(model.embed_passages([f"text {n}" for n in range(start, start + 10)]))
    """
    running = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path)]) for _ in range(3)]
    assert [process.wait(60) for process in running] == [0, 0, 0]
