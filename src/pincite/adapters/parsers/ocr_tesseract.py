"""The program tesseract as the reader of pictures. It gets them through a pipe and writes no file."""

import csv
import subprocess
from collections.abc import Iterable, Iterator
from io import BytesIO, StringIO
from itertools import groupby

from PIL import Image, ImageFilter

from pincite.adapters.parsers.ocr_words import Point, SeenLine, SeenWord
from pincite.core.errors import RefusedInput

MOST_PIXELS = 8_700_000
"""300 an inch on a page of A4, for which tesseract was trained."""

_WORD_LEVEL = "5"
_DPI = "300"


class TesseractEngine:
    """Reads pictures with the program at a path, in languages as it names them (`eng+deu`)."""

    def __init__(self, program: str, languages: str) -> None:
        self._program = program
        self._languages = languages

    def read(self, image: Image.Image) -> list[SeenLine]:
        """Return the lines of a picture in the order of reading. Raises `RefusedInput` when the program refuses it."""
        picture = BytesIO()
        # Specks that a scanner leaves would be read as dots and dashes.
        image.convert("L").filter(ImageFilter.MedianFilter(3)).save(picture, "BMP")
        command = [self._program, "stdin", "stdout", "-l", self._languages, "--psm", "3", "--dpi", _DPI, "tsv"]
        done = subprocess.run(
            command, input=picture.getvalue(), capture_output=True, check=False, env={"OMP_THREAD_LIMIT": "1", "LANG": "C.UTF-8"}
        )
        if done.returncode:
            said = done.stderr.decode(errors="replace").strip().splitlines()
            raise RefusedInput(f"tesseract refused the picture: {said[0] if said else 'it gave no reason'}", code="crashed")
        return list(_lines(done.stdout.decode(errors="replace")))


def _lines(table: str) -> Iterator[SeenLine]:
    rows = csv.DictReader(StringIO(table), delimiter="\t", quoting=csv.QUOTE_NONE)
    words = (row for row in rows if row["level"] == _WORD_LEVEL and row["text"] and row["text"].strip())
    for _, line in groupby(words, key=lambda row: (row["block_num"], row["par_num"], row["line_num"])):
        yield list(_words(line))


def _words(rows: Iterable[dict[str, str]]) -> Iterator[SeenWord]:
    """Yield the words of a line, all as high as the line: their own boxes are as high as their letters."""
    line = list(rows)
    top = min(int(row["top"]) for row in line)
    bottom = max(int(row["top"]) + int(row["height"]) for row in line)
    for row in line:
        left, right = int(row["left"]), int(row["left"]) + int(row["width"])
        corners = (Point(left, top), Point(right, top), Point(right, bottom), Point(left, bottom))
        yield SeenWord(row["text"], round(max(0.0, float(row["conf"])) / 100, 3), corners)
