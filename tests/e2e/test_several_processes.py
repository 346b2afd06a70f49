"""Several real processes add to one home and search it at once, also while its collection comes to another embedding model."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from pincite.core.evidence import Query, Strategy

SCRIPT = Path(__file__).with_name("several.py")


@pytest.fixture(scope="module")
def several() -> ModuleType:
    """The program that the processes run, for its texts and for looking at what they left."""
    spec = importlib.util.spec_from_file_location("several", SCRIPT)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["several"] = module
    spec.loader.exec_module(module)
    return module


def run(home: Path, *roles: tuple[str, str]) -> list[list[str]]:
    """Run processes at once; return what each missed."""
    command = [sys.executable, str(SCRIPT)]
    started = [
        subprocess.Popen([*command, role, str(home), name], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for role, name in roles
    ]
    outputs = [process.communicate(timeout=240) for process in started]
    assert [errors for _, errors in outputs] == [""] * len(roles)
    return [json.loads(printed) for printed, _ in outputs]


async def ranking(house: Any, text: str, strategy: Strategy, several: ModuleType) -> list[tuple[str, float]]:
    found = await house.searcher.retrieve(Query(text, (several.PAPERS,), limit=100, strategy=strategy))
    return sorted((passage.path, round(passage.scores.fused, 4)) for passage in found.passages)


async def assert_equal_to_a_clean_build(home: Path, tmp_path: Path, several: ModuleType, names: list[str]) -> None:
    grown, clean = several.open_house(home), several.open_house(home, tmp_path / "clean")
    try:
        collection = await grown.collection()
        async with grown.store.open(several.OURS) as work:
            assert (await work.embeddings.lacking(collection.id, model_id=collection.model_id)).chunks == 0
            scope = await work.collections.scope(collection.id)
        assert (scope.documents, scope.ready) == (len(names) * several.FILES,) * 2
        for name in names:
            for strategy in (Strategy.DENSE, Strategy.LEXICAL):
                text = several.text_of(name, 3)
                found = await ranking(grown, text, strategy, several)
                assert found == await ranking(clean, text, strategy, several)
                assert f"{name}-3.txt" in dict(found)
    finally:
        await grown.store.close()
        await clean.store.close()


async def test_each_of_four_processes_finds_what_it_has_just_added(tmp_path: Path, several: ModuleType) -> None:
    home = tmp_path / "home"
    await several.create(home)
    assert run(home, *(("add", name) for name in "abcd")) == [[]] * 4
    await assert_equal_to_a_clean_build(home, tmp_path, several, ["seed", *"abcd"])


async def test_a_collection_comes_to_another_model_while_others_add_and_search(tmp_path: Path, several: ModuleType) -> None:
    home = tmp_path / "home"
    await several.create(home)
    assert run(home, ("add", "a"), ("search", "b"), ("add", "c"), ("reembed", "d")) == [[]] * 4
    house = several.open_house(home)
    assert (await house.collection()).embedding == several.NEW.spec
    await house.store.close()
    await assert_equal_to_a_clean_build(home, tmp_path, several, ["seed", "a", "c"])
    assert [folder.name for folder in home.glob("index/*/dense-*")] == [f"dense-{several.NEW.spec.model_id}"]
