"""Checking receipts: that needs no installation."""

from pathlib import Path

from pincite.answering.receipt_checks import MOST_BYTES, CheckedReceipt
from pincite.bootstrap import receipt_checks
from pincite.core.errors import NotFoundError, RefusedInput
from pincite.ingest.naming import printable
from pincite.settings import Settings, load_settings


def check_receipt(
    receipt: bytes | str | Path, *, key: str = "", previous: CheckedReceipt | None = None, settings: Settings | None = None
) -> CheckedReceipt:
    """Check a receipt of any installation, given as bytes or as a file, without asking anybody.

    Form, signature, contents, place in the chain, and time stamp are looked at; what is wrong stands in `faults`. `key` (hex) is
    the one that it must be signed with: without it, that is whatever key it brings. `previous` is the receipt before it, checked.
    Raises `NotFoundError`, and `RefusedInput` for what is no receipt (`no_receipt`) or one of a newer version (`newer_receipt`).
    """
    data = receipt if isinstance(receipt, bytes) else _read(Path(receipt))
    return receipt_checks(settings or load_settings()).check(data, key=key, previous=previous)


def _read(file: Path) -> bytes:
    name = printable(str(file))
    try:
        with file.open("rb") as opened:
            return opened.read(MOST_BYTES + 1)
    except FileNotFoundError as error:
        raise NotFoundError(f"There is no file {name}.") from error
    except OSError as error:
        raise RefusedInput(f"{name} can't be read ({error.strerror}).", code="no_receipt") from error
