"""Answers from your documents in which every claim carries a checked, pinpoint citation.

The names below are the public library. They are loaded when first used, so that importing `pincite` costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pincite.adapters.models.openai_chat import OpenAIChatModel
    from pincite.answering.engine import QueryEngine
    from pincite.answering.exchange import Ask
    from pincite.answering.extractive import ExtractiveChatModel
    from pincite.answering.prompts import DEFAULT_RAG_PROMPT, PromptTemplate
    from pincite.answering.receipt_checks import CheckedReceipt, Fault
    from pincite.answering.sources import group_sources
    from pincite.answering.standings import AnswerStandings
    from pincite.client import Pincite, SyncPincite, check_receipt
    from pincite.core.answers import Answer, Citation, Claim, Conflict, DoneChunk, Quote, SourcesChunk, Span, TokenChunk, Verdict
    from pincite.core.documents import PageSpan
    from pincite.core.errors import ConfigurationError, PinciteError
    from pincite.core.evidence import Filter, Passage, Query, Retrieval, Source, Strategy, Turn
    from pincite.core.messages import ChatMessage, ModelUsage
    from pincite.core.policies import Policy
    from pincite.core.ports.models import ChatModel, EmbeddingModel
    from pincite.core.ports.retriever import Retriever
    from pincite.core.standings import QuoteStanding, Standing
    from pincite.ingest.sync_report import SyncReport
    from pincite.ingest.syncing import SyncListeners

__version__ = "0.1.0"

_HOMES = {
    "pincite.adapters.models.openai_chat": ("OpenAIChatModel",),
    "pincite.answering.engine": ("QueryEngine",),
    "pincite.answering.exchange": ("Ask",),
    "pincite.answering.extractive": ("ExtractiveChatModel",),
    "pincite.answering.prompts": ("DEFAULT_RAG_PROMPT", "PromptTemplate"),
    "pincite.answering.receipt_checks": ("CheckedReceipt", "Fault"),
    "pincite.answering.sources": ("group_sources",),
    "pincite.answering.standings": ("AnswerStandings",),
    "pincite.client": ("Pincite", "SyncPincite", "check_receipt"),
    "pincite.core.answers": (
        "Answer",
        "Citation",
        "Claim",
        "Conflict",
        "DoneChunk",
        "Quote",
        "SourcesChunk",
        "Span",
        "TokenChunk",
        "Verdict",
    ),
    "pincite.core.documents": ("PageSpan",),
    "pincite.core.errors": ("ConfigurationError", "PinciteError"),
    "pincite.core.evidence": ("Filter", "Passage", "Query", "Retrieval", "Source", "Strategy", "Turn"),
    "pincite.core.messages": ("ChatMessage", "ModelUsage"),
    "pincite.core.policies": ("Policy",),
    "pincite.core.ports.models": ("ChatModel", "EmbeddingModel"),
    "pincite.core.ports.retriever": ("Retriever",),
    "pincite.core.standings": ("QuoteStanding", "Standing"),
    "pincite.ingest.sync_report": ("SyncReport",),
    "pincite.ingest.syncing": ("SyncListeners",),
}
_MODULE_OF = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "DEFAULT_RAG_PROMPT",
    "Answer",
    "AnswerStandings",
    "Ask",
    "ChatMessage",
    "ChatModel",
    "CheckedReceipt",
    "Citation",
    "Claim",
    "ConfigurationError",
    "Conflict",
    "DoneChunk",
    "EmbeddingModel",
    "ExtractiveChatModel",
    "Fault",
    "Filter",
    "ModelUsage",
    "OpenAIChatModel",
    "PageSpan",
    "Passage",
    "Pincite",
    "PinciteError",
    "Policy",
    "PromptTemplate",
    "Query",
    "QueryEngine",
    "Quote",
    "QuoteStanding",
    "Retrieval",
    "Retriever",
    "Source",
    "SourcesChunk",
    "Span",
    "Standing",
    "Strategy",
    "SyncListeners",
    "SyncPincite",
    "SyncReport",
    "TokenChunk",
    "Turn",
    "Verdict",
    "__version__",
    "check_receipt",
    "group_sources",
]


def __getattr__(name: str) -> object:
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'pincite' has no attribute {name!r}")
    return getattr(import_module(_MODULE_OF[name]), name)


def __dir__() -> list[str]:
    return __all__
