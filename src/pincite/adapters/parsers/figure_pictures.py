"""The pictures of a document, taken out one after the other and made anew."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256

from pincite.adapters.parsers.sniff import Media, sniff
from pincite.core.errors import RefusedInput
from pincite.core.figures import FigurePlace

_HEAD_BYTES = 65_536
_PIECE_BYTES = 1 << 20
_MOST_PICTURE_BYTES = 64 << 20
_MOST_REPEATED = 2
"""A picture that comes back more often than this is a logo, a background, a mark of the house."""

Sizes = list[list[int] | None]
Taken = tuple[int, bytes, tuple[int, int]]


def take_pictures(
    path: str, *, name: str, places: Sequence[FigurePlace], max_unpacked_bytes: int, write: Callable[[int, bytes], None]
) -> Sizes:
    """Hand the bytes of the pictures at some places to `write`, each with its number; return for each width, height, and 1 if it
    comes back again and again, None for those left out.

    Of a picture that is there several times the first is kept. Raises `RefusedInput` when the file itself can't be opened.
    """
    with open(path, "rb") as file:
        media = sniff(file.read(_HEAD_BYTES), name=name)
    sizes: Sizes = [None] * len(places)
    kept: dict[bytes, int] = {}
    count = Counter[bytes]()
    for number, data, size in _pictures(path, media, places, max_unpacked_bytes):
        digest = sha256(data).digest()
        count[digest] += 1
        if digest not in kept:
            kept[digest], sizes[number] = number, [*size, 0]
            for at in range(0, len(data), _PIECE_BYTES):
                write(number, data[at : at + _PIECE_BYTES])
    for digest, number in kept.items():
        if (row := sizes[number]) and count[digest] > _MOST_REPEATED:
            row[-1] = 1
    return sizes


def _pictures(path: str, media: Media, places: Sequence[FigurePlace], max_unpacked_bytes: int) -> Iterator[Taken]:
    match media:
        case Media.PDF:
            from pincite.adapters.parsers.pdf_figures import drawn_figures

            yield from drawn_figures(path, places)
        case Media.OFFICE:
            yield from _parts(path, places, max_unpacked_bytes)
        case Media.IMAGE:
            yield from _frames(path, places)
        case Media.MAIL:
            yield from _shown_in_mail(path, places)
        case Media.HTML:
            yield from _embedded(path, places)
        case _:
            return


def _parts(path: str, places: Sequence[FigurePlace], max_unpacked_bytes: int) -> Iterator[Taken]:
    """Yield the pictures that are parts of an office file or book, without those that are damaged or in a form that isn't read."""
    from pincite.adapters.parsers.archive import Archive
    from pincite.adapters.parsers.picture_forms import encoded, picture_of

    with open(path, "rb") as file:
        archive = Archive(file, max_bytes=max_unpacked_bytes)
        for number, place in enumerate(places):
            try:
                data = archive.read(place.source, max_bytes=_MOST_PICTURE_BYTES) if place.source in archive else b""
            except RefusedInput:
                continue
            if picture := picture_of(data):
                yield number, encoded(picture), picture.size


def _embedded(path: str, places: Sequence[FigurePlace]) -> Iterator[Taken]:
    """Yield the pictures that stand in a web page itself."""
    from pincite.adapters.parsers.decoding import decode_text
    from pincite.adapters.parsers.html_pictures import embedded_bytes
    from pincite.adapters.parsers.picture_forms import encoded, picture_of

    with open(path, "rb") as file:
        text = decode_text(file.read(), is_html=True)
    for number, place in enumerate(places):
        if picture := picture_of(embedded_bytes(text, place.source, most_bytes=_MOST_PICTURE_BYTES)):
            yield number, encoded(picture), picture.size


def _frames(path: str, places: Sequence[FigurePlace]) -> Iterator[Taken]:
    """Yield the pages of an image file."""
    from pincite.adapters.parsers.picture_forms import encoded, picture_of

    with open(path, "rb") as file:
        data = file.read(_MOST_PICTURE_BYTES + 1)
    for number, place in enumerate(places if len(data) <= _MOST_PICTURE_BYTES else ()):
        if place.page and (picture := picture_of(data, place.page - 1)):
            yield number, encoded(picture), picture.size


def _shown_in_mail(path: str, places: Sequence[FigurePlace]) -> Iterator[Taken]:
    """Yield the pictures that the text of a message shows, and that stand in it."""
    import mmap

    from pincite.adapters.parsers.mail_parts import shown_pictures
    from pincite.adapters.parsers.mime import read_message
    from pincite.adapters.parsers.picture_forms import encoded, picture_of

    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as raw:
        parts = shown_pictures(read_message(raw))
        for number, place in enumerate(places):
            part = parts.get(place.source)
            if part and part.end - part.start <= 2 * _MOST_PICTURE_BYTES and (picture := picture_of(part.content())):
                yield number, encoded(picture), picture.size
