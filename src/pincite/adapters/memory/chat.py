"""A chat model that says what it is told to: for tests of whatever stands on the port."""

from collections.abc import AsyncGenerator, Sequence

from pincite.core.errors import UpstreamError
from pincite.core.messages import ChatMessage, ModelUsage


class ScriptedChatModel:
    """Yields given replies, one per call, the last one again and again.

    A reply is its text, or the pieces in which it streams. `fail_at` raises `error` in place of that piece (counted from 0; as many
    as there are pieces: after the last). `usage` is yielded at the end of a complete reply, if given.
    `calls` holds the messages of each call; `open_streams` counts streams begun and not yet closed.
    """

    def __init__(
        self,
        replies: Sequence[str | Sequence[str]],
        *,
        usage: ModelUsage | None = None,
        fail_at: int | None = None,
        error: UpstreamError | None = None,
        name: str = "scripted",
    ) -> None:
        if not replies:
            raise ValueError("A scripted model needs at least one reply.")
        self._replies = [[reply] if isinstance(reply, str) else list(reply) for reply in replies]
        self._usage = usage
        self._fail_at = fail_at
        self._error = error or UpstreamError("The scripted model failed as told.")
        self._name = name
        self.calls: list[tuple[ChatMessage, ...]] = []
        self.open_streams = 0

    @property
    def name(self) -> str:
        """Return the name given."""
        return self._name

    async def invoke(self, messages: Sequence[ChatMessage]) -> str:
        """Return the next reply. Raises `error` when told to fail."""
        return "".join([piece async for piece in self.stream(messages) if isinstance(piece, str)])

    async def stream(self, messages: Sequence[ChatMessage]) -> AsyncGenerator[str | ModelUsage, None]:
        """Yield the pieces of the next reply, then the usage. Raises `error` at the piece told."""
        pieces = self._replies[min(len(self.calls), len(self._replies) - 1)]
        self.calls.append(tuple(messages))
        self.open_streams += 1
        try:
            for index, piece in enumerate(pieces):
                if index == self._fail_at:
                    raise self._error
                if piece:
                    yield piece
            if self._fail_at == len(pieces):
                raise self._error
            if self._usage is not None:
                yield self._usage
        finally:
            self.open_streams -= 1
