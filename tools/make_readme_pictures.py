"""Makes the pictures of the README from a real answer: the console, and the cited page with its quote marked.

    python tools/make_readme_pictures.py

Needs the samples and the local model. Run it again when the look of an answer changes.
"""

import re
import struct
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pypdfium2
from numpy.typing import NDArray
from rich.console import Console
from rich.text import Text

from pincite import Answer, Pincite

ROOT = Path(__file__).parent.parent
IMAGES = ROOT / "docs" / "images"
PDF = ROOT / "src/pincite/samples/library/word-processor.pdf"
QUESTION = "Who patented the typewriter, and when?"
SCALE = 1.6
MARK = np.array([255, 226, 92], dtype=np.float64) / 255
CROP_POINTS = 400.0


def main() -> None:
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as home:
        with Pincite.sync(home) as pincite:
            pincite.add(PDF)
            answer = pincite.ask(QUESTION)
        draw_page(answer)
        draw_console(home)


def draw_page(answer: Answer) -> None:
    """Draw the upper part of the cited page, the boxes of its quotes marked."""
    spans = [span for citation in answer.citations for quote in citation.quotes for span in quote.spans]
    page_number = spans[0].page or 1
    # pypdfium2 types neither what a bitmap holds nor a fraction as scale.
    page: Any = pypdfium2.PdfDocument(PDF)[page_number - 1]
    bitmap = page.render(scale=SCALE)
    pixels = np.array(bitmap.to_numpy()[..., 2::-1], dtype=np.float64)
    for span in spans:
        for box in span.boxes if span.page == page_number else ():
            x0, y0, x1, y1 = (round(value * SCALE) for value in box.as_list())
            pixels[y0 - 2 : y1 + 2, x0 - 2 : x1 + 2] *= MARK
    write_png(IMAGES / "quote-on-page.png", np.array(pixels[: round(CROP_POINTS * SCALE)], dtype=np.uint8))


def write_png(path: Path, pixels: NDArray[Any]) -> None:
    """Write RGB pixels `(height, width, 3)` as a PNG."""
    height, width, _ = pixels.shape
    rows = b"".join(b"\0" + row.tobytes() for row in np.ascontiguousarray(pixels))

    def part(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + part(b"IHDR", header) + part(b"IDAT", zlib.compress(rows, 9)) + part(b"IEND", b""))


def draw_console(home: str) -> None:
    """Draw what `pincite ask` prints, with the colours of a terminal."""
    script = "from pincite.cli.main import cli; import click; click.utils.should_strip_ansi = lambda *a, **k: False; cli()"
    environment = {"PINCITE_HOME": home, "PATH": "/usr/bin:/bin", "FORCE_COLOR": "1"}
    done = subprocess.run(
        [sys.executable, "-c", script, "ask", QUESTION], capture_output=True, text=True, env=environment, check=True
    )
    console = Console(record=True, width=100, file=open("/dev/null", "w", encoding="utf-8"))  # noqa: SIM115
    console.print(Text("$ pincite add word-processor.pdf", style="bold"))
    console.print(Text.from_ansi("\x1b[32mready\x1b[0m   word-processor.pdf"))
    console.print(Text(f'$ pincite ask "{QUESTION}"', style="bold"))
    shown = done.stdout.replace(PDF.resolve().as_uri(), "file:///…/word-processor.pdf")
    console.print(Text.from_ansi(shown))
    svg = re.sub(r"@font-face \{.*?\}\s*", "", console.export_svg(title="pincite"), flags=re.DOTALL)
    svg = re.sub(r"<!--.*?-->\s*", "", svg.replace("Fira Code", "monospace"))
    (IMAGES / "first-answer.svg").write_text(svg, encoding="utf-8")


main()
