"""Contracts of many pages as PDF files: written here, so that a bench needs no library for it."""

import random
from collections.abc import Sequence
from textwrap import wrap

LINES_A_PAGE = 46
LINE_CHARACTERS = 88
SCAN = "q 400 0 0 500 100 150 cm 0.8 g 0 0 1 1 re f Q"
"""What a page without a text layer draws."""


def contract_pages(party: str, clauses: dict[str, str], *, pages: int, seed: int) -> list[list[str]]:
    """Return the lines of each page: all clauses over and over, with other numbers, in annexes of their own."""
    rng = random.Random(seed)
    lines = [f"Services Agreement with {party}", "", f"This Agreement is made between Northgate Holdings plc and {party}.", ""]
    annex = 0
    while len(lines) < pages * LINES_A_PAGE:
        annex += 1
        for number, (name, text) in enumerate(clauses.items(), 1):
            lines += [f"{annex}.{number} {name}", ""]
            for item in range(3):
                service, times = rng.randrange(1000, 10000), rng.randrange(2, 99)
                told = f"({'abc'[item]}) {text} For service {service} this holds up to {times} times a year."
                lines += [*wrap(told, LINE_CHARACTERS), ""]
    return [lines[at : at + LINES_A_PAGE] for at in range(0, pages * LINES_A_PAGE, LINES_A_PAGE)]


def pdf_of(pages: Sequence[Sequence[str] | None], title: str) -> bytes:
    """Return a PDF of pages of lines; a page that is None is a picture without text."""
    objects: list[bytes] = [b"", b"", b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>", f"<< /Title ({title}) >>".encode()]
    kids: list[str] = []
    for lines in pages:
        drawn = (SCAN if lines is None else _text(lines)).encode("latin-1")
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(drawn), drawn))
        fonts = "/Resources << /Font << /F 3 0 R >> >>"
        page = f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] {fonts} /Contents {len(objects)} 0 R >>"
        objects.append(page.encode())
        kids.append(f"{len(objects)} 0 R")
    objects[0] = b"<< /Type /Catalog /Pages 2 0 R >>"
    objects[1] = f"<< /Type /Pages /Count {len(kids)} /Kids [{' '.join(kids)}] >>".encode()
    return _file(objects)


def _text(lines: Sequence[str]) -> str:
    shown = (line.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)") for line in lines)
    return "BT /F 10.5 Tf 15 TL 60 780 Td " + " ".join(f"({line}) Tj T*" for line in shown) + " ET"


def _file(objects: Sequence[bytes]) -> bytes:
    out, offsets = bytearray(b"%PDF-1.4\n"), list[int]()
    for number, each in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, each)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(objects) + 1, table)
    out += b"trailer\n<< /Size %d /Root 1 0 R /Info 4 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)
    return bytes(out)
