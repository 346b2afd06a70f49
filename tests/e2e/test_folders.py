"""Folders in step as a person has it: real processes, a real store, words alone."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from pincite.client import Pincite
from pincite.settings import load_settings

FILES = 40


def environment(home: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PINCITE_", "CHAT_", "OPENAI_"))}
    return kept | {"PINCITE_HOME": str(home), "PINCITE_EMBEDDING": "none"}


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "pincite", *arguments]


def run_json(home: Path, *arguments: str, code: int = 0) -> Any:
    done = subprocess.run(
        command(*arguments, "--json"), capture_output=True, text=True, env=environment(home), timeout=120, check=False
    )
    assert done.returncode == code, done.stderr
    return json.loads(done.stdout)


def write(folder: Path) -> None:
    for n in range(FILES):
        (folder / str(n % 4)).mkdir(parents=True, exist_ok=True)
        (folder / str(n % 4) / f"{n}.txt").write_text(f"Letter number{n} says that the rent is {n} euros.\n")


def test_a_run_that_is_killed_goes_on_the_next_time_and_then_touches_exactly_what_changed(tmp_path: Path) -> None:
    home, folder = tmp_path / "home", tmp_path / "letters"
    write(folder)
    with subprocess.Popen(command("sync", str(folder)), stdout=subprocess.PIPE, text=True, env=environment(home)) as process:
        assert process.stdout
        told = [process.stdout.readline().split()[1] for _ in range(5)]
        process.send_signal(signal.SIGKILL)
    report = run_json(home, "sync", str(folder))
    assert report["unchanged"] + len(report["added"]) == FILES
    assert report["unchanged"] >= len(told)
    assert not {item["path"] for item in report["added"]} & set(told)
    before = {item["path"]: item for item in run_json(home, "list")["documents"]}
    assert {item["stage"] for item in before.values()} == {"ready"}
    assert run_json(home, "search", "number17")["hits"][0]["source"] == "17.txt"

    (folder / "0/0.txt").write_text("Letter number0 says something else.\n")
    (folder / "1/1.txt").rename(folder / "2/one.txt")
    (folder / "3/3.txt").unlink()
    changed = run_json(home, "sync", str(folder))
    counts = {kind: len(changed[kind]) for kind in ("added", "updated", "moved", "removed", "failed")}
    assert counts == {"added": 0, "updated": 1, "moved": 1, "removed": 1, "failed": 0}
    after = {item["path"]: item for item in run_json(home, "list")["documents"]}
    assert sum(after.get(path) == item for path, item in before.items()) == FILES - 3
    assert after["letters/2/one.txt"]["document_id"] == before["letters/1/1.txt"]["document_id"]
    assert run_json(home, "search", "number3")["hits"] == []


def test_a_folder_that_is_missing_or_empty_changes_nothing(tmp_path: Path) -> None:
    home, folder = tmp_path / "home", tmp_path / "letters"
    write(folder)
    run_json(home, "sync", str(folder))
    folder.rename(tmp_path / "away")
    assert run_json(home, "sync", str(folder), code=3)["error"]["code"] == "not_found"
    folder.mkdir()
    assert run_json(home, "sync", str(folder), code=2)["error"]["code"] == "prune_unsure"
    assert len(run_json(home, "list")["documents"]) == FILES
    assert len(run_json(home, "sync", str(folder), "--yes")["removed"]) == FILES


async def test_searches_during_updates_see_one_version_and_never_none(tmp_path: Path) -> None:
    folder = tmp_path / "letters"
    folder.mkdir()
    letter = folder / "letter.md"

    def edition(number: int) -> None:
        letter.write_text("".join(f"# Part {part}\n\nThe rent of edition{number} is due.\n\n" for part in range(5)))

    edition(0)
    async with Pincite(settings=replace(load_settings(home=str(tmp_path / "home")), embedding="none")) as client:
        await client.sync_folders(folder)
        seen: list[set[str]] = []

        async def search() -> None:
            found = await client.search("When is the rent due?", limit=10)
            seen.append({passage.version_id for source in found for passage in source.passages})

        for number in range(1, 15):
            edition(number)
            await asyncio.gather(client.sync_folders(folder), search(), search(), search())
    assert [len(versions) for versions in seen] == [1] * len(seen)
    assert len({version for versions in seen for version in versions}) > 1
