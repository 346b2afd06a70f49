"""Server-sent events from bytes (WHATWG HTML, section 9.2.6). Pure."""

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass

_LINE_END = re.compile(r"\r\n|\r|\n")


class EventTooLarge(Exception):
    """A line or event of a stream exceeds the bound."""


@dataclass(frozen=True, slots=True)
class ServerSentEvent:
    """One event: its name (`message` when not given), its data lines joined by line feeds, the last event id."""

    event: str
    data: str
    last_id: str = ""


class SseDecoder:
    """Turns a byte stream, cut anywhere, into events. Bytes that aren't UTF-8 are replaced, unknown lines ignored.

    An event that the stream ends in the middle of is never given. Raises `EventTooLarge` beyond `max_characters`.
    """

    def __init__(self, *, max_characters: int = 8_000_000) -> None:
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._max_characters = max_characters
        self._begun = False
        self._rest: list[str] = []
        self._after_cr = False
        self._size = 0
        self._event = ""
        self._data: list[str] = []
        self._last_id = ""

    def feed(self, data: bytes) -> Iterator[ServerSentEvent]:
        """Yield the events that the bytes complete."""
        text = self._decode(data)
        if text and not self._begun:
            self._begun = True
            text = text.removeprefix("\ufeff")
        for line in self._lines(text):
            event = self._take(line)
            if event:
                yield event

    def _lines(self, text: str) -> Iterator[str]:
        if text and self._after_cr:
            text = text.removeprefix("\n")
            self._after_cr = False
        start = 0
        for end in _LINE_END.finditer(text):
            self._rest.append(text[start : end.start()])
            line = "".join(self._rest)
            self._rest.clear()
            start = end.end()
            self._after_cr = start == len(text) and end[0] == "\r"
            yield line
        if start < len(text):
            self._grow(len(text) - start)
            self._rest.append(text[start:])

    def _grow(self, characters: int) -> None:
        self._size += characters
        if self._size > self._max_characters:
            raise EventTooLarge

    def _take(self, line: str) -> ServerSentEvent | None:
        if not line:
            return self._dispatch()
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "event":
            self._event = value
        elif name == "data":
            self._grow(len(value))
            self._data.append(value)
        elif name == "id" and "\0" not in value:
            self._last_id = value
        return None

    def _dispatch(self) -> ServerSentEvent | None:
        event = ServerSentEvent(self._event or "message", "\n".join(self._data), self._last_id) if self._data else None
        self._event = ""
        self._data = []
        self._size = 0
        return event
