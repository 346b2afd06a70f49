"""A process killed while it waits for its embedding provider: the next one reads nothing again and asks for no stored vector."""

import subprocess
import threading
from collections.abc import Generator
from pathlib import Path

import pytest
from tests.e2e.crash_checks import PINCITE, assert_sound, environment
from tests.e2e.embedding_provider import Provider

from pincite import Pincite

PARTS = 120


@pytest.fixture
def provider() -> Generator[Provider]:
    with Provider(most=PARTS) as server:
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
