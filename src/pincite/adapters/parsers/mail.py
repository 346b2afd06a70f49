"""E-mail messages (EML) read to canonical text: who, to whom, when, about what, and what the writer's reader sees of the text."""

from collections.abc import Iterator
from dataclasses import dataclass

from pincite.adapters.parsers.assembly import CanonicalBuilder
from pincite.adapters.parsers.html import html_items
from pincite.adapters.parsers.leaves import Leaf, LeafWriter, Table
from pincite.adapters.parsers.mail_headers import date_of, header_text
from pincite.adapters.parsers.mail_parts import Attachment, Body, attachments_of, body_of, check_nesting, shown_pictures
from pincite.adapters.parsers.mail_quotes import WRITER_LEVEL, attributed
from pincite.adapters.parsers.mail_text import plain_items
from pincite.adapters.parsers.mime import Raw, read_message
from pincite.adapters.parsers.placed_text import Places
from pincite.adapters.parsers.tables import MADE
from pincite.core.documents import BlockRole, ParsedDocument

CONTENT_TYPE = "message/rfc822"
VERSION = "3"
_SHOWN = (("To", "to"), ("Cc", "cc"), ("Bcc", "bcc"), ("Date", "date"))
_LEAST_SHARE = 0.5
_MAX_TITLE_CHARS = 1000


@dataclass(frozen=True, slots=True)
class Mail:
    """What is told of a message: `rows` are its headers as label and value, `date` the day of writing (ISO 8601) or empty.

    Each of `bodies` is a list of forms of the same text, the one that mail programs prefer last. `pictures` are the addresses of
    those that they show and that stand in the message.
    """

    subject: str = ""
    sender: str = ""
    rows: tuple[tuple[str, str], ...] = ()
    date: str = ""
    bodies: tuple[tuple[Body, ...], ...] = ()
    attachments: tuple[Attachment, ...] = ()
    pictures: frozenset[str] = frozenset()


def read_mail(raw: Raw, *, max_chars: int) -> ParsedDocument:
    """Read a message. Raises `RefusedInput`: `encrypted`, `too_deep`, `too_large`."""
    check_nesting(raw)
    return mail_document(open_mail(raw), content_type=CONTENT_TYPE, parser="mail", version=VERSION, max_chars=max_chars)


def open_mail(raw: Raw) -> Mail:
    """Return what is told of a message. Raises `RefusedInput`."""
    message = read_message(raw)
    written = date_of(message)
    return Mail(
        subject=header_text(message, "subject"),
        sender=header_text(message, "from") or header_text(message, "sender"),
        rows=tuple((label, text) for label, name in _SHOWN if (text := header_text(message, name))),
        date=written.date().isoformat() if written else "",
        bodies=tuple(body_of(message)),
        attachments=tuple(attachments_of(message)),
        pictures=frozenset(shown_pictures(message)),
    )


def mail_document(mail: Mail, *, content_type: str, parser: str, version: str, max_chars: int) -> ParsedDocument:
    """Return a message as canonical text. Characters are numbered as they are taken: headers, then bodies."""
    places = Places()
    items = list(_head(mail, places))
    writer = next((leaf for leaf in items if leaf.level == WRITER_LEVEL), None)
    said: list[Leaf | Table] = []
    for forms in mail.bodies:
        said += _shown(forms, places, mail.pictures)
    builder = CanonicalBuilder(max_chars=max_chars)
    leaves = LeafWriter(builder)
    leaves.write([*items, *attributed(said, writer)])
    return ParsedDocument(
        canonical=builder.build(),
        content_type=content_type,
        parser=parser,
        parser_version=version,
        title=mail.subject[:_MAX_TITLE_CHARS] or None,
        doc_date=mail.date,
        contained=len(mail.attachments),
        figures=tuple(leaves.figures()),
    )


def _head(mail: Mail, places: Places) -> Iterator[Leaf]:
    if mail.subject:
        yield Leaf(BlockRole.HEADING, WRITER_LEVEL - 1, list(places.take(mail.subject)))
    if mail.sender:
        yield Leaf(BlockRole.HEADING, WRITER_LEVEL, [("From: ", MADE, 0), *places.take(mail.sender)])
    for label, text in mail.rows:
        yield Leaf(pieces=[(f"{label}: ", MADE, 0), *places.take(text)])
    if mail.attachments:
        names = "; ".join(attachment.name for attachment in mail.attachments)
        yield Leaf(pieces=[("Attachments: ", MADE, 0), *places.take(names)])


def _shown(forms: tuple[Body, ...], places: Places, pictures: frozenset[str]) -> list[Leaf | Table]:
    """Return the form that people see: the last, unless it says far less than an earlier one."""
    index = places.index
    read = [(_items(form, index, pictures), len(form.text)) for form in forms]
    best, length = read[-1]
    for items, size in reversed(read[:-1]):
        if _letters(best) < _LEAST_SHARE * _letters(items):
            best, length = items, size
    places.index += length
    return best


def _items(body: Body, index: int, pictures: frozenset[str]) -> list[Leaf | Table]:
    def named(attributes: dict[str, str], _: int) -> str:
        address = attributes.get("src", "").strip()
        return address if address in pictures else ""

    if body.is_html:
        return html_items(body.text, index=index, pictures=named)
    return [*plain_items(body.text, body.flow, index=index)]


def _letters(items: list[Leaf | Table]) -> int:
    leaves = (item for item in items if isinstance(item, Leaf))
    tables = (piece for item in items if isinstance(item, Table) for row in item.rows for cell in row for piece in cell.pieces())
    return sum(len(leaf.text) for leaf in leaves) + sum(len(text) for text, _, _ in tables)
