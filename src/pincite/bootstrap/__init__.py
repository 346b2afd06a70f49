"""Builds the services from the settings: the only place where an implementation is chosen."""

from pincite.bootstrap.evaluation import evaluator, verifier
from pincite.bootstrap.models import Models
from pincite.bootstrap.reading import ocr_engine
from pincite.bootstrap.receipts import receipt_checks, receipt_key
from pincite.bootstrap.services import LOCAL_WORKSPACE, Services, build
from pincite.bootstrap.upkeep import backups, checks, close_look

__all__ = [
    "LOCAL_WORKSPACE",
    "Models",
    "Services",
    "backups",
    "build",
    "checks",
    "close_look",
    "evaluator",
    "ocr_engine",
    "receipt_checks",
    "receipt_key",
    "verifier",
]
