"""Compressed RTF as Outlook stores it ([MS-OXRTFCP])."""

import struct

from pincite.core.errors import RefusedInput

_START = (
    b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern "
    b"\\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{"
    b"\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx"
)
_WINDOW = 4096
_PACKED, _PLAIN = b"LZFu", b"MELA"
_HEADER_BYTES = 16
_MAX_BYTES = 64 * 1024 * 1024


def unpack_rtf(packed: bytes) -> bytes:
    """Return the RTF text. What is cut off is left out. Raises `RefusedInput` (`corrupt`, `too_large`)."""
    if len(packed) < _HEADER_BYTES or packed[8:12] not in (_PACKED, _PLAIN):
        raise RefusedInput("The text of the message is damaged. Save it again from Outlook.", code="corrupt")
    (size_bytes,) = struct.unpack_from("<I", packed, 4)
    if size_bytes > _MAX_BYTES:
        raise RefusedInput("The text of the message is larger than a text may be.", code="too_large")
    if packed[8:12] == _PLAIN:
        return packed[_HEADER_BYTES:][:size_bytes]
    return _unpacked(packed, size_bytes)


def _unpacked(packed: bytes, size_bytes: int) -> bytes:
    window = bytearray(_START.ljust(_WINDOW, b"\0"))
    at, into = _HEADER_BYTES, len(_START)
    out = bytearray()
    while at < len(packed) and len(out) < size_bytes:
        flags = packed[at]
        at += 1
        for bit in range(8):
            if flags >> bit & 1:
                if at + 2 > len(packed):
                    return bytes(out[:size_bytes])
                reference = int.from_bytes(packed[at : at + 2], "big")
                at += 2
                start, length = reference >> 4, (reference & 15) + 2
                if start == into:
                    return bytes(out[:size_bytes])
                for step in range(length):
                    window[into] = window[(start + step) % _WINDOW]
                    out.append(window[into])
                    into = (into + 1) % _WINDOW
            elif at < len(packed):
                out.append(packed[at])
                window[into] = packed[at]
                into = (into + 1) % _WINDOW
                at += 1
    return bytes(out[:size_bytes])
