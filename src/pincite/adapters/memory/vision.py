"""A vision model that says what it is told to, for tests and examples."""

from collections.abc import Mapping, Sequence

from pincite.core.errors import PinciteError
from pincite.core.messages import MessagePicture, ModelUsage
from pincite.core.ports.vision import Description


class ScriptedVisionModel:
    """Implements `VisionModel`: it writes `text` of each picture, or what `texts` says of its bytes.

    `errors` are raised by the first calls, one each, None for a call that succeeds. `asked` holds the pictures that it was shown,
    `langs` the languages.
    """

    def __init__(
        self,
        text: str = "A picture.",
        *,
        texts: Mapping[bytes, str] | None = None,
        usage: ModelUsage | None = None,
        errors: Sequence[PinciteError | None] = (),
        name: str = "scripted",
        version: str = "1",
    ) -> None:
        self.name = name
        self.version = version
        self.asked: list[bytes] = []
        self.langs: list[str] = []
        self._text = text
        self._texts = texts or {}
        self._usage = usage or ModelUsage(100, 10)
        self._errors = list(errors)

    async def describe(self, picture: MessagePicture, *, lang: str = "") -> Description:
        """Describe a picture as told; see the port."""
        self.asked.append(picture.data)
        self.langs.append(lang)
        if self._errors and (error := self._errors.pop(0)):
            raise error
        return Description(self._texts.get(picture.data, self._text), self._usage)
