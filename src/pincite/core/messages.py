"""What goes to a chat model and what comes back beside text."""

from dataclasses import dataclass, field
from typing import Literal

from pincite.core.evidence import Source


@dataclass(frozen=True, slots=True)
class Grounding:
    """The question and the numbered sources of a prompt, for a model that reads structure instead of prose."""

    question: str
    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class MessagePicture:
    """A picture that is shown to a model: the bytes of a PNG or JPEG."""

    data: bytes = field(repr=False)
    content_type: str


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message. `grounding` repeats the prompt's data in structure; adapters of language models ignore it.

    `pictures` stand behind the content, for a model that sees.
    """

    role: Literal["system", "user", "assistant"]
    content: str
    grounding: Grounding | None = None
    pictures: tuple[MessagePicture, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelUsage:
    """Tokens of one model call; `estimated` when the provider didn't say, `truncated` when the limit of tokens cut the reply."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    estimated: bool = False
    truncated: bool = False

    @property
    def tokens(self) -> int:
        """Return the tokens in both directions."""
        return self.prompt_tokens + self.completion_tokens

    def as_dict(self) -> dict[str, int | bool]:
        """Return the usage in the form of the HTTP contract. Credits and cost are 0 where nothing is charged."""
        return {
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "estimated": self.estimated,
            "credits": 0,
            "cost_micros": 0,
        }
