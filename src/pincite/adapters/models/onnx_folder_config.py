"""What a folder with an exported embedding model says of itself, in the layout of sentence-transformers."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, cast

from pincite.core.errors import ConfigurationError

DEFAULT_WINDOW_TOKENS = 512
LARGEST_WINDOW_TOKENS = 100_000
"""A larger `model_max_length` stands for "not known"."""

PASSAGE_PROMPTS = ("passage", "document", "corpus")


class Pooling(StrEnum):
    """How one vector is made of those of the tokens."""

    MEAN = "mean"
    CLS = "cls"
    MAX = "max"
    LAST = "lasttoken"


@dataclass(frozen=True, slots=True)
class FolderConfig:
    """The parts of a model folder. `graph` and `tokenizer` exist; `revision` changes with whatever changes vectors."""

    name: str
    graph: Path
    tokenizer: Path
    pooling: Pooling
    window_tokens: int
    query_prefix: str
    passage_prefix: str
    lower_case: bool
    revision: str


def read_folder(folder: Path) -> FolderConfig:
    """Read the folder's own description.

    Raises `ConfigurationError` (`model_folder`) when a part is missing or can't be honoured.
    """
    graph = _first_file(folder, "model.onnx", "onnx/model.onnx")
    tokenizer = _first_file(folder, "tokenizer.json", "onnx/tokenizer.json")
    if "model" not in _read(tokenizer):
        raise _unfit(folder, "its tokenizer.json describes no tokenizer")
    pooling = _pooling(folder)
    sentence = _read(folder / "sentence_bert_config.json")
    query_prefix, passage_prefix = _prefixes(_read(folder / "config_sentence_transformers.json"))
    window_tokens = _window(folder, sentence)
    return FolderConfig(
        name=folder.resolve().name,
        graph=graph,
        tokenizer=tokenizer,
        pooling=pooling,
        window_tokens=window_tokens,
        query_prefix=query_prefix,
        passage_prefix=passage_prefix,
        lower_case=sentence.get("do_lower_case") is True,
        revision=_revision([*sorted(graph.parent.glob(f"{graph.name}*")), tokenizer], f"{pooling} {window_tokens}"),
    )


def _first_file(folder: Path, *names: str) -> Path:
    for name in names:
        if (folder / name).is_file():
            return folder / name
    raise _unfit(folder, f"it has no {names[0]}")


def _read(path: Path) -> Mapping[str, Any]:
    """Return a JSON object, or an empty one where there is no such file."""
    found = _parse(path)
    return cast("Mapping[str, Any]", found) if isinstance(found, dict) else {}


def _parse(path: Path) -> Any:
    if not path.is_file():
        return None
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        raise _unfit(path.parent, f"{path.name} is no JSON") from None


def _pooling(folder: Path) -> Pooling:
    listed: list[Mapping[str, Any]] = _parse(folder / "modules.json") or []
    kinds = {str(module["type"]).rsplit(".", 1)[-1]: str(module.get("path", "")) for module in listed}
    if unknown := set(kinds) - {"Transformer", "Pooling", "Normalize"}:
        raise _unfit(folder, f"it has a part that isn't supported: {', '.join(sorted(unknown))}")
    return _pooling_mode(folder, _read(folder / kinds.get("Pooling", "1_Pooling") / "config.json"))


def _pooling_mode(folder: Path, config: Mapping[str, Any]) -> Pooling:
    named = config.get("pooling_mode")
    chosen = (
        [named] if isinstance(named, str) else [mode.removeprefix("pooling_mode_") for mode, on in config.items() if on is True]
    )
    modes = {mode.removesuffix("_tokens").removesuffix("_token") for mode in chosen} - {"include_prompt"}
    if not modes:
        return Pooling.MEAN
    if len(modes) > 1 or not modes <= set(Pooling):
        raise _unfit(folder, f"its pooling isn't supported: {', '.join(sorted(modes))}")
    if config.get("include_prompt") is False:
        raise _unfit(folder, "it leaves the prompt out of the pooling, which isn't supported")
    return Pooling(modes.pop())


def _prefixes(config: Mapping[str, Any]) -> tuple[str, str]:
    prompts: Mapping[str, str] = config.get("prompts") or {}
    default = prompts.get(str(config.get("default_prompt_name")), "")
    passage = next((prompts[name] for name in PASSAGE_PROMPTS if name in prompts), default)
    return prompts.get("query", default), passage


def _window(folder: Path, sentence: Mapping[str, Any]) -> int:
    said = (sentence.get("max_seq_length"), _read(folder / "tokenizer_config.json").get("model_max_length"))
    for window in said:
        if isinstance(window, int) and 2 < window < LARGEST_WINDOW_TOKENS:
            return window
    positions = _read(folder / "config.json").get("max_position_embeddings")
    # Some models count positions from 2.
    return positions - 2 if isinstance(positions, int) else DEFAULT_WINDOW_TOKENS


def _revision(files: list[Path], choices: str) -> str:
    digest = hashlib.sha256(choices.encode())
    for path in files:
        with path.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()[:12]


def _unfit(folder: Path, cause: str) -> ConfigurationError:
    return ConfigurationError(f"The model folder {folder} can't be used: {cause}.", code="model_folder")
