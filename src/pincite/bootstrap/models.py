"""The models of an installation."""

import asyncio
import logging
from functools import cached_property
from pathlib import Path
from shlex import quote
from typing import Protocol, runtime_checkable

from pincite.answering.chat_judge import ChatJudge
from pincite.answering.extractive import ExtractiveChatModel
from pincite.answering.reviewing import Review
from pincite.answering.verify import Verifier
from pincite.core.documents import Collection, EmbeddingSpec
from pincite.core.errors import ConfigurationError, ModelChangedError
from pincite.core.ports.judging import Judge
from pincite.core.ports.models import ChatModel, EmbeddingModel
from pincite.core.ports.vision import VisionModel
from pincite.settings import Settings


@runtime_checkable
class Closable(Protocol):
    """A model that keeps connections."""

    async def aclose(self) -> None:
        """Close them."""
        ...


class Models:
    """The models of an installation, loaded when first needed."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._learnt = settings.embedding in ("none", "local")

    @cached_property
    def embedding(self) -> EmbeddingModel | None:
        """Return the configured embedding model; None when search is by words alone."""
        name = self._settings.embedding
        if name == "none":
            return None
        if name == "local":
            return _local_embedding(self._settings.home_path / "cache")
        if name.startswith("openai:"):
            return _openai_embedding(self._settings, name.removeprefix("openai:"))
        return _folder_embedding(Path(name).expanduser())

    def embedding_of(self, collection: Collection) -> EmbeddingModel | None:
        """Return the model that a collection is embedded with. Raises `ModelChangedError` when another one is configured."""
        if collection.embedding is None:
            return None
        model = self.embedding
        if model is None or model.spec.model_id != collection.embedding.model_id:
            raise ModelChangedError(_model_changed(collection.name, collection.embedding, model))
        return model

    def chosen(self) -> EmbeddingModel | None:
        """Return the model that collections are brought to; None only when words alone were chosen.

        Raises `ConfigurationError` where the local model isn't installed.
        """
        if self.embedding is None and self._settings.embedding != "none":
            raise ConfigurationError(
                "The local embedding model isn't installed here, so no collection can be brought to it. Set PINCITE_EMBEDDING to "
                "another model, or to `none` to search by words alone.",
                code="no_local_model",
            )
        return self.embedding

    async def learn(self) -> None:
        """Learn the size of a served embedding model's vectors, which takes a request, before somebody has to wait for it.

        Raises as its `spec`. The event loop isn't held up meanwhile.
        """
        if not self._learnt:
            await asyncio.to_thread(lambda: self.embedding and self.embedding.spec)
            self._learnt = True

    async def aclose(self) -> None:
        """Close the connections to providers."""
        for model in map(vars(self).get, ("embedding", "chat", "vision")):
            if isinstance(model, Closable):
                await model.aclose()

    @cached_property
    def verifier(self) -> Verifier | None:
        """Return what judges claims; None where the tables of words that it needs aren't installed."""
        from pincite.adapters.models.e5_words import LazyWords

        return Verifier(LazyWords(self._settings.home_path / "cache")) if LazyWords.is_installed() else None

    def review(self, llm: ChatModel) -> Review | None:
        """Return the second opinion on claims of an answer by `llm`; None when none is wanted.

        The extractive model, which writes nothing of its own, judges nothing either. Raises `ConfigurationError` where the judge
        can't be had.
        """
        settings = self._settings
        if not settings.judge or (settings.judge == "chat" and isinstance(llm, ExtractiveChatModel)):
            return None
        judge = ChatJudge(llm) if settings.judge == "chat" else self._local_judge
        return Review(judge, every=settings.judge_claims == "all", most=settings.judge_max_claims)

    @cached_property
    def _local_judge(self) -> Judge:
        from pincite.adapters.models.onnx_nli import OnnxNliJudge

        folder = Path(self._settings.judge).expanduser()
        if not folder.is_dir():
            raise ConfigurationError(f"PINCITE_JUDGE is {str(folder)!r}, which is neither `chat` nor a folder that exists.")
        return OnnxNliJudge(folder)

    @cached_property
    def chat(self) -> ChatModel:
        """Return the configured chat model."""
        settings = self._settings
        if settings.chat == "extractive":
            return ExtractiveChatModel(self.embedding)
        from pincite.adapters.models.openai_chat import OpenAIChatModel

        return OpenAIChatModel(
            settings.chat_model,
            settings.openai_api_key or None,
            settings.openai_base_url or None,
            protocol="responses" if settings.chat == "openai" else "chat",
            timeout_s=settings.chat_request_timeout_seconds,
            connect_timeout_s=settings.chat_connect_timeout_seconds,
            first_token_timeout_s=settings.chat_first_token_timeout_seconds,
            silence_timeout_s=settings.chat_silence_timeout_seconds,
            max_output_tokens=settings.chat_max_output_tokens,
        )

    @cached_property
    def vision(self) -> VisionModel | None:
        """Return the model that describes pictures; None when none is configured."""
        settings = self._settings
        if not settings.vision_model:
            return None
        from pincite.adapters.models.openai_vision import OpenAIVisionModel

        return OpenAIVisionModel(
            settings.vision_model,
            settings.openai_api_key or None,
            settings.openai_base_url or None,
            protocol="responses" if settings.vision_provider == "openai" else "chat",
            timeout_s=settings.vision_request_timeout_seconds,
            max_output_tokens=settings.vision_max_output_tokens,
        )


def _model_changed(collection: str, has: EmbeddingSpec, model: EmbeddingModel | None) -> str:
    configured = f"{model.spec.name} (revision {model.spec.revision})" if model else "none"
    return (
        f"Collection {collection!r} is embedded with {has.name} (revision {has.revision}); PINCITE_EMBEDDING here means "
        f"{configured}. To bring the collection to that, run `pincite reembed --collection {quote(collection)}`. If it was brought "
        "to another model elsewhere, set PINCITE_EMBEDDING to that one here too."
    )


def _local_embedding(cache: Path) -> EmbeddingModel | None:
    """Load the local model. Where its weights don't install, search by words alone and say what else there is."""
    from pincite.adapters.models.e5 import load_local_model

    try:
        return load_local_model(cache)
    except ConfigurationError as error:
        if error.code != "no_local_model":
            raise
        logging.getLogger("pincite").warning(error.message)
        return None


def _openai_embedding(settings: Settings, model: str) -> EmbeddingModel:
    from pincite.adapters.models.openai_embeddings import OpenAIEmbedding

    return OpenAIEmbedding(
        model,
        settings.openai_api_key or None,
        settings.openai_base_url or None,
        dimensions=settings.embedding_dimensions or None,
    )


def _folder_embedding(folder: Path) -> EmbeddingModel:
    from pincite.adapters.models.onnx_folder import OnnxFolderEmbedding

    if not folder.is_dir():
        raise ConfigurationError(
            f"PINCITE_EMBEDDING is {str(folder)!r}, which is neither `local`, `none`, `openai:MODEL` nor a folder that exists."
        )
    return OnnxFolderEmbedding(folder)
