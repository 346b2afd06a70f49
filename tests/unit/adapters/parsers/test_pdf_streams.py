"""Streams of PDFs that swell: told before OCR looks at a file without text, and never in files that people make."""

import random
import zlib
from pathlib import Path

import pytest

from pincite.adapters.parsers.pdf import read_pdf
from pincite.adapters.parsers.pdf_streams import has_swelling_stream
from pincite.core.errors import RefusedInput

BLANKS = b" " * 20_000_000
NOISE = random.Random(1).randbytes(100_000)


def pdf(folder: Path, stream: bytes, described: str) -> Path:
    """Write a PDF of one page whose content is a stream."""
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R>>",
        b"<</Length %d %s>>\nstream\n%s\nendstream" % (len(stream), described.encode(), stream),
    ]
    body = b"%PDF-1.7\n" + b"".join(b"%d 0 obj\n%s\nendobj\n" % (n, each) for n, each in enumerate(objects, start=1))
    path = folder / "made.pdf"
    path.write_bytes(body + b"trailer<</Root 1 0 R>>\n%%EOF")
    return path


@pytest.mark.parametrize(
    ("stream", "described"),
    [
        (zlib.compress(BLANKS), "/Filter/FlateDecode"),
        (zlib.compress(zlib.compress(BLANKS)), "/Filter[/FlateDecode/FlateDecode]"),
        (zlib.compress(zlib.compress(BLANKS)), "/Filter [ /Fl /Fl ]"),
    ],
    ids=["once", "twice", "short names"],
)
def test_a_stream_that_swells_is_refused(tmp_path: Path, stream: bytes, described: str) -> None:
    with pytest.raises(RefusedInput) as refused:
        read_pdf(str(pdf(tmp_path, stream, described)), max_pages=10, max_chars=1000)
    assert refused.value.code == "too_large"


@pytest.mark.parametrize(
    ("stream", "described"),
    [
        (zlib.compress(BLANKS), "/Subtype/Image/Filter/FlateDecode"),
        (zlib.compress(BLANKS), "/Filter/DCTDecode"),
        (zlib.compress(NOISE * 3), "/Filter/FlateDecode"),
        (zlib.compress(b" " * 10_000_000), "/Filter/FlateDecode"),
        (b"no packed bytes", "/Filter/FlateDecode"),
        (zlib.compress(BLANKS)[:50], "/Filter/FlateDecode"),
    ],
    ids=["a picture", "another filter", "a usual ratio", "not much", "damaged", "cut"],
)
def test_others_are_not(tmp_path: Path, stream: bytes, described: str) -> None:
    assert not has_swelling_stream(str(pdf(tmp_path, stream, described)))
