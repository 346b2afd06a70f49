"""What signs receipts, and what checks them."""

from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from pincite.answering.issuing import Receipts
from pincite.answering.receipt_checks import ReceiptChecks
from pincite.bootstrap.home import home_of
from pincite.core.ids import WorkspaceId
from pincite.core.ports.store import Store
from pincite.settings import Settings
from pincite.upkeep.manifest import RECEIPT_KEY

if TYPE_CHECKING:
    from pincite.adapters.signing.ed25519 import KeyFile


def receipt_key(settings: Settings) -> "KeyFile":
    """Build what holds the key with which this instance signs. Raises `StoreError` without a usable home."""
    from pincite.adapters.signing.ed25519 import KeyFile

    return KeyFile(home_of(settings) / RECEIPT_KEY)


def receipts_of(settings: Settings, store: Store, workspace_id: WorkspaceId) -> Receipts:
    """Build what issues receipts."""
    from pincite.adapters.signing.time_stamps import Authority

    url = settings.timestamp_url
    stamping = Authority(url, settings.timestamp_timeout_s, _roots(settings.timestamp_roots)) if url else None
    return Receipts(store, workspace_id, receipt_key(settings), f"pincite {version('pincite')}", stamping)


def receipt_checks(settings: Settings) -> ReceiptChecks:
    """Build what checks receipts of any instance: it needs neither a home nor a key."""
    from pincite.adapters.signing.ed25519 import check_signature
    from pincite.adapters.signing.time_stamps import StampCheck

    return ReceiptChecks(check_signature, StampCheck(_roots(settings.timestamp_roots)))


def _roots(named: str) -> Path | None:
    return Path(named).expanduser() if named else None
