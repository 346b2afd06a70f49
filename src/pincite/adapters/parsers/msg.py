"""Outlook messages (MSG, [MS-OXMSG]) read to canonical text, as e-mail is."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from pincite.adapters.parsers.charsets import decode_declared
from pincite.adapters.parsers.compound import Compound, Storage
from pincite.adapters.parsers.contained import FileNames
from pincite.adapters.parsers.mail import Mail, mail_document
from pincite.adapters.parsers.mail_headers import date_of, header_text
from pincite.adapters.parsers.mail_parts import MAX_MESSAGES_DEEP, Attachment, Body
from pincite.adapters.parsers.mail_writing import write_message
from pincite.adapters.parsers.mime import Raw, read_message
from pincite.adapters.parsers.msg_properties import Properties
from pincite.core.documents import ParsedDocument
from pincite.core.errors import RefusedInput

CONTENT_TYPE = "application/vnd.ms-outlook"
VERSION = "2"
PROPERTIES = "__properties_version1.0"
_OF_OTHERS = ("WordDocument", "PowerPoint Document", "Workbook", "EncryptedPackage")
_MAX_ATTACHMENTS = 2000
_SUBJECT, _BODY, _HTML, _RTF, _HEADERS, _CLASS = 0x0037, 0x1000, 0x1013, 0x1009, 0x007D, 0x001A
_SENDER = ((0x0C1A, (0x5D01, 0x0C1F)), (0x0042, (0x5D02, 0x0065)))
_SENT, _RECEIVED = 0x0039, 0x0E06
_NAME, _ADDRESS, _SMTP_ADDRESS, _KIND = 0x3001, 0x3003, 0x39FE, 0x0C15
_LABELS = {1: "To", 2: "Cc", 3: "Bcc"}
_SHOWN = {"To": 0x0E04, "Cc": 0x0E03, "Bcc": 0x0E02}
_LONG_NAME, _SHORT_NAME, _DATA, _CONTENT_ID, _HIDDEN = 0x3707, 0x3704, 0x3701, 0x3712, 0x7FFE
_EMBEDDED = "__substg1.0_3701000D"
_EPOCH = datetime(1601, 1, 1, tzinfo=UTC)


def is_msg(raw: Raw) -> bool:
    """Whether a compound file is an Outlook message, and not an office document with one inside. Raises `RefusedInput`."""
    if raw.find(PROPERTIES.encode("utf-16-le")) < 0:
        return False
    try:
        return PROPERTIES in Compound(raw).root.streams
    except RefusedInput:
        if any(raw.find(name.encode("utf-16-le")) >= 0 for name in _OF_OTHERS):
            return False
        raise


def read_msg(raw: Raw, *, max_chars: int) -> ParsedDocument:
    """Read a message. Raises `RefusedInput`: `corrupt`, `encrypted`, `too_deep`, `too_large`."""
    return mail_document(open_msg(raw), content_type=CONTENT_TYPE, parser="msg", version=VERSION, max_chars=max_chars)


def open_msg(raw: Raw) -> Mail:
    """Return what is told of a message. Raises `RefusedInput`."""
    file = Compound(raw)
    return _mail(file, file.root, depth=1)


def _mail(file: Compound, folder: Storage, *, depth: int) -> Mail:
    """Return a message, also one inside another; those inside it become e-mail."""
    if depth > MAX_MESSAGES_DEEP:
        raise RefusedInput(f"More than {MAX_MESSAGES_DEEP} messages are attached inside each other.", code="too_deep")
    properties = Properties(file, folder, header_bytes=32 if depth == 1 else 24)
    kind = properties.text(_CLASS).lower()
    if kind.startswith("ipm.note.smime") and not kind.endswith("multipartsigned"):
        raise RefusedInput("The message is encrypted. Save a copy of it from Outlook in which it is not.", code="encrypted")
    headers = read_message(properties.text(_HEADERS).encode())
    sent = date_of(headers) or _time(properties.number(_SENT)) or _time(properties.number(_RECEIVED))
    shown = header_text(headers, "date") or (f"{sent:%Y-%m-%d %H:%M} UTC" if sent else "")
    return Mail(
        subject=" ".join(properties.text(_SUBJECT).split()),
        sender=_sender(properties, header_text(headers, "from")),
        rows=(*_recipients(file, folder, properties), *((("Date", shown),) if shown else ())),
        date=sent.date().isoformat() if sent else "",
        bodies=_bodies(properties),
        attachments=tuple(_attachments(file, folder, depth)),
    )


def _time(ticks: int) -> datetime | None:
    """Return a time counted in tenths of microseconds since 1601."""
    try:
        return _EPOCH + timedelta(microseconds=ticks // 10) if ticks else None
    except OverflowError:
        return None


def _sender(properties: Properties, header: str) -> str:
    """Return who wrote it, best with an address; inside a company Outlook keeps one that means nothing elsewhere."""
    people = [
        _person(properties.text(name), next((text for each in addresses if "@" in (text := properties.text(each))), ""))
        for name, addresses in _SENDER
    ]
    known = [person for person in (*people, header) if person]
    return next((person for person in known if "@" in person), known[0] if known else "")


def _person(name: str, address: str) -> str:
    name = " ".join(name.split())
    if not address or address in name:
        return name
    return f"{name} <{address}>" if name else address


def _recipients(file: Compound, folder: Storage, properties: Properties) -> Iterator[tuple[str, str]]:
    people: dict[str, list[str]] = {}
    for name, storage in sorted(folder.storages.items()):
        if name.startswith("__recip_version1.0_"):
            one = Properties(file, storage, header_bytes=8, codepage=properties.codepage)
            address = next((text for each in (_SMTP_ADDRESS, _ADDRESS) if "@" in (text := one.text(each))), "")
            people.setdefault(_LABELS.get(one.number(_KIND), "To"), []).append(_person(one.text(_NAME), address))
    for label, shown in _SHOWN.items():
        if text := ", ".join(filter(None, people.get(label, ()))) or " ".join(properties.text(shown).split()):
            yield label, text


def _bodies(properties: Properties) -> tuple[tuple[Body, ...], ...]:
    plain, page = properties.text(_BODY), properties.raw(_HTML)
    forms: list[Body] = []
    if plain.strip():
        forms.append(Body(plain))
    if page:
        forms.append(Body(decode_declared(page, properties.page_charset, is_html=True), is_html=True))
    elif text := properties.text(_HTML):
        forms.append(Body(text, is_html=True))
    elif (packed := properties.raw(_RTF)) and (body := _rich_body(packed, is_needed=not forms)):
        forms.append(body)
    return (tuple(forms),) if forms else ()


def _rich_body(packed: bytes, *, is_needed: bool) -> Body | None:
    """Return a text kept as RTF: as the web page that it was made from, else only where there is no other form of it."""
    from pincite.adapters.parsers.rtf import rtf_body
    from pincite.adapters.parsers.rtf_unpacking import unpack_rtf

    try:
        body = rtf_body(unpack_rtf(packed))
    except RefusedInput:
        if is_needed:
            raise
        return None
    return body if is_needed or body.is_html else None


def _attachments(file: Compound, folder: Storage, depth: int) -> Iterator[Attachment]:
    names = FileNames()
    found = [(name, storage) for name, storage in sorted(folder.storages.items()) if name.startswith("__attach_version1.0_")]
    if len(found) > _MAX_ATTACHMENTS:
        raise RefusedInput(f"The message has more than {_MAX_ATTACHMENTS:,} attachments.", code="too_large")
    for _, storage in found:
        properties = Properties(file, storage, header_bytes=8)
        name = properties.text(_LONG_NAME) or properties.text(_SHORT_NAME) or properties.text(_NAME)
        if _EMBEDDED in storage.storages and PROPERTIES in storage.storages[_EMBEDDED].streams:
            inner = _mail(file, storage.storages[_EMBEDDED], depth=depth + 1)
            subject = inner.subject.replace("/", "-")
            wanted = f"{subject or name or 'message'}.eml".replace(".msg.eml", ".eml")
            yield Attachment(names.take(wanted, usual="message.eml"), lambda inner=inner: write_message(inner))
        elif not _is_shown(properties):
            yield Attachment(names.take(name, usual="attachment"), lambda properties=properties: properties.raw(_DATA))


def _is_shown(properties: Properties) -> bool:
    """Whether an attachment is a picture that the page shows."""
    return bool(properties.number(_HIDDEN) and properties.text(_CONTENT_ID))
