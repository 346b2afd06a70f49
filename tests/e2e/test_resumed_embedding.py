"""A process killed while it waits for its embedding provider: the next one reads nothing again and asks for no stored vector."""

import json
import subprocess
import threading
from collections.abc import Generator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from tests.e2e.crash_checks import PINCITE, assert_sound, environment

from pincite import Pincite

PARTS = 120
SIZE = 8


class Provider(ThreadingHTTPServer):
    """Embeds, keeps what it was asked for in order, and answers no more once `most` texts were answered."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answering)
        self.answered: list[str] = []
        self.unanswered: list[str] = []
        self.most = PARTS
        self.waits, self.goes_on = threading.Event(), threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class Answering(BaseHTTPRequestHandler):
    server: Provider  # pyright: ignore[reportIncompatibleVariableOverride] (the base class doesn't know whose it is)

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        texts: list[str] = [asked["input"]] if isinstance(asked["input"], str) else asked["input"]
        parts = [text for text in texts if "Part" in text]
        if parts and len(self.server.answered) >= self.server.most:
            self.server.unanswered += parts
            self.server.waits.set()
            self.server.goes_on.wait()
            return
        self.server.answered += parts
        rows = [{"object": "embedding", "index": n, "embedding": vector_of(text)} for n, text in enumerate(texts)]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        body = json.dumps({"object": "list", "model": asked["model"], "data": rows, "usage": usage}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def vector_of(text: str) -> list[float]:
    return [float(1 + (len(text) * 7 + sum(text.encode()) * (n + 1)) % 97) for n in range(SIZE)]


@pytest.fixture
def provider() -> Generator[Provider]:
    with Provider() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.goes_on.set()
        server.shutdown()
        thread.join()


def adding(home: Path, file: Path, provider: Provider) -> subprocess.Popen[str]:
    own = {"PINCITE_EMBEDDING": "openai:m", "OPENAI_BASE_URL": provider.url, "OPENAI_API_KEY": "none"}
    return subprocess.Popen([*PINCITE, "add", str(file)], env=environment(home, **own), stdout=subprocess.PIPE, text=True)


@pytest.mark.parametrize("stored", [0, 1, 64])
def test_after_a_kill_only_what_has_no_vector_is_asked_for(stored: int, provider: Provider, tmp_path: Path) -> None:
    home, file = tmp_path / "home", tmp_path / "book.md"
    file.write_text("".join(f"# Part {n}\n\nPart {n} says what holds for number {n}.\n\n" for n in range(PARTS)))
    provider.most = stored
    killed = adding(home, file, provider)
    assert provider.waits.wait(60)
    found = found_by_words(home)
    killed.kill()
    killed.communicate()
    before = list(provider.answered)
    provider.most = PARTS
    done = adding(home, file, provider)
    assert done.communicate(timeout=120)[0].startswith("ready ")
    assert_sound(home, [file])
    assert found == {f"Part {n}" for n in range(10)}  # searched by its words while the provider was silent
    assert not set(before) & set(provider.answered[len(before) :])
    assert len(provider.answered) == len(set(provider.answered)) == PARTS
    assert len(before) >= stored


def found_by_words(home: Path) -> set[str]:
    with Pincite.sync(home) as client:
        asked = (f"Part {n} says what holds for number {n}" for n in range(10))
        return {client.search(text, strategy="lexical")[0].best.text.partition("\n")[0] for text in asked}
