"""Nothing that belongs to one machine, one registry or one person is in a tracked file."""

import re
from pathlib import Path

import pytest

# The brackets keep each pattern from matching its own line here.
MACHINE_PATH = rb"(?<![\w.~$}*-])/(?:w[o]rk|f[a]rm|t[m]p|r[o]ot|h[o]me/\w+|U[s]ers/\w+)/"
REGISTRY_HOST = (
    rb"p[y]pi\.org|pytho[n]hosted\.org|registry\.np[m]js|registry\.ya[r]npkg|cr[a]tes\.io|d[e]b\.debian\.org"
    rb"|archive\.ubun[t]u\.com|proxy\.gola[n]g\.org|--(?:extra-)?ind[e]x-url|--find-lin[k]s"
)
SECRET = (
    rb"\bsk-(?:proj-|ant-)?[A-Za-z0-9_-]{24,}|\bAKIA[0-9A-Z]{16}\b|\bgh[pousr]_[A-Za-z0-9]{36}\b|\bxox[abprs]-[\w-]{10,}"
    rb"|\bAIza[\w-]{35}\b|-----BEGIN [A-Z ]*PRIVATE K[E]Y-----|\bpin_[0-9a-f]{8,}_[A-Za-z0-9]{20,}|://[^\s/:@\"'<>{}]+:[^\s/:@\"'<>{}]{4,}@"
)


@pytest.mark.parametrize(
    ("what", "pattern"),
    [("machine path", MACHINE_PATH), ("registry host", REGISTRY_HOST), ("secret", SECRET)],
    ids=lambda v: str(v)[:13],
)
def test_no_tracked_file_holds_a(what: str, pattern: bytes, tracked: list[Path], root: Path):
    found = [
        f"{what} in {path.relative_to(root)}:{number}: {line[:120].decode(errors='replace')}"
        for path in tracked
        if not _is_foreign(path)
        for number, line in enumerate(path.read_bytes().splitlines(), 1)
        if re.search(pattern, line)
    ]
    assert found == []


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (MACHINE_PATH, b"open('/" + b"tmp/x')"),
        (MACHINE_PATH, b"/" + b"home/ada/notes"),
        (REGISTRY_HOST, b"https://" + b"pypi" + b".org/simple"),
        (SECRET, b"key = 'sk-" + b"a1" * 20 + b"'"),
        (SECRET, b"postgresql://" + b"ada:lovelace" + b"@db/pincite"),
    ],
)
def test_the_patterns_find_what_they_look_for(pattern: bytes, text: bytes):
    assert re.search(pattern, text)


@pytest.mark.parametrize("text", [b"https://example.org/work/page", b"./tmp/x", b"src/root/x", b"/v1/models", b"tests/home/x/y"])
def test_the_path_pattern_leaves_other_paths_alone(text: bytes):
    assert not re.search(MACHINE_PATH, text)


def _is_foreign(path: Path) -> bool:
    """Sample documents and licence texts are others' words; binary files have no lines."""
    return ("samples" in path.parts and path.suffix != ".py") or b"\0" in path.read_bytes()[:8192]
