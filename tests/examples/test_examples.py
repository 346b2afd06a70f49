"""Runs every file of `examples/`, and checks that the documentation shows nothing else."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
EXAMPLES = ROOT / "examples"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]

EXPECTED = {
    "library.py": ["Christopher Latham Sholes", "1868", "page 1:", "[1]"],
    "streaming.py": ["sources", "data corruption", "citations"],
    "folders.py": ["contracts/Cedar.md", "updated  contracts/Acme.md", "moved contracts/Birch.md contracts/Birch, ended.md", "2"],
    "receipts.py": [
        "() How much is the rent?",
        "() None True",
        "isn't what was signed",
        "changed The rent is 1,200",
        "→ The rent is 1,350",
    ],
    "own_retriever.py": ["thirty days", "[1]", "https://example.org/handbook.pdf#page=7"],
    "own_prompt.py": ["24 months", "['terms.pdf', 'returns.html']", "{context}"],
}


def run(name: str, home: Path, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / name)],
        capture_output=True,
        text=True,
        env=os.environ | {"PINCITE_HOME": str(home)} | environment,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_the_example_prints_what_it_promises(name: str, tmp_path: Path) -> None:
    output = run(name, tmp_path)
    for part in EXPECTED[name]:
        assert part in output


def test_every_example_is_run() -> None:
    assert {path.name for path in EXAMPLES.glob("*.py")} == {*EXPECTED, "openai_compatible.py"}


def test_every_python_snippet_of_the_documentation_is_an_example() -> None:
    files = {path.name: path.read_text(encoding="utf-8") for path in EXAMPLES.glob("*.py")}
    for page in PAGES:
        for snippet in re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL):
            assert snippet in files.values(), f"{page.name} shows code that no example holds:\n{snippet}"
