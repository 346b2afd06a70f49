"""Where an installation keeps what it keeps."""

from pathlib import Path

from pincite.core.errors import StoreError
from pincite.settings import Settings

BLOBS = "blobs"


def home_of(settings: Settings) -> Path:
    """Return the home folder, made where it isn't there. Raises `StoreError` when it can't be used."""
    home = settings.home_path
    try:
        home.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"The folder {home} can't be used ({error.strerror}). Set PINCITE_HOME to one that can.", code="home"
        ) from error
    return home
