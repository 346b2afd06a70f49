"""Compound files ([MS-CFB]): old office files, and today's when a password protects them. None of these is read; each is named."""

import mmap

from pincite.adapters.parsers.office_parts import unsupported
from pincite.core.errors import RefusedInput

_NAME_BYTES = 64
_ENTRY_BYTES = 128
_STREAM = 2

_ENCRYPTED = "EncryptedPackage"
_STREAMS = {
    "WordDocument": ("an old Word document (DOC)", "Open it in Word or LibreOffice and save it as DOCX."),
    "PowerPoint Document": ("an old PowerPoint presentation (PPT)", "Open it in PowerPoint or LibreOffice and save it as PPTX."),
    "Workbook": ("an old Excel workbook (XLS)", "Open it in Excel or LibreOffice and save it as XLSX."),
    "Book": ("an old Excel workbook (XLS)", "Open it in Excel or LibreOffice and save it as XLSX."),
}


def refuse_old_office(path: str) -> RefusedInput:
    """Return the error for a compound file: `encrypted` for a protected file of today, else `unsupported`."""
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as raw:
        if _position(raw, _ENCRYPTED) >= 0:
            return RefusedInput(
                "The file is protected by a password. Open it in its program, remove the password and add it again.",
                code="encrypted",
            )
        found = {name: at for name in _STREAMS if (at := _position(raw, name)) >= 0}
    if not found:
        return unsupported("an old office document or a protected file", "Save it as DOCX, PPTX or PDF.")
    # A document inside a document has its streams behind those of the outer one.
    return unsupported(*_STREAMS[min(found, key=lambda name: found[name])])


def _position(raw: mmap.mmap, name: str) -> int:
    """Return where the directory entry of a stream stands, -1 when there is none."""
    letters = name.encode("utf-16-le")
    field = letters.ljust(_NAME_BYTES, b"\0") + (len(letters) + 2).to_bytes(2, "little") + bytes([_STREAM])
    at = raw.find(field)
    while at >= 0 and at % _ENTRY_BYTES:
        at = raw.find(field, at + 1)
    return at
