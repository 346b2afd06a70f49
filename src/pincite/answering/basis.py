"""Under which settings an answer came about, as it is kept with the answer."""

import hashlib
from collections.abc import Sequence

from pincite.answering.exchange import Ask
from pincite.answering.prompts import PromptTemplate
from pincite.core.answers import Basis
from pincite.core.messages import ChatMessage


def basis_of(
    ask: Ask, prompt: PromptTemplate, messages: Sequence[ChatMessage], *, max_context_characters: int, verifier: str
) -> Basis:
    """Return how a question was asked, and hashes of what the model was sent (`messages`; none when it wasn't asked)."""
    return Basis(
        collection_ids=ask.collection_ids,
        filter=ask.filter,
        limit=ask.limit,
        surface=ask.surface,
        turns=len(ask.history),
        max_context_characters=max_context_characters,
        prompt_sha256=_digest(*(part for message in messages for part in (message.role, message.content))) if messages else "",
        template_sha256=_digest(prompt.system, prompt.template),
        verifier=verifier,
    )


def _digest(*parts: str) -> str:
    """Return the SHA-256 of texts, each behind its length in bytes, so that no two lists of texts have the same."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode(errors="surrogatepass")
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()
