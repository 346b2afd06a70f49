"""Receipts as a person uses them: handed out, checked elsewhere, compared with documents that changed meanwhile."""

import json
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.test_command_line import run

from pincite.client import Pincite
from pincite.settings import load_settings

LEASE = "# Lease\n\nThe notice period is sixty days. The rent is 1,200 euros a month.\n\nPets are allowed in the garden.\n"
WORDS = {"PINCITE_EMBEDDING": "none"}


def pincite(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return run(home, *arguments, **WORDS)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "lease.md").write_text(LEASE)
    assert pincite(tmp_path / "home", "add", str(tmp_path / "lease.md")).returncode == 0
    return tmp_path / "home"


def asked(home: Path, question: str) -> Path:
    """Ask, and return the file with the receipt."""
    answer = json.loads(pincite(home, "ask", question, "--json").stdout)
    file = home.parent / f"{answer['message_id']}.json"
    assert pincite(home, "receipt", answer["message_id"], "-o", str(file)).returncode == 0
    return file


def verified(home: Path, *arguments: str) -> tuple[int, list[dict[str, Any]]]:
    done = pincite(home, "verify", *arguments, "--json")
    return done.returncode, json.loads(done.stdout)["receipts"]


def test_a_receipt_goes_from_one_installation_to_another(home: Path, tmp_path: Path) -> None:
    first, second = asked(home, "How long is the notice period?"), asked(home, "What is the rent?")
    elsewhere = tmp_path / "elsewhere"
    key = pincite(home, "key").stdout.strip()
    code, found = verified(elsewhere, str(first), str(second), "--key", key)
    assert (code, [each["verified"] for each in found], found[1]["follows"]) == (0, [True, True], found[0]["receipt_id"])
    assert found[0]["opened"]["question"] == "How long is the notice period?"
    assert not elsewhere.exists()
    code, found = verified(elsewhere, str(first), "--key", "00" * 32)
    assert (code, found[0]["faults"][0]["code"]) == (4, "key")
    told = pincite(elsewhere, "verify", str(first))
    assert told.stdout.startswith(f"verified  {first.name}: receipt 1, ")
    assert "compare it with what `pincite key` prints" in told.stderr


def test_without_an_id_the_last_answer_is_meant_and_what_is_withheld_is_not_shown(home: Path) -> None:
    last = asked(home, "What is the rent?")
    assert pincite(home, "receipt").stdout == last.read_text()
    shown = pincite(home, "receipt", "--withhold", "1", "--withhold", "question").stdout
    assert "1,200" not in shown
    assert "What is the rent" not in shown
    assert pincite(home, "receipt", "--withhold", "9").returncode == 2
    assert pincite(home, "receipt", "nothing").returncode == 3


def test_each_quote_is_told_by_what_became_of_it(home: Path, tmp_path: Path) -> None:
    rent, pets = asked(home, "What is the rent?"), asked(home, "Are pets allowed?")
    assert verified(home, str(rent))[0] == 0
    (tmp_path / "lease.md").write_text("# Lease\n\nSigned in May.\n" + LEASE.replace("1,200", "1,300")[8:])
    assert pincite(home, "add", str(tmp_path / "lease.md")).returncode == 0
    code, [changed, unchanged] = verified(home, str(rent), str(pets))
    assert (code, changed["quotes"][0]["standing"], unchanged["quotes"][0]["standing"]) == (1, "changed", "unchanged")
    assert changed["quotes"][0]["then"]["text"] == "The rent is 1,200 euros a month."
    assert changed["quotes"][0]["now"]["text"] == "The rent is 1,300 euros a month."
    told = pincite(home, "verify", str(rent)).stdout
    assert "was: “The rent is 1,200 euros a month.”" in told
    assert "now: “The rent is 1,300 euros a month.”" in told
    assert verified(home, str(rent), "--offline")[0] == 0
    drifted = pincite(home, "drift", "--json")
    assert drifted.returncode == 1
    assert [each["question"] for each in json.loads(drifted.stdout)["drifted"]] == ["What is the rent?"]

    assert pincite(home, "remove", "lease.md").returncode == 0
    assert [each["quotes"][0]["standing"] for each in verified(home, str(rent), str(pets))[1]] == ["gone", "gone"]
    assert pincite(home, "erase", "lease.md", "--yes").returncode == 0
    code, found = verified(home, str(rent), str(pets))
    assert (code, [each["quotes"][0]["standing"] for each in found]) == (1, ["erased", "erased"])
    assert [each["verified"] for each in found] == [True, True]


def test_a_changed_receipt_ends_with_4_and_says_what_is_wrong(home: Path, tmp_path: Path) -> None:
    file = asked(home, "What is the rent?")
    changed = tmp_path / "changed.json"
    changed.write_text(file.read_text().replace("1,200", "1,300"))
    assert verified(home, str(changed))[0] == 4
    assert "isn't what was signed" in pincite(home, "verify", str(changed)).stdout
    changed.write_text("[]")
    assert "no receipt" in pincite(home, "verify", str(changed)).stdout
    assert verified(home, str(tmp_path / "missing.json"))[0] == 3


def test_a_store_that_cannot_be_used_keeps_nobody_from_checking(home: Path, tmp_path: Path) -> None:
    file = asked(home, "What is the rent?")
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "pincite.db").write_text("no database")
    (broken / "key").write_text(pincite(home, "key").stdout)
    done = pincite(broken, "verify", str(file), "--key", str(broken / "key"))
    assert (done.returncode, done.stdout.startswith("verified")) == (0, True)
    assert "were not compared" in done.stderr


def test_answers_of_processes_that_ask_at_once_stand_in_one_chain(home: Path, tmp_path: Path) -> None:
    assert pincite(home, "ask", "What is the rent?").returncode == 0
    script = "import sys; from tests.e2e.test_receipts import ask_often; ask_often(sys.argv[1])"
    asking = [
        subprocess.Popen(
            [sys.executable, "-c", script, str(home)],
            cwd=Path(__file__).resolve().parents[2],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    for each in asking:
        assert each.stdout is not None
        assert each.stdout.readline() == "ready\n"
    ids = [message for each in asking for message in each.communicate("go\n")[0].split()]
    assert all(each.returncode == 0 for each in asking)
    files: list[str] = []
    with Pincite.sync(settings=load_settings({}, home=str(home), embedding="none")) as client:
        for message_id in ids:
            files.append(str(tmp_path / f"{message_id}.json"))
            Path(files[-1]).write_bytes(client.receipt(message_id))
    code, found = verified(tmp_path / "elsewhere", *files)
    assert code == 0
    assert sorted(each["number"] for each in found) == list(range(2, 17))
    assert sum(bool(each["follows"]) for each in found) == 14


def ask_often(home: str) -> None:
    """Ask five times, from the moment that a line comes in."""
    with Pincite.sync(settings=load_settings({}, home=home, embedding="none")) as client:
        client.documents()
        print("ready", flush=True)
        input()
        for _ in range(5):
            print(client.ask("What is the rent?").message_id)


def test_a_lost_key_is_told_and_a_restored_one_goes_on(home: Path, tmp_path: Path) -> None:
    asked(home, "What is the rent?")
    key = pincite(home, "key").stdout
    assert pincite(home, "backup", str(tmp_path / "backup.tar")).returncode == 0
    (home / "receipts.key").unlink()
    answered = pincite(home, "ask", "What is the rent?", "--json")
    assert json.loads(answered.stdout)["answered"]
    assert "kept without its receipt" in answered.stderr
    message_id = json.loads(answered.stdout)["message_id"]
    refused = pincite(home, "receipt", message_id)
    assert (refused.returncode, "is gone" in refused.stderr) == (2, True)
    doctor = pincite(home, "doctor", "--json")
    assert [each["state"] for each in json.loads(doctor.stdout)["findings"] if each["check"] == "key"] == ["failed"]

    other = tmp_path / "other"
    assert pincite(other, "restore", str(tmp_path / "backup.tar")).returncode == 0
    assert pincite(other, "key").stdout == key
    assert (other / "receipts.key").stat().st_mode & 0o777 == 0o600

    assert pincite(home, "key", "--new").returncode == 0
    assert pincite(home, "receipt", message_id).returncode == 0
    assert pincite(home, "doctor", "--deep").returncode == 0


def test_a_receipt_that_was_changed_in_the_store_is_named_by_the_doctor(home: Path) -> None:
    asked(home, "What is the rent?")
    asked(home, "Are pets allowed?")
    with sqlite3.connect(home / "pincite.db") as connection:
        connection.execute("UPDATE receipts SET statement = replace(statement, 'extractive', 'another') WHERE number = 1")
    connection.close()
    done = pincite(home, "doctor", "--deep", "--json")
    [found] = [each for each in json.loads(done.stdout)["findings"] if each["check"] == "receipts"]
    assert found["state"] == "failed"
    assert "2 receipts have changed" in found["message"]
