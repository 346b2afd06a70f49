"""Mailboxes (MBOX, RFC 4155): the list of their messages. Each message becomes a document of its own."""

import re
from collections.abc import Iterator

from pincite.adapters.parsers.assembly import CanonicalBuilder
from pincite.adapters.parsers.contained import FileNames
from pincite.adapters.parsers.mail_headers import header_text
from pincite.adapters.parsers.mail_parts import Attachment
from pincite.adapters.parsers.mime import Raw, read_headers
from pincite.core.documents import BlockRole, ParsedDocument
from pincite.core.errors import RefusedInput

CONTENT_TYPE = "application/mbox"
VERSION = "1"
MAX_MESSAGES = 20_000
# A blank line, `From `, an address and a date; then a header. A line of text that begins so is rarely followed by one.
# It begins with the letters, which are found fast, and looks back from there.
_BEGIN = re.compile(
    rb"From (?:(?<=\AFrom )|(?<=\n\nFrom )|(?<=\n\r\nFrom ))[^\r\n]{0,400}\d{4}[^\r\n]{0,40}\r?\n(?=[!-9;-~]{1,100}:)"
)
_QUOTED_FROM = re.compile(rb"^>(>*From )", re.MULTILINE)


def is_mailbox(raw: Raw) -> bool:
    """Whether a file that begins like a message of a mailbox holds more of them."""
    first = _BEGIN.match(raw)
    return first is not None and _BEGIN.search(raw, first.end()) is not None


def read_mailbox(raw: Raw, *, max_chars: int) -> ParsedDocument:
    """Return the list of a mailbox's messages as text: subject, writer and date of each. Raises `RefusedInput` (`too_large`)."""
    builder = CanonicalBuilder(max_chars=max_chars)
    index = count = 0
    for start, end in _messages(raw):
        count += 1
        message = read_headers(raw, start, end)
        told = " · ".join(text for name in ("subject", "from", "date") if (text := header_text(message, name)))
        builder.write(told or "(no subject)", index=index)
        builder.close_block(BlockRole.BODY)
        index += len(told)
    return ParsedDocument(builder.build(), CONTENT_TYPE, "mbox", VERSION, contained=count)


def mailbox_messages(raw: Raw) -> Iterator[Attachment]:
    """Yield the messages of a mailbox, named by their subjects. Raises `RefusedInput` (`too_large`)."""
    names = FileNames()
    for start, end in _messages(raw):
        subject = header_text(read_headers(raw, start, end), "subject").replace("/", "-")
        name = names.take(f"{subject[:120]}.eml" if subject else "", usual="message.eml")
        yield Attachment(name, lambda start=start, end=end: _QUOTED_FROM.sub(rb"\1", raw[start:end]))


def _messages(raw: Raw) -> Iterator[tuple[int, int]]:
    begins = [(found.start(), found.end()) for _, found in zip(range(MAX_MESSAGES + 1), _BEGIN.finditer(raw), strict=False)]
    if len(begins) > MAX_MESSAGES:
        raise RefusedInput(f"The mailbox holds more than {MAX_MESSAGES:,} messages. Split it and add the parts.", code="too_large")
    ends = [*(start for start, _ in begins[1:]), len(raw)]
    return ((start, end) for (_, start), end in zip(begins, ends, strict=True))
