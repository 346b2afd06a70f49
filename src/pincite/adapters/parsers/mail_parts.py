"""Which parts of a message are its text, in which forms, and which are attached."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pincite.adapters.parsers.contained import FileNames
from pincite.adapters.parsers.mail_headers import attachment_name, header_text
from pincite.adapters.parsers.mail_text import FIXED, Flow
from pincite.adapters.parsers.mime import Part, Raw, read_message
from pincite.core.errors import RefusedInput

MAX_MESSAGES_DEEP = 10
_MAX_ADDRESS_CHARS = 2000
MESSAGE = "message/rfc822"
_TEXTS = frozenset({"text/plain", "text/html", "text/enriched", "message/delivery-status", "text/rfc822-headers"})
_SIGNATURES = frozenset(
    {"application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature", "application/pgp-keys"}
)
_SEALED = frozenset({"application/pkcs7-mime", "application/x-pkcs7-mime"})


@dataclass(frozen=True, slots=True)
class Body:
    """One form of a text."""

    text: str
    is_html: bool = False
    flow: Flow = FIXED


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file in a message, under a name that is safe and its alone there."""

    name: str
    content: Callable[[], bytes]


def body_of(message: Part) -> Iterator[tuple[Body, ...]]:
    """Yield the texts of a message in order, each in all its forms, best last. Raises `RefusedInput` (`encrypted`)."""
    for forms in _texts(message):
        yield tuple(_body(part) for part in forms)


def attachments_of(message: Part) -> Iterator[Attachment]:
    """Yield the files attached to a message. Pictures that its text shows, and signatures over it, are none."""
    names = FileNames()
    for part in _attached(message):
        yield Attachment(names.take(_wanted_name(part), usual=_usual_name(part)), part.content)


def shown_pictures(message: Part) -> dict[str, Part]:
    """Return the pictures that the texts of a message show, by the addresses under which these show them."""
    found: dict[str, Part] = {}
    for part in _leaves(message):
        if part.content_type.startswith("image/") and _is_shown(part):
            named = (part.header("content-id") or b"").decode("latin-1").strip(" <>")
            placed = (part.header("content-location") or b"").decode("latin-1").strip()
            for address in (f"cid:{named}" if named else "", placed):
                if 0 < len(address) <= _MAX_ADDRESS_CHARS:
                    found.setdefault(address, part)
    return found


def check_nesting(raw: Raw) -> None:
    """Refuse messages in messages beyond any that people send. Raises `RefusedInput` (`too_deep`)."""
    waiting = [(read_message(raw), 1)]
    while waiting:
        message, depth = waiting.pop()
        if depth > MAX_MESSAGES_DEEP:
            raise RefusedInput(f"More than {MAX_MESSAGES_DEEP} messages are attached inside each other.", code="too_deep")
        for part in _leaves(message):
            if part.content_type == MESSAGE:
                inner = read_message(part.content()) if part.is_encoded else read_message(part.raw, part.start, part.end)
                waiting.append((inner, depth + 1))


def _leaves(message: Part) -> Iterator[Part]:
    waiting = [message]
    while waiting:
        part = waiting.pop()
        if part.parts:
            waiting += reversed(part.parts)
        else:
            yield part


def _texts(message: Part) -> Iterator[tuple[Part, ...]]:
    waiting = [message]
    while waiting:
        part = waiting.pop()
        kind = part.content_type
        if _is_sealed(part):
            raise RefusedInput(
                "The message is encrypted. Save a copy of it from your mail program in which it is not.", code="encrypted"
            )
        if kind == "multipart/alternative":
            if forms := tuple(form for form in map(_root_text, part.parts) if form):
                yield forms
        elif part.parts:
            waiting += [part.parts[0]] if kind in ("multipart/related", "multipart/signed") else reversed(part.parts)
        elif _is_text(part):
            yield (part,)


def _attached(message: Part) -> Iterator[Part]:
    waiting = [(message, False)]
    while waiting:
        part, is_related = waiting.pop()
        kind = part.content_type
        if part.parts:
            is_related = is_related or kind == "multipart/related"
            waiting += [(each, is_related) for each in reversed(part.parts)]
        elif not (_is_text(part) or kind.startswith("multipart/") or kind in _SIGNATURES or (is_related and _is_shown(part))):
            yield part


def _root_text(part: Part) -> Part | None:
    """Return the text that one of several alternatives is: the page without its pictures."""
    while part.parts:
        inner = part.parts
        part = inner[0] if part.content_type == "multipart/related" else next(filter(_holds_text, inner), inner[0])
    return part if _is_text(part) else None


def _holds_text(part: Part) -> bool:
    return bool(part.parts) or _is_text(part)


def _is_text(part: Part) -> bool:
    is_file = part.disposition == "attachment" or part.parameter("filename", of="content-disposition")
    return not is_file and (part.content_type in _TEXTS or (part.content_type.startswith("multipart/") and not part.parts))


def _is_shown(part: Part) -> bool:
    """Whether a part is there for the page to show: a picture, a style."""
    has_id = part.header("content-id") or part.header("content-location")
    return part.disposition != "attachment" and (bool(has_id) or part.content_type.startswith(("image/", "text/css", "font/")))


def _is_sealed(part: Part) -> bool:
    if part.content_type in _SEALED:
        return "signed" not in part.parameter("smime-type")
    return part.content_type == "multipart/encrypted"


def _body(part: Part) -> Body:
    flow = Flow(part.parameter("format").lower() == "flowed", part.parameter("delsp").lower() == "yes")
    return Body(part.text(), part.content_type == "text/html", flow)


def _wanted_name(part: Part) -> str:
    name = attachment_name(part)
    if not name and part.content_type == MESSAGE:
        subject = header_text(read_message(part.raw, part.start, part.end), "subject")
        return f"{subject.replace('/', '-')}.eml" if subject else ""
    return name


def _usual_name(part: Part) -> str:
    return "message.eml" if part.content_type == MESSAGE else "attachment"
