"""Settings: the only reader of the environment. Every field names its variable, what it does, its unit and its bounds."""

import os
from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields
from pathlib import Path
from typing import Any

from pincite.core.errors import ConfigurationError


def _setting(variable: str, default: Any, doc: str) -> Any:
    return field(default=default, metadata={"variable": variable, "doc": doc})


def _number(variable: str, default: float, doc: str, *, unit: str, least: float, most: float) -> Any:
    return field(default=default, metadata={"variable": variable, "doc": doc, "unit": unit, "least": least, "most": most})


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How this installation runs. Nothing needs to be set. `docs/settings.md` is made from this (`tools/make_settings_page.py`)."""

    home: str = _setting("PINCITE_HOME", "~/.pincite", "Folder that holds everything: database, files, indexes, caches.")
    embedding: str = _setting(
        "PINCITE_EMBEDDING",
        "local",
        "Embedding model: `local`, a folder with `model.onnx` and `tokenizer.json`, `openai:MODEL`, or `none` (words alone).",
    )
    embedding_dimensions: int = _number(
        "PINCITE_EMBEDDING_DIMENSIONS",
        0,
        "Size of the vectors asked of an `openai:` embedding model; 0 takes the model's own.",
        unit="numbers",
        least=0,
        most=65_536,
    )
    chat_provider: str = _setting(
        "CHAT_PROVIDER",
        "",
        "`extractive` (quotes sentences, no model), `openai` (Responses API) or `openai-chat` (Chat Completions, for Ollama, vLLM, "
        "llama.cpp). Empty: `openai-chat` when CHAT_MODEL is set, else `extractive`.",
    )
    chat_model: str = _setting("CHAT_MODEL", "", "Name of the chat model at the provider.")
    chat_request_timeout_seconds: float = _number(
        "CHAT_REQUEST_TIMEOUT_SECONDS",
        120.0,
        "Longest time that a whole answer of a chat provider may take, with its retries.",
        unit="seconds",
        least=0.1,
        most=86_400,
    )
    chat_connect_timeout_seconds: float = _number(
        "CHAT_CONNECT_TIMEOUT_SECONDS", 10.0, "Longest time to reach the chat provider.", unit="seconds", least=0.1, most=86_400
    )
    chat_first_token_timeout_seconds: float = _number(
        "CHAT_FIRST_TOKEN_TIMEOUT_SECONDS",
        60.0,
        "Longest time until the chat provider's answer begins.",
        unit="seconds",
        least=0.1,
        most=86_400,
    )
    chat_silence_timeout_seconds: float = _number(
        "CHAT_SILENCE_TIMEOUT_SECONDS",
        60.0,
        "Longest silence of the chat provider inside an answer.",
        unit="seconds",
        least=0.1,
        most=86_400,
    )
    chat_max_output_tokens: int = _number(
        "CHAT_MAX_OUTPUT_TOKENS", 1024, "Most tokens that a chat model may write.", unit="tokens", least=1, most=1_000_000
    )
    chat_max_context_characters: int = _number(
        "CHAT_MAX_CONTEXT_CHARACTERS", 24_000, "Most text of sources in one prompt.", unit="characters", least=1, most=10_000_000
    )
    answerable_least: float = _number(
        "PINCITE_ANSWERABLE_LEAST",
        0.15,
        "Least probability that what was found answers a question (`answerable`); below it no model is asked. 0: one always is. "
        "A chat model, which can decline itself, is asked from a third of it on, and always for a summary or the like.",
        unit="probability",
        least=0,
        most=1,
    )
    vision_provider: str = _setting(
        "VISION_PROVIDER",
        "",
        "How VISION_MODEL is asked: `openai` (Responses API) or `openai-chat` (Chat Completions). Empty: `openai-chat`.",
    )
    vision_model: str = _setting(
        "VISION_MODEL",
        "",
        "Name of a model at the provider that describes the pictures in documents. Empty: no picture is sent anywhere.",
    )
    vision_request_timeout_seconds: float = _number(
        "VISION_REQUEST_TIMEOUT_SECONDS",
        60.0,
        "Longest time that describing one picture may take, with its retries.",
        unit="seconds",
        least=0.1,
        most=86_400,
    )
    vision_max_output_tokens: int = _number(
        "VISION_MAX_OUTPUT_TOKENS", 500, "Most tokens of one description.", unit="tokens", least=1, most=1_000_000
    )
    vision_max_pictures: int = _number(
        "VISION_MAX_PICTURES",
        50,
        "Most pictures of one document that are shown to the vision model, each once; 0 shows none.",
        unit="pictures",
        least=0,
        most=100_000,
    )
    vision_least_side_pixels: int = _number(
        "VISION_LEAST_SIDE_PIXELS", 100, "Narrowest picture that is shown to it.", unit="pixels", least=1, most=100_000
    )
    vision_max_picture_bytes: int = _number(
        "VISION_MAX_PICTURE_BYTES", 5_000_000, "Largest picture that is sent to it.", unit="bytes", least=1, most=100_000_000
    )
    openai_api_key: str = _setting("OPENAI_API_KEY", "", "Key of the OpenAI-protocol provider, for chat, embeddings and vision.")
    openai_base_url: str = _setting("OPENAI_BASE_URL", "", "Address of the OpenAI-protocol provider; empty is OpenAI itself.")
    judge: str = _setting(
        "PINCITE_JUDGE",
        "",
        "Second opinion on claims that the verifier isn't sure of: `chat` (the chat model: sources and claims are sent to it), or "
        "a folder with an entailment model (`model.onnx`, `tokenizer.json`, `config.json`). Empty: none.",
    )
    judge_claims: str = _setting(
        "PINCITE_JUDGE_CLAIMS",
        "doubtful",
        "Which claims it is asked about: `doubtful` ones, or `all` that don't stand word for word in their sources.",
    )
    judge_max_claims: int = _number(
        "PINCITE_JUDGE_MAX_CLAIMS", 12, "Most claims of one answer that it is asked about.", unit="claims", least=1, most=1000
    )
    chunk_tokens: int = _number(
        "PINCITE_CHUNK_TOKENS", 512, "Longest chunk, title and headings included.", unit="tokens", least=16, most=8192
    )
    chunk_overlap_percent: int = _number(
        "PINCITE_CHUNK_OVERLAP_PERCENT",
        10,
        "Share of a chunk that repeats the end of the one before.",
        unit="percent",
        least=0,
        most=50,
    )
    keep_cited_days: int = _number(
        "PINCITE_KEEP_CITED_DAYS",
        365,
        "How long the files and texts of removed documents are kept that answers cite; 0 deletes them at once. Not what is erased.",
        unit="days",
        least=0,
        most=36_500,
    )
    max_file_bytes: int = _number(
        "PINCITE_MAX_FILE_BYTES", 200_000_000, "Largest file that is taken in.", unit="bytes", least=1, most=10_000_000_000
    )
    max_pages: int = _number("PINCITE_MAX_PAGES", 5000, "Longest file that is read.", unit="pages", least=1, most=1_000_000)
    max_figures: int = _number(
        "PINCITE_MAX_FIGURES", 500, "Most pictures that are kept of one file; 0 keeps none.", unit="pictures", least=0, most=100_000
    )
    parse_timeout_s: float = _number(
        "PINCITE_PARSE_TIMEOUT_S",
        120.0,
        "Longest time that reading one file may take; two seconds more for each MB of it.",
        unit="seconds",
        least=0.1,
        most=86_400,
    )
    worker_slots: int = _number(
        "PINCITE_WORKER_SLOTS",
        1,
        "Documents that a server reads at once beside answering; 0 leaves that to `pincite worker`.",
        unit="documents",
        least=0,
        most=64,
    )
    max_streams: int = _number(
        "PINCITE_MAX_STREAMS",
        1000,
        "Most answers that one server process streams at once.",
        unit="answers",
        least=1,
        most=100_000,
    )
    pricing: str = _setting(
        "PINCITE_PRICING",
        "",
        "Price book by which usage is kept: a TOML file. Empty: the one that comes with Pincite; `off`: no usage is kept.",
    )
    parse_memory_mb: int = _number(
        "PINCITE_PARSE_MEMORY_MB", 1024, "Most memory of the process that reads a file.", unit="MB", least=128, most=1_000_000
    )
    ocr: str = _setting(
        "PINCITE_OCR",
        "auto",
        "What reads the text in pictures of pages: `rapidocr`, `tesseract`, `off`, or `auto`: rapidocr where it is installed, else "
        "tesseract where that is.",
    )
    ocr_languages: str = _setting(
        "PINCITE_OCR_LANGUAGES", "eng", "Languages that tesseract reads, as it names them (`eng+deu`); rapidocr needs none."
    )
    ocr_page_timeout_s: float = _number(
        "PINCITE_OCR_PAGE_TIMEOUT_S",
        120.0,
        "Longest processor time that OCR may take for one page; by the clock five times as long, since it lets others go first.",
        unit="seconds",
        least=0.1,
        most=86_400,
    )
    ocr_memory_mb: int = _number(
        "PINCITE_OCR_MEMORY_MB", 1000, "Most memory that the process of OCR may write to.", unit="MB", least=128, most=1_000_000
    )
    ocr_pictures: int = _number(
        "PINCITE_OCR_PICTURES",
        50,
        "Most pictures of one document in which OCR looks for text, beside pages that are pictures; 0: in none.",
        unit="pictures",
        least=0,
        most=100_000,
    )
    max_pixels: int = _number(
        "PINCITE_MAX_PIXELS",
        100_000_000,
        "Largest image that is decoded: width times height.",
        unit="pixels",
        least=1,
        most=10_000_000_000,
    )
    timestamp_url: str = _setting(
        "PINCITE_TIMESTAMP_URL",
        "",
        "Address of a time-stamping authority (RFC 3161) that stamps receipts when they are first asked for. It gets a hash alone.",
    )
    timestamp_roots: str = _setting(
        "PINCITE_TIMESTAMP_ROOTS", "", "File with root certificates (PEM) of time-stamping authorities that are trusted."
    )
    timestamp_timeout_s: float = _number(
        "PINCITE_TIMESTAMP_TIMEOUT_S",
        10.0,
        "Longest time that a time stamp may take; without it the receipt goes without.",
        unit="seconds",
        least=0.1,
        most=600,
    )
    hosts: str = _setting(
        "PINCITE_HOSTS",
        "",
        "Names under which the server is reached, with commas between (`pincite.example.org`); `*` is any. Empty: any, but over "
        "the loopback address only names that can't lead elsewhere: `localhost`, addresses, names without a dot.",
    )

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
        kind = "whole number" if isinstance(default, int) else "number"
        raise ConfigurationError(f"{variable} is {raw!r}, which is no {kind}.") from error


def _checked(settings: Settings) -> Settings:
    if settings.chat not in {"extractive", "openai", "openai-chat"}:
        raise ConfigurationError(f"CHAT_PROVIDER is {settings.chat!r}; it can be extractive, openai or openai-chat.")
    if settings.chat != "extractive" and not settings.chat_model:
        raise ConfigurationError(f"CHAT_PROVIDER is {settings.chat}, so CHAT_MODEL must name a model.")
    if settings.vision_provider not in {"", "openai", "openai-chat"}:
        raise ConfigurationError(f"VISION_PROVIDER is {settings.vision_provider!r}; it can be openai or openai-chat.")
    if settings.vision_provider and not settings.vision_model:
        raise ConfigurationError(f"VISION_PROVIDER is {settings.vision_provider}, so VISION_MODEL must name a model.")
    if settings.ocr not in {"auto", "rapidocr", "tesseract", "off"}:
        raise ConfigurationError(f"PINCITE_OCR is {settings.ocr!r}; it can be auto, rapidocr, tesseract or off.")
    if settings.judge_claims not in {"doubtful", "all"}:
        raise ConfigurationError(f"PINCITE_JUDGE_CLAIMS is {settings.judge_claims!r}; it can be doubtful or all.")
    for entry in fields(Settings):
        if "least" in entry.metadata:
            _check_bounds(entry, getattr(settings, entry.name))
    return settings


def _check_bounds(entry: Field[Any], value: float) -> None:
    least, most = entry.metadata["least"], entry.metadata["most"]
    # Written so that what is no number at all (nan) is out of bounds too.
    if not least <= value <= most:
        raise ConfigurationError(f"{entry.metadata['variable']} is {value}; it can be from {least:,} to {most:,}.")
