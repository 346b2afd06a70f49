"""The library's face: what it refuses, and what it says when an error stops it. Words alone, without models."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pincite.client import Pincite, SyncPincite
from pincite.core.answers import Verdict
from pincite.core.errors import NotFoundError, UsageError
from pincite.core.policies import Policy
from pincite.settings import load_settings


@pytest.fixture
def client(tmp_path: Path) -> Iterator[SyncPincite]:
    settings = replace(load_settings(home=str(tmp_path / "home")), embedding="none")
    with Pincite.sync(settings=settings) as opened:
        yield opened


def test_a_closed_client_says_so_and_leaves_nothing_unawaited(client: SyncPincite) -> None:
    client.close()
    with pytest.raises(UsageError, match="closed"):
        client.documents()
    with pytest.raises(UsageError, match="closed"):
        client.add("x")
    with pytest.raises(UsageError, match="closed"):
        list(client.stream("What is the term?"))
    client.close()


@pytest.mark.parametrize("limit", [0, -1, 101])
def test_a_limit_out_of_range_is_refused(client: SyncPincite, limit: int) -> None:
    with pytest.raises(UsageError, match="limit"):
        client.search("term", limit=limit)
    with pytest.raises(UsageError, match="limit"):
        client.ask("What is the term?", limit=limit)


def test_an_unknown_strategy_is_refused(client: SyncPincite) -> None:
    with pytest.raises(UsageError, match="hybrid, dense, lexical"):
        client.search("term", strategy="magic")
    with pytest.raises(UsageError, match="magic"):
        list(client.stream("What is the term?", strategy="magic"))


def test_an_empty_path_is_not_the_folder_one_is_in(client: SyncPincite) -> None:
    with pytest.raises(UsageError, match="empty"):
        client.add("")


@pytest.mark.parametrize("path", ["", "../x.md"])
def test_a_text_needs_a_path(client: SyncPincite, path: str) -> None:
    with pytest.raises(UsageError):
        client.add_text("The term is two years.", path=path)


def test_lone_surrogates_in_a_text_are_replaced(client: SyncPincite) -> None:
    assert client.add_text("The term \ud800 is two years.", path="a.md", title="T\ud800\x1b[1m").reason is None
    (document,) = client.documents()
    assert document.title == "T\ufffd[1m"
    assert client.find("a.md", "term \ufffd is")


def test_removing_a_file_of_another_folder_removes_nothing(client: SyncPincite) -> None:
    client.add_text("The fee is ten.", path="docs/fees.html")
    with pytest.raises(NotFoundError, match="no document"):
        client.remove("/another/folder/fees.html")
    assert client.remove("docs/fees.html").path == "docs/fees.html"


def test_outcomes_are_heard_one_by_one(client: SyncPincite, tmp_path: Path) -> None:
    files = [tmp_path / "a.md", tmp_path / "b.md"]
    for file in files:
        file.write_text("The term is two years.\n")
    heard: list[str] = []
    client.add(*files, on_added=lambda added: heard.append(added.source))
    assert sorted(heard) == [str(file) for file in files]


def test_doctor_names_documents_that_are_not_finished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from click.testing import CliRunner

    from pincite.cli.main import cli
    from pincite.ingest.arrivals import Arrival

    monkeypatch.setenv("PINCITE_HOME", str(tmp_path))
    monkeypatch.setenv("PINCITE_EMBEDDING", "none")

    async def receive() -> None:
        async with Pincite() as client:
            collection = await client.collection(create=True)
            await client.services.ingestor.receive(collection, Arrival("half.md", "half.md", b"The term is two years."))

    asyncio.run(receive())
    printed = CliRunner().invoke(cli, ["doctor"]).output
    assert "1 not finished: half.md (in default). Add these files again to continue." in printed


def test_a_policy_is_that_of_the_collection_and_unknown_ones_are_refused(client: SyncPincite) -> None:
    assert client.use_policy("strict").policy is Policy.STRICT
    client.add_text("The notice period is sixty days.", path="notice.md")
    answer = client.ask("How long is the notice period?")
    assert (answer.policy, answer.withheld, answer.answered) == (Policy.STRICT, 0, True)
    assert client.use_policy(Policy.OFF).policy is Policy.OFF
    assert client.ask("How long is the notice period?").claims[0].verdict is Verdict.NOT_CHECKED
    with pytest.raises(UsageError, match="flag, strict, off"):
        client.use_policy("loose")
