"""Messages taken apart (RFC 5322, RFC 2045, RFC 2046) by place: nothing is copied, nothing recurses, and all is bounded."""

import binascii
import quopri
import re
from dataclasses import dataclass, field
from email.message import Message
from email.utils import collapse_rfc2231_value
from mmap import mmap

from pincite.adapters.parsers.charsets import decode_declared
from pincite.core.errors import RefusedInput

MAX_PARTS = 2000
MAX_DEPTH = 30
_MAX_HEADERS = 5000
_MAX_HEADER_BYTES = 1024 * 1024
_MAX_PARAMETER_CHARS = 2000
_HEADER = re.compile(rb"[!-9;-~]{1,200}[ \t]*:")
_LINE = re.compile(rb"[^\n]*\n?")
_NOT_BASE64 = re.compile(rb"[^A-Za-z0-9+/]")

Raw = bytes | mmap


@dataclass(slots=True)
class Part:
    """A message or a part of one: its headers in order, and where its content begins and ends in the bytes."""

    raw: Raw
    headers: list[tuple[str, bytes]]
    start: int
    end: int
    usual_type: str = "text/plain"
    parts: list["Part"] = field(default_factory=list["Part"])

    def header(self, name: str) -> bytes | None:
        """Return the first header of a name (in lower case), unfolded; None when there is none."""
        return next((value for key, value in self.headers if key == name), None)

    @property
    def content_type(self) -> str:
        """The type of the content, in lower case."""
        declared = (self.header("content-type") or b"").decode("latin-1").partition(";")[0].strip().lower()
        return declared if re.fullmatch(r"[!-.0-~]{1,100}/[!-.0-~]{1,100}", declared) else self.usual_type

    @property
    def disposition(self) -> str:
        """`attachment`, `inline`, or empty."""
        return (self.header("content-disposition") or b"").decode("latin-1").partition(";")[0].strip().lower()

    def parameter(self, name: str, *, of: str = "content-type") -> str:
        """Return a parameter of a header (RFC 2231), empty when there is none."""
        value = (self.header(of) or b"").decode("utf-8", "replace")
        if name not in value.lower():
            return ""
        message = Message()
        message[of] = value[:_MAX_PARAMETER_CHARS]
        try:
            return collapse_rfc2231_value(message.get_param(name, "", of)).strip()
        except (LookupError, ValueError, TypeError):
            return ""

    @property
    def _encoding(self) -> bytes:
        return (self.header("content-transfer-encoding") or b"").strip().lower()

    @property
    def is_encoded(self) -> bool:
        """Whether its content stands in the bytes in another form."""
        return self._encoding in (b"base64", b"quoted-printable")

    def content(self) -> bytes:
        """Return the content with its transfer encoding undone, as far as that is possible where it is damaged."""
        raw = self.raw[self.start : self.end]
        match self._encoding:
            case b"base64":
                return _from_base64(raw)
            case b"quoted-printable":
                return quopri.decodestring(raw)
            case _:
                return raw

    def text(self) -> str:
        """Return the content as text."""
        is_html = self.content_type == "text/html"
        return decode_declared(self.content(), self.parameter("charset"), is_html=is_html)


def read_message(raw: Raw, start: int = 0, end: int | None = None) -> Part:
    """Return a message with all its parts; messages inside it are not opened. Raises `RefusedInput` (`too_deep`, `too_large`)."""
    root = _part(raw, start, len(raw) if end is None else end)
    waiting = [(root, 1)]
    count = 1
    while waiting:
        part, depth = waiting.pop()
        if not part.content_type.startswith("multipart/"):
            continue
        if depth > MAX_DEPTH:
            raise RefusedInput("The parts of the message are nested too deeply to be read.", code="too_deep")
        part.parts = _parts(part)
        count += len(part.parts)
        if count > MAX_PARTS:
            raise RefusedInput(f"The message has more than {MAX_PARTS:,} parts.", code="too_large")
        waiting += [(each, depth + 1) for each in part.parts]
    return root


def read_headers(raw: Raw, start: int, end: int) -> Part:
    """Return a message without its parts. Raises `RefusedInput` (`too_large`)."""
    return _part(raw, start, end)


def _part(raw: Raw, start: int, end: int, usual_type: str = "text/plain") -> Part:
    """Read the headers at `start`. A line that is none ends them, also without the blank line that should."""
    folded: list[tuple[str, list[bytes]]] = []
    at = start
    while at < end:
        found = _LINE.match(raw, at, min(end, at + _MAX_HEADER_BYTES))
        line = found.group() if found else b""
        if not line.strip(b"\r\n"):
            at += len(line)
            break
        if line[:1] in b" \t" and folded:
            folded[-1][1].append(line.strip())
        elif _HEADER.match(line):
            name, _, value = line.partition(b":")
            folded.append((name.strip().decode("ascii").lower(), [value.strip()]))
        elif at > start or not line.startswith((b"From ", b">From ")):
            break
        at += len(line)
        if len(folded) > _MAX_HEADERS or at - start > _MAX_HEADER_BYTES:
            raise RefusedInput("The message has far more headers than any mail program writes.", code="too_large")
    return Part(raw, [(name, b" ".join(lines)) for name, lines in folded], at, end, usual_type)


def _parts(whole: Part) -> list[Part]:
    boundary = whole.parameter("boundary")
    if not boundary:
        return []
    delimiter = re.compile(rb"^--" + re.escape(boundary.encode("utf-8")) + rb"(--)?[ \t]*\r?(?:\n|\Z)", re.MULTILINE)
    usual_type = "message/rfc822" if whole.content_type == "multipart/digest" else "text/plain"
    parts: list[Part] = []
    begun = -1
    for found in delimiter.finditer(whole.raw, whole.start, whole.end):
        if begun >= 0:
            parts.append(_part(whole.raw, begun, _before_line_end(whole.raw, begun, found.start()), usual_type))
        begun = -1 if found.group(1) else found.end()
        if begun < 0 or len(parts) > MAX_PARTS:
            break
    if begun >= 0:
        # The end is missing: the message was cut off.
        parts.append(_part(whole.raw, begun, whole.end, usual_type))
    return parts


def _before_line_end(raw: Raw, start: int, end: int) -> int:
    """The line end before a delimiter belongs to the delimiter."""
    if end > start and raw[end - 1 : end] == b"\n":
        end -= 1
    return end - 1 if end > start and raw[end - 1 : end] == b"\r" else end


def _from_base64(raw: bytes) -> bytes:
    try:
        return binascii.a2b_base64(raw)
    except binascii.Error:
        letters = _NOT_BASE64.sub(b"", raw)
        whole = letters[: len(letters) - 1] if len(letters) % 4 == 1 else letters
        return binascii.a2b_base64(whole + b"=" * (-len(whole) % 4))
