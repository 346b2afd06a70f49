"""Files inside files, taken out one after the other: attachments of messages, entries of archives."""

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pincite.adapters.parsers.sniff import Media, sniff
from pincite.core.errors import RefusedInput

if TYPE_CHECKING:
    from pincite.adapters.parsers.mail_parts import Attachment
    from pincite.adapters.parsers.mime import Raw

_HEAD_BYTES = 65_536
_PIECE_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Inner:
    """A file inside another: the name that it gets, and its bytes in pieces."""

    name: str
    pieces: Callable[[], Iterable[bytes]]


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of a file inside another: written, or refused with a code and a sentence."""

    name: str
    code: str = ""
    message: str = ""


def unpack_file(path: str, *, name: str, max_unpacked_bytes: int, write: Callable[[int, bytes], None]) -> list[Taken]:
    """Hand the bytes of the files inside a file to `write`, each with its number from 0; return what became of each.

    One that is damaged or passes a bound fails alone. Raises `RefusedInput` when the file itself can't be opened.
    """
    with open(path, "rb") as file:
        media = sniff(file.read(_HEAD_BYTES), name=name or os.path.basename(path))
    room = _Room(max_unpacked_bytes)
    return [_take(number, inner, room, write) for number, inner in enumerate(_inner_files(path, media, max_unpacked_bytes))]


def _inner_files(path: str, media: Media, max_unpacked_bytes: int) -> Iterator[Inner]:
    if media in (Media.MAIL, Media.OLD_OFFICE):
        yield from _attachments(path, media)
    elif media is Media.OFFICE:
        yield from _entries(path, max_unpacked_bytes)


def _attachments(path: str, media: Media) -> Iterator[Inner]:
    import mmap

    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as raw:
        for attachment in _attached(raw, media):
            yield Inner(attachment.name, lambda attachment=attachment: _cut(attachment.content()))


def _attached(raw: "Raw", media: Media) -> "Iterable[Attachment]":
    """Return what is attached to a message, or the messages of a mailbox."""
    from pincite.adapters.parsers.mbox import is_mailbox, mailbox_messages

    if media is Media.OLD_OFFICE:
        from pincite.adapters.parsers.msg import open_msg

        return open_msg(raw).attachments
    if is_mailbox(raw):
        return mailbox_messages(raw)
    from pincite.adapters.parsers.mail import open_mail

    return open_mail(raw).attachments


def _entries(path: str, max_unpacked_bytes: int) -> Iterator[Inner]:
    from pincite.adapters.parsers.archive import Archive
    from pincite.adapters.parsers.zip_files import archive_files

    with open(path, "rb") as file:
        archive = Archive(file, max_bytes=max_unpacked_bytes)
        for name, info in archive_files(archive):
            yield Inner(name, lambda info=info: archive.pieces(info))


def _cut(content: bytes) -> Iterator[bytes]:
    return (content[at : at + _PIECE_BYTES] for at in range(0, len(content), _PIECE_BYTES))


class _Room:
    """Bytes that may still be taken out in all."""

    def __init__(self, most_bytes: int) -> None:
        self._left_bytes = most_bytes

    def take(self, size_bytes: int) -> None:
        self._left_bytes -= size_bytes
        if self._left_bytes < 0:
            raise RefusedInput(
                "With it the files inside are larger than all files in one may be. Unpack it yourself.", code="too_large"
            )


def _take(number: int, inner: Inner, room: _Room, write: Callable[[int, bytes], None]) -> Taken:
    try:
        for piece in inner.pieces():
            room.take(len(piece))
            for part in _cut(piece):
                write(number, part)
    except RefusedInput as error:
        return Taken(inner.name, error.code, error.message)
    return Taken(inner.name)
