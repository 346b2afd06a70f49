"""Models that describe pictures."""

from dataclasses import dataclass, field
from typing import Protocol

from pincite.core.messages import MessagePicture, ModelUsage


@dataclass(frozen=True, slots=True)
class Description:
    """What a model wrote of a picture, and what it took. Empty for a picture that shows nothing worth finding."""

    text: str
    usage: ModelUsage = field(default_factory=ModelUsage)


class VisionModel(Protocol):
    """A model that sees. It is shown the picture and nothing else, so that what it writes belongs wherever the picture stands."""

    @property
    def name(self) -> str:
        """Return the model's name, which is shown, logged and charged."""
        ...

    @property
    def version(self) -> str:
        """Return what changes when the same picture may be described otherwise by the same model: how it is asked."""
        ...

    async def describe(self, picture: MessagePicture, *, lang: str = "") -> Description:
        """Describe a picture, in a language (ISO 639-1) where one is named. Raises `UpstreamError`, `ConfigurationError`."""
        ...
