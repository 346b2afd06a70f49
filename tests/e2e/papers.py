"""PDF files of many pages, each page with a heading-free text of its own."""

import io

from reportlab.pdfgen import canvas

WORDS = ("notice", "term", "rent", "party", "lease", "clause", "month", "tenant", "owner", "repair", "deposit", "interest", "court")
LINES, WORDS_A_LINE = 30, 9


def fact(paper: int, page: int) -> str:
    """Return the sentence by which a page is found."""
    return f"The ledger entry zq{paper}x{page} belongs to clerk {paper * 1000 + page}."


def paper(number: int, pages: int, *, changed: dict[int, str] | None = None) -> bytes:
    """Return a PDF. Of `changed` pages the first line says something else."""
    target = io.BytesIO()
    # Without `invariant` the file would hold the time at which it was made.
    drawn = canvas.Canvas(target, pagesize=(595, 842), invariant=1)
    for page in range(1, pages + 1):
        lines = [(changed or {}).get(page, fact(number, page)), *(_line(number, page, line) for line in range(LINES))]
        for line, text in enumerate(lines):
            drawn.drawString(72, 770 - 20 * line, text)
        drawn.showPage()
    drawn.save()
    return target.getvalue()


def _line(number: int, page: int, line: int) -> str:
    seed = number * 7919 + page * 104729 + line * 1299709
    words = [WORDS[((seed >> 2 * position) + position * page) % len(WORDS)] for position in range(WORDS_A_LINE)]
    return f"{' '.join(words).capitalize()} {seed % 997}."
