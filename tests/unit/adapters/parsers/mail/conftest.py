"""Small compound files made for a test."""

import struct
from collections.abc import Mapping
from typing import Union

import pytest

Folder = Mapping[str, Union[bytes, "Folder"]]
SECTOR = 512
END, FREE, NONE = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFF


def compound(root: Folder) -> bytes:
    """The bytes of a compound file whose streams are all large ones; siblings stand in a chain."""
    return _Writer().encode(root)


class _Writer:
    def __init__(self) -> None:
        self.sectors: list[bytes] = []
        self.table: list[int] = []
        self.entries: list[bytes] = []

    def encode(self, root: Folder) -> bytes:
        self.entries.append(b"")
        child = self._folder(root)
        self.entries[0] = _entry("Root Entry", 5, child=child)
        directory = self._store(b"".join(self.entries))
        first_table = len(self.sectors)
        count = 1 + (first_table + 16) // (SECTOR // 4)
        table = [*self.table, *[0xFFFFFFFD] * count]
        table += [FREE] * (count * SECTOR // 4 - len(table))
        numbers = [first_table + each for each in range(count)]
        header = struct.pack(
            "<8s16xHHHHH6xIIIIIIIII",
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
            0x3E,
            3,
            0xFFFE,
            9,
            6,
            0,
            count,
            directory,
            0,
            0,
            END,
            0,
            END,
            0,
        )
        listed = struct.pack("<109I", *numbers, *[FREE] * (109 - count))
        return header + listed + b"".join(self.sectors) + struct.pack(f"<{len(table)}I", *table)

    def _folder(self, folder: Folder) -> int:
        after = NONE
        for name, content in reversed(list(folder.items())):
            number = len(self.entries)
            self.entries.append(b"")
            if isinstance(content, bytes):
                start = self._store(content)
                self.entries[number] = _entry(name, 2, right=after, start=start, size=len(content))
            else:
                self.entries[number] = _entry(name, 1, right=after, child=self._folder(content))
            after = number
        return after

    def _store(self, content: bytes) -> int:
        if not content:
            return END
        start = len(self.sectors)
        pieces = [content[at : at + SECTOR].ljust(SECTOR, b"\0") for at in range(0, len(content), SECTOR)]
        self.sectors += pieces
        self.table += [*range(start + 1, start + len(pieces)), END]
        return start


def _entry(name: str, kind: int, *, right: int = NONE, child: int = NONE, start: int = 0, size: int = 0) -> bytes:
    letters = name.encode("utf-16-le")
    head = letters.ljust(64, b"\0") + struct.pack("<HBBIII", len(letters) + 2, kind, 1, NONE, right, child)
    return head.ljust(116, b"\0") + struct.pack("<IQ", start, size)


def text(value: str) -> bytes:
    """A text as Outlook keeps it."""
    return value.encode("utf-16-le")


def numbers(header: int, **values: int) -> bytes:
    """The stream of numbers: `p3FFD0003=1252` is property 3FFD of type 0003."""
    rows = (struct.pack("<HHIQ", int(key[5:], 16), int(key[1:5], 16), 6, value) for key, value in values.items())
    return b"\0" * header + b"".join(rows)


class MsgKit:
    """What a test needs to make an Outlook message."""

    compound = staticmethod(compound)
    text = staticmethod(text)
    numbers = staticmethod(numbers)

    def message(self, streams: Folder, *, header: int = 32, **values: int) -> dict[str, "bytes | Folder"]:
        """The folder of a message: `{"0037001F": b"…"}` are its properties, other names are folders."""
        known = {f"__substg1.0_{name}" if isinstance(content, bytes) else name: content for name, content in streams.items()}
        return {"__properties_version1.0": numbers(header, **values), **known}


@pytest.fixture(scope="session")
def msg() -> MsgKit:
    return MsgKit()
