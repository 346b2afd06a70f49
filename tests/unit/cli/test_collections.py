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


def test_a_collections_policy_is_set_and_listed() -> None:
    asyncio.run(filled(law=1))
    assert run("policy", "law", "strict").stdout == "law: claims that aren't supported are withheld.\n"
    assert "law\t1 document, 1 searchable\twords alone\tstrict\n" in run("list").stdout
    assert json.loads(run("policy", "law", "off", "--json").stdout)["collection"]["policy"] == "off"
    assert [each["policy"] for each in json.loads(run("list", "--json").stdout)["collections"]] == ["off"]
    assert run("policy", "law", "loose").exit_code == 2


BOOK = "\n".join(f"# Part {n}\n\nPart {n} tells of zebras. It holds for number {n} alone.\n" for n in range(12))


async def with_a_book(name: str) -> None:
    async with Pincite(collection=name) as client:
        await client.add_text(BOOK, path="book.md")


def test_a_collection_is_summarised_when_that_is_said_and_no_more_when_it_is_unsaid() -> None:
    asyncio.run(with_a_book("law"))
    told = run("summaries", "law", "on", "--json")
    [row] = json.loads(told.stdout)["documents"]
    assert (row["state"], row["model"], row["reason"]) == ("ready", "extractive", None)
    assert row["done"] > 1
    assert "law\t1 document, 1 searchable\twords alone\twith summaries\n" in run("list").stdout
    listed = CliRunner().invoke(cli, ["list", "-c", "law", "--json"])
    assert json.loads(listed.stdout)["documents"][0]["summaries"]["done"] == row["done"]
    assert run("summaries", "law", "on").stdout == "law has summaries: 0 made, of 0 documents.\n"
    assert run("summaries", "law", "retry").exit_code == 0
    assert run("summaries", "law", "off").stdout == "law has no summaries any more.\n"
    assert "with summaries" not in run("list").stdout


def test_summaries_that_fail_say_why_and_are_tried_again_when_told(monkeypatch: pytest.MonkeyPatch) -> None:
    asyncio.run(with_a_book("law"))
    for name, value in {"CHAT_MODEL": "small", "OPENAI_BASE_URL": "http://127.0.0.1:9", "OPENAI_API_KEY": "x"}.items():
        monkeypatch.setenv(name, value)
    told = run("summaries", "law", "on")
    assert told.exit_code == 1
    assert "book.md has no summaries:" in told.stderr
    assert "1 failed" in told.stdout
    listed = CliRunner().invoke(cli, ["list", "-c", "law"])
    assert "ready" in listed.stdout
    assert "book.md has no summaries:" in listed.stderr
    monkeypatch.delenv("CHAT_MODEL")
    assert run("summaries", "law", "retry").exit_code == 0
    listed = CliRunner().invoke(cli, ["list", "-c", "law"])
    assert "no summaries" not in listed.stderr
