"""A model provider that is set up wrongly: one line that says what to do, exit code 5 or 2, and no trace. Real processes."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Generator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
QUESTION = "How long is the notice period?"
KEY = "sk-FAKE-CANARY-0123456789"
ERROR = json.dumps({"error": {"message": f"provider-words {KEY}"}}).encode()


class Handler(BaseHTTPRequestHandler):
    """Answers by the first part of the address: `/401/v1/…` gets a 401, `/page/…` a web page."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("content-length", 0)))
        kind = self.path.split("/")[1]
        media_type, body = ("text/html", b"<h1>Hello</h1>") if kind == "page" else ("application/json", ERROR)
        self.send_response(200 if kind == "page" else int(kind))
        self.send_header("content-type", media_type)
        if kind == "307":
            self.send_header("location", "/page/v1/chat/completions")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def provider() -> Generator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def run(home: Path, *command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PINCITE_", "CHAT_", "OPENAI_"))}
    settings = {"PINCITE_HOME": str(home), "PINCITE_EMBEDDING": "none", "CHAT_MODEL": "m", "OPENAI_API_KEY": KEY}
    return subprocess.run(
        [sys.executable, *command], capture_output=True, text=True, env=kept | settings | environment, timeout=60, check=False
    )


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("home")
    file = folder / "handbook.md"
    file.write_text("# Leave\n\nThe notice period is sixty days.\n", encoding="utf-8")
    assert run(folder, "-m", "pincite", "add", str(file)).returncode == 0
    return folder


FAULTS = {
    "nobody there": ("http://127.0.0.1:9/v1", 5, "No chat provider can be reached at http://127.0.0.1:9/v1"),
    "a wrong key": ("{}/401/v1", 5, "Check OPENAI_API_KEY"),
    "an unknown model": ("{}/404/v1", 5, "Check CHAT_MODEL"),
    "no credit": ("{}/402/v1", 5, "no credit"),
    "an address that moved": ("{}/307/v1", 5, "sends requests on to another address"),
    "a web page": ("{}/page", 5, "doesn't speak the OpenAI protocol"),
    "an address without a scheme": ("127.0.0.1:11434/v1", 2, "begins with http://"),
    "an address that is none": ("http://[::1", 2, "begins with http://"),
    "another scheme": ("ftp://127.0.0.1/v1", 2, "begins with http://"),
}


def assert_one_line(done: subprocess.CompletedProcess[str], code: int, advice: str) -> None:
    assert done.returncode == code, done.stderr
    assert advice in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not any(word in done.stderr + done.stdout for word in ("Traceback", KEY, "provider-words"))


@pytest.mark.parametrize("fault", FAULTS)
def test_a_provider_that_is_set_up_wrongly_is_named_in_one_line(home: Path, provider: str, fault: str) -> None:
    address, code, advice = FAULTS[fault]
    done = run(home, "-m", "pincite", "ask", QUESTION, OPENAI_BASE_URL=address.format(provider))
    assert_one_line(done, code, advice)


@pytest.mark.parametrize("key", ["sk-“quoted”-0123456789", "sk-two\nlines-0123456789"])
def test_a_key_that_cannot_be_sent_is_named_in_one_line(home: Path, provider: str, key: str) -> None:
    done = run(home, "-m", "pincite", "ask", QUESTION, OPENAI_BASE_URL=f"{provider}/401/v1", OPENAI_API_KEY=key)
    assert_one_line(done, 2, "OPENAI_API_KEY")


def test_openai_itself_needs_a_key(home: Path) -> None:
    assert_one_line(run(home, "-m", "pincite", "ask", QUESTION, OPENAI_API_KEY=""), 2, "Set OPENAI_API_KEY")


def test_json_tells_the_same_with_a_code(home: Path, provider: str) -> None:
    done = run(home, "-m", "pincite", "ask", QUESTION, "--json", OPENAI_BASE_URL=f"{provider}/401/v1")
    error = json.loads(done.stdout)["error"]
    assert (done.returncode, error["code"], error["retryable"]) == (5, "provider_key", False)


def test_the_example_says_what_to_do_when_nobody_is_there(home: Path) -> None:
    done = run(home, str(ROOT / "examples" / "openai_compatible.py"), OPENAI_BASE_URL="http://127.0.0.1:9/v1")
    assert_one_line(done, 1, "Start it, or set OPENAI_BASE_URL")
