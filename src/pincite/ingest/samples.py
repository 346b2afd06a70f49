"""The sample collection: a few openly licensed documents that come with Pincite."""

from pathlib import Path

SAMPLE_COLLECTION = "samples"


def sample_files() -> list[Path]:
    """Return the documents of the sample collection, without its licence notes."""
    folder = Path(__file__).parent.parent / "samples" / "library"
    return sorted(folder.iterdir())
