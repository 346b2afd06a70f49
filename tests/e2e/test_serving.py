"""`pincite serve` as a person starts it: what it prints can be pasted, a taken port is said in a sentence, Ctrl-C ends it."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pincite.server.run import listen


def environment(home: Path, **more: str) -> dict[str, str]:
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("PINCITE_", "CHAT_", "OPENAI_"))}
    return plain | {"PINCITE_HOME": str(home), "PINCITE_EMBEDDING": "none"} | more


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def start(home: Path, *options: str, **more: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "pincite", "serve", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(home, **more),
    )


@contextmanager
def serving(home: Path, *options: str, **more: str) -> Generator[str]:
    """Serve while the block runs and give what was printed; then end as Ctrl-C does, and check that this was clean."""
    process = start(home, "--port", str(free_port()), *options, **more)
    try:
        assert process.stdout
        printed: list[str] = []
        while not ("curl" in "".join(printed) and printed[-1].endswith("\n") and "-d '" in printed[-1]):
            line = process.stdout.readline()
            assert line, process.communicate()[1]
            printed.append(line)
        yield "".join(printed)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
        assert (process.returncode, "Traceback" in errors) == (0, False), errors
    finally:
        process.kill()
        process.communicate()


def pasted(home: Path, printed: str) -> str:
    """Paste the indented lines into a shell, the token alone left out, and return what it prints."""
    lines = [line for line in printed.splitlines() if line.startswith("  ") and not line.startswith("  pin_")]
    done = subprocess.run(
        ["sh", "-c", "\n".join(lines)], capture_output=True, text=True, env=environment(home), timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def cited(events: str) -> list[str]:
    """Return the quotes of the answer in an event stream."""
    name, data = events.strip().split("\n\n")[-1].split("\n")
    assert name == "event: done"
    return [quote["text"] for citation in json.loads(data.removeprefix("data: "))["citations"] for quote in citation["quotes"]]


@pytest.mark.skipif(not shutil.which("curl"), reason="curl is not installed")
def test_the_printed_line_gets_a_cited_answer_at_the_first_start_and_later(tmp_path: Path) -> None:
    with serving(tmp_path) as first:
        [token] = set(re.findall(r"pin_\w+[\w-]*", first))
        assert any("fsync" in quote or "corruption" in quote for quote in cited(pasted(tmp_path, first)))
    assert token.encode() not in (tmp_path / "pincite.db").read_bytes()
    with serving(tmp_path) as second:
        assert "pin_" not in second
        assert cited(pasted(tmp_path, second)) == cited(pasted(tmp_path, second)) != []


def test_a_taken_port_is_said_in_one_sentence(tmp_path: Path) -> None:
    with listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        done = start(tmp_path, "--port", str(port))
        printed, errors = done.communicate(timeout=30)
    assert (done.returncode, printed) == (2, "")
    assert errors.startswith(f"Error: Port {port} is taken")
    assert errors.count("\n") == 1
    assert not (tmp_path / "pincite.db").exists()


@pytest.mark.parametrize("host", ["192.0.2.1", "no-such-host.invalid"])
def test_an_address_of_another_machine_is_said_in_one_sentence(tmp_path: Path, host: str) -> None:
    done = start(tmp_path, "--host", host)
    _, errors = done.communicate(timeout=30)
    assert (done.returncode, errors.count("\n")) == (2, 1)
    assert f"{host} is no address of this machine" in errors


def test_a_first_start_that_was_stopped_begins_anew_and_loses_no_token(tmp_path: Path) -> None:
    process = start(tmp_path, "--port", str(free_port()))
    assert process.stderr
    assert "Loading the sample collection" in process.stderr.readline()
    process.send_signal(signal.SIGINT)
    printed, errors = process.communicate(timeout=30)
    assert (process.returncode, "Traceback" in errors) == (130, False)
    with serving(tmp_path) as again:
        assert "pin_" in printed + again
        assert "collection_id" in again


def test_another_embedding_model_doesnt_keep_the_server_from_starting(tmp_path: Path) -> None:
    with serving(tmp_path, "--no-samples"):
        pass
    with serving(tmp_path, PINCITE_EMBEDDING=str(tmp_path / "no-such-model")) as printed:
        assert "collection_id" not in printed


def test_several_processes_serve_one_address(tmp_path: Path) -> None:
    with serving(tmp_path, "--workers", "2", "--no-samples") as printed:
        address = re.findall(r"http://[\d.:]+", printed)[0]
        done = subprocess.run(["curl", "-s", f"{address}/api/ready"], capture_output=True, text=True, timeout=60, check=False)
        assert json.loads(done.stdout) == {"status": "ok"}


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_signal_in_a_destructor_before_the_server_runs_ends_it(tmp_path: Path, name: str) -> None:
    """Python drops what is raised in a destructor, `KeyboardInterrupt` too: one came there once, and the server went on."""
    program = f"""
import signal
from pincite.server.run import listen, serve

class Dropped:
    def __del__(self):
        signal.raise_signal(signal.{name})

serve([listen("127.0.0.1", 0)], say=lambda: Dropped() and None)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=environment(tmp_path), timeout=60, check=False
    )
    assert done.returncode == -signal.Signals[name], done.stderr
    assert "Dropped" not in done.stderr
