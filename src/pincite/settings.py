"""Settings: the only reader of the environment. Every field names its variable and what it does."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from pincite.core.errors import ConfigurationError


def _setting(variable: str, default: Any, doc: str) -> Any:
    return field(default=default, metadata={"variable": variable, "doc": doc})


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How this installation runs. Nothing needs to be set."""

    home: str = _setting("PINCITE_HOME", "~/.pincite", "Folder that holds everything: database, files, indexes, caches.")
    embedding: str = _setting(
        "PINCITE_EMBEDDING",
        "local",
        "Embedding model: `local`, a folder with `model.onnx` and `tokenizer.json`, `openai:MODEL`, or `none` (words alone).",
    )
    embedding_dimensions: int = _setting(
        "PINCITE_EMBEDDING_DIMENSIONS", 0, "Size of the vectors asked of an `openai:` embedding model; 0 takes the model's own."
    )
    chat_provider: str = _setting(
        "CHAT_PROVIDER",
        "",
        "`extractive` (quotes sentences, no model), `openai` (Responses API) or `openai-chat` (Chat Completions, for Ollama, vLLM, "
        "llama.cpp). Empty: `openai-chat` when CHAT_MODEL is set, else `extractive`.",
    )
    chat_model: str = _setting("CHAT_MODEL", "", "Name of the chat model at the provider.")
    chat_request_timeout_seconds: float = _setting(
        "CHAT_REQUEST_TIMEOUT_SECONDS", 120.0, "Longest time that a whole answer of a chat provider may take, with its retries."
    )
    chat_connect_timeout_seconds: float = _setting("CHAT_CONNECT_TIMEOUT_SECONDS", 10.0, "Longest time to reach the chat provider.")
    chat_first_token_timeout_seconds: float = _setting(
        "CHAT_FIRST_TOKEN_TIMEOUT_SECONDS", 60.0, "Longest time until the chat provider's answer begins."
    )
    chat_silence_timeout_seconds: float = _setting(
        "CHAT_SILENCE_TIMEOUT_SECONDS", 60.0, "Longest silence of the chat provider inside an answer."
    )
    chat_max_output_tokens: int = _setting("CHAT_MAX_OUTPUT_TOKENS", 1024, "Most tokens that a chat model may write.")
    chat_max_context_characters: int = _setting("CHAT_MAX_CONTEXT_CHARACTERS", 24_000, "Most characters of sources in one prompt.")
    openai_api_key: str = _setting("OPENAI_API_KEY", "", "Key of the OpenAI-protocol provider, for chat and embeddings.")
    openai_base_url: str = _setting("OPENAI_BASE_URL", "", "Address of the OpenAI-protocol provider; empty is OpenAI itself.")
    chunk_tokens: int = _setting("PINCITE_CHUNK_TOKENS", 512, "Most tokens of a chunk, title and headings included.")
    chunk_overlap_percent: int = _setting(
        "PINCITE_CHUNK_OVERLAP_PERCENT", 10, "Share of a chunk that repeats the end of the one before."
    )
    max_file_bytes: int = _setting("PINCITE_MAX_FILE_BYTES", 200_000_000, "Largest file that is taken in.")
    max_pages: int = _setting("PINCITE_MAX_PAGES", 5000, "Most pages of a file.")
    parse_timeout_s: float = _setting("PINCITE_PARSE_TIMEOUT_S", 120.0, "Longest time that reading one file may take.")
    worker_slots: int = _setting(
        "PINCITE_WORKER_SLOTS",
        1,
        "Documents that a server reads at once beside answering; 0 leaves that to `pincite worker`.",
    )
    max_streams: int = _setting("PINCITE_MAX_STREAMS", 1000, "Most answers that one server process streams at once.")
    parse_memory_mb: int = _setting("PINCITE_PARSE_MEMORY_MB", 1024, "Most memory of the process that reads a file.")

    @property
    def home_path(self) -> Path:
        """Return the home folder, absolute."""
        return Path(self.home).expanduser().resolve()

    @property
    def chat(self) -> str:
        """Return the chat provider that is really used."""
        return self.chat_provider or ("openai-chat" if self.chat_model else "extractive")


def load_settings(environ: Mapping[str, str] | None = None, **overrides: Any) -> Settings:
    """Read settings from the environment; `overrides` win. Raises `ConfigurationError` on a value that can't be."""
    source = os.environ if environ is None else environ
    values: dict[str, Any] = {}
    for entry in fields(Settings):
        raw = source.get(entry.metadata["variable"], "")
        if raw:
            values[entry.name] = _convert(entry.metadata["variable"], raw, entry.default)
    values.update({name: value for name, value in overrides.items() if value is not None})
    return _checked(Settings(**values))


def _convert(variable: str, raw: str, default: Any) -> Any:
    if isinstance(default, str):
        return raw
    try:
        return type(default)(raw.replace("_", ""))
    except ValueError as error:
        raise ConfigurationError(f"{variable} is {raw!r}, which is not a number.") from error


def _checked(settings: Settings) -> Settings:
    if settings.chat not in {"extractive", "openai", "openai-chat"}:
        raise ConfigurationError(f"CHAT_PROVIDER is {settings.chat!r}; it can be extractive, openai or openai-chat.")
    if settings.chat != "extractive" and not settings.chat_model:
        raise ConfigurationError(f"CHAT_PROVIDER is {settings.chat}, so CHAT_MODEL must name a model.")
    if not 0 <= settings.chunk_overlap_percent <= 50:
        raise ConfigurationError("PINCITE_CHUNK_OVERLAP_PERCENT must be between 0 and 50.")
    for name in (
        "chunk_tokens",
        "max_file_bytes",
        "max_pages",
        "parse_timeout_s",
        "parse_memory_mb",
        "chat_max_context_characters",
    ):
        if getattr(settings, name) <= 0:
            raise ConfigurationError(f"{_variable(name)} must be greater than 0.")
    return settings


def _variable(name: str) -> str:
    return next(entry.metadata["variable"] for entry in fields(Settings) if entry.name == name)
