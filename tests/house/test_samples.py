"""The sample collection is small, licensed, and told of in SAMPLES.md."""

from pathlib import Path

import pytest

MAX_BYTES = 1_500_000


@pytest.fixture(scope="module")
def samples(package: Path) -> Path:
    return package / "samples"


def test_every_sample_and_licence_is_named_with_its_origin(samples: Path):
    page = (samples / "SAMPLES.md").read_text()
    files = [path.relative_to(samples) for path in samples.rglob("*") if path.is_file() and path.name != "SAMPLES.md"]
    assert len(files) >= 7
    assert [str(path) for path in files if f"`{path.name}`" not in page and f"`{path}`" not in page] == []


def test_the_samples_are_small(samples: Path):
    assert sum(path.stat().st_size for path in samples.rglob("*") if path.is_file()) < MAX_BYTES


def test_the_notice_names_every_sample(samples: Path, root: Path):
    notice = (root / "NOTICE").read_text()
    assert [path.name for path in (samples / "library").iterdir() if path.name not in notice] == []
