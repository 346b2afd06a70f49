"""`pincite collection`: what is listed, renamed and removed, and what is asked first."""

import asyncio
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pincite.cli.main import cli
from pincite.client import Pincite
from pincite.core.errors import ConflictError, NotFoundError, UsageError


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PINCITE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PINCITE_EMBEDDING", "none")
    return tmp_path


async def filled(**collections: int) -> None:
    for name, documents in collections.items():
        async with Pincite(collection=name) as client:
            await client.collection(create=True)
            for number in range(documents):
                await client.add_text(f"Notice is {number} days.", path=f"{number}.md")


def run(*words: str, typed: str | None = None) -> Result:
    result = CliRunner().invoke(cli, ["collection", *words], input=typed)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def names() -> dict[str, int]:
    return {each["name"]: each["documents"] for each in json.loads(run("list", "--json").stdout)["collections"]}


def test_collections_are_listed_with_how_many_documents_they_have() -> None:
    assert "pincite add" in run("list").stderr
    asyncio.run(filled(law=2, empty=0))
    assert names() == {"empty": 0, "law": 2}
    assert "law\t2 documents, 2 searchable\twords alone\n" in run("list").stdout


async def test_whatever_makes_a_collection_asks_for_a_name_that_is_one() -> None:
    for wrong in ("", " \t", "x" * 201, "a\0b"):
        async with Pincite(collection=wrong) as client:
            with pytest.raises(UsageError, match="not blank"):
                await client.add_text("Notice is 9 days.", path="9.md")
    await filled(law=0)
    async with Pincite(collection=" law ") as client:
        assert (await client.collection(create=True)).name == "law"


def test_a_collection_is_renamed_unless_another_has_the_name_or_it_is_none() -> None:
    asyncio.run(filled(law=1, other=0))
    assert "contracts" in run("rename", "law", " contracts ").stdout
    assert names() == {"contracts": 1, "other": 0}
    with pytest.raises(ConflictError, match="other"):
        run("rename", "contracts", "other")
    with pytest.raises(NotFoundError):
        run("rename", "law", "new")
    for wrong in ("", "  ", "x" * 201, "a\0b", "a\udcffb"):
        with pytest.raises(UsageError, match="not blank"):
            run("rename", "contracts", wrong)
    assert run("rename", "contracts", "قراردادها\u200cها 👩\u200d⚖️").exit_code == 0


def test_a_collection_is_removed_only_when_that_is_said() -> None:
    asyncio.run(filled(law=2, other=1))
    with pytest.raises(UsageError, match=r"2 documents\..*--yes"):
        run("remove", "law")
    assert names() == {"law": 2, "other": 1}
    told = run("remove", "law", "--yes")
    assert (told.exit_code, told.stdout) == (0, "Removed law with its 2 documents.\n")
    assert names() == {"other": 1}
    with pytest.raises(NotFoundError):
        run("remove", "law", "--yes")
    assert json.loads(run("remove", "other", "--yes", "--json").stdout)["removed"]["name"] == "other"


@pytest.mark.parametrize(("typed", "left"), [("n\n", {"law": 1}), ("\n", {"law": 1}), ("y\n", {})])
def test_somebody_at_a_terminal_is_asked(monkeypatch: pytest.MonkeyPatch, typed: str, left: dict[str, int]) -> None:
    asyncio.run(filled(law=1))
    monkeypatch.setattr("pincite.cli.collections.is_at_terminal", lambda: True)
    assert "law with its 1 document?" in run("remove", "law", typed=typed).stderr
    assert names() == left
