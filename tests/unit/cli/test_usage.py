"""`pincite usage`: the sums of what was used, from a day on."""

import asyncio
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pincite.cli.main import cli
from pincite.client import Pincite


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PINCITE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PINCITE_EMBEDDING", "none")


async def used() -> None:
    async with Pincite() as client:
        await client.add_text("Notice is sixty days.", path="notice.md")
        await client.ask("How long is notice?")


def run(*words: str) -> Result:
    return CliRunner().invoke(cli, ["usage", *words])


def test_sums_are_by_kind_and_model() -> None:
    assert "Nothing was used." in run().stderr
    asyncio.run(used())
    told = json.loads(run("--json").stdout)
    assert told["balance"] == 0
    assert [(each["kind"], each["model"], each["rows"]) for each in told["usage"]] == [
        ("chat", "extractive", 1),
        ("embedding", "", 1),
    ]
    assert "embedding\twords alone\t1 times" in run().stdout


def test_the_day_to_count_from_is_a_day() -> None:
    asyncio.run(used())
    assert json.loads(run("--json", "--since", "2999-01-01").stdout)["usage"] == []
    assert run("--since", "soon").exit_code == 2


def test_no_usage_is_kept_where_that_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PINCITE_PRICING", "off")
    asyncio.run(used())
    assert json.loads(run("--json").stdout)["usage"] == []
