"""`pincite jobs` as somebody uses it who looks after uploads: what waits, what failed and why, and one more try."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from pincite import Pincite
from pincite.cli.main import cli
from pincite.core.jobs import JobKind
from pincite.ingest.arrivals import Arrival


def pincite(*words: str) -> Result:
    return CliRunner().invoke(cli, words)


def upload(**files: bytes) -> None:
    """Receive files as the server does, to be read by workers."""

    async def receive() -> None:
        async with Pincite() as client:
            collection = await client.collection(create=True)
            for name, data in files.items():
                path = name.replace("_", ".")
                await client.services.ingestor.receive(collection, Arrival(path, path, data, is_queued=True))

    asyncio.run(receive())


def begin_the_first() -> None:
    """Take the job that is due next, as a worker does that is at it."""

    async def lease() -> None:
        async with Pincite() as client:
            assert await client.services.queue.lease([JobKind.INGEST], for_s=60)

    asyncio.run(lease())


def listed(*options: str) -> dict[str, dict[str, Any]]:
    return {job["path"]: job for job in json.loads(pincite("jobs", "--json", *options).stdout)["jobs"]}


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PINCITE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PINCITE_EMBEDDING", "none")


def test_what_is_being_done_comes_first_and_a_cut_list_says_so() -> None:
    upload(first_md=b"One.", second_md=b"Two.", third_md=b"Three.")
    begin_the_first()
    lines = pincite("jobs").output.splitlines()
    assert [line.split("\t")[0] for line in lines] == ["running", "queued", "queued"]
    assert "first.md" in lines[0]
    assert "pending" in lines[0]
    cut = pincite("jobs", "--limit", "2").output
    assert "There are more: the first 2 are shown." in cut
    assert "second.md" not in cut


def test_dead_letters_have_their_reasons_and_are_tried_again_by_name_or_all_at_once() -> None:
    upload(good_md=b"A pump.", empty_txt=b" ", bad_docx=b"PK\3\4 x", waiting_md=b"Later.")
    assert pincite("jobs", "cancel", "waiting.md").output == "cancelled\twaiting.md\n"
    assert pincite("worker", "--until-done").exit_code == 0
    failed = pincite("jobs", "--failed").output
    assert "failed\ttry 1\tempty.txt" in failed
    assert "The file is damaged" in failed
    assert "cancelled\ttry 0\twaiting.md" in failed
    assert "good.md" not in failed
    assert pincite("jobs", "retry", "waiting.md").output == "pending\twaiting.md\n"
    assert set(pincite("jobs", "retry", "--failed").output.splitlines()) == {"pending\tempty.txt", "pending\tbad.docx"}
    assert set(listed()) == {"waiting.md", "empty.txt", "bad.docx"}
    assert {job["attempt"] for job in listed().values()} == {2}
    assert pincite("worker", "--until-done", "--slots", "2").exit_code == 0
    assert set(listed("--failed")) == {"empty.txt", "bad.docx"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("retry",), "Name the documents"),
        (("retry", "good.md", "--failed"), "Name the documents"),
        (("retry", "nowhere.md"), "There is no document"),
        (("retry", "good.md"), "good.md is ready"),
        (("cancel", "good.md"), "good.md is not being read"),
    ],
)
def test_mistakes_are_said_with_what_to_do(words: tuple[str, ...], said: str) -> None:
    upload(good_md=b"A pump.")
    pincite("worker", "--until-done")
    done = pincite("jobs", *words)
    assert done.exit_code != 0
    assert said in done.output + str(done.exception)
