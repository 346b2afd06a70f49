"""What rapidocr is asked for beyond its own: confidences of words, and bounds within which it fails alone."""

import time
from contextlib import suppress
from pathlib import Path

import pytest
from PIL import Image, ImageDraw, ImageFont

from pincite.adapters.parsers.ocr import IsolatedOcr, OcrEngine
from pincite.adapters.parsers.ocr_rapid import confidences
from pincite.core.documents import Page

PATIENCE_S = 20


@pytest.mark.parametrize(
    ("text", "words", "letters", "expected"),
    [
        ("a bc", ["a", "bc"], [0.9, 0.1, 0.8, 0.7], [0.9, 0.7]),
        ("40, 50", ["40,", "50"], [1.0, 0.2, 1.0, 0.9, 1.0, 1.0], [0.2, 1.0]),
        ("aa a", ["aa", "a"], [1.0, 1.0, 0.5, 0.4], [1.0, 0.4]),
        ("東京", ["東", "京"], [0.6, 1.0], [0.6, 1.0]),
        ("ab", ["ab"], [0.9], [0.9]),
        ("ab c", ["x", "c"], [0.9, 0.8, 0.7, 1.0], [0.7, 1.0]),
    ],
)
def test_a_word_is_as_sure_as_its_least_sure_letter(
    text: str, words: list[str], letters: list[float], expected: list[float]
) -> None:
    assert confidences(text, words, letters) == expected


async def test_a_page_that_needs_more_memory_than_there_is_fails_alone(tmp_path: Path) -> None:
    path = tmp_path / "page.png"
    image = Image.new("L", (1200, 1700), 255)
    ImageDraw.Draw(image).text((100, 100), "words", fill=0, font=ImageFont.load_default(40))
    image.save(path)
    reader = IsolatedOcr(OcrEngine("rapidocr", "3"), page_timeout_s=120, memory_bytes=350_000_000)
    found = await reader.read(path, content_type="image/png", pages=[Page(1, "1", 1200, 1700)])
    reader.close()
    assert found.failed[1].code in {"memory", "crashed"}
    assert found.canonical.text == ""


async def test_a_page_that_takes_too_long_fails_alone(tmp_path: Path) -> None:
    path = tmp_path / "pages.tif"
    image = Image.new("L", (400, 200), 255)
    ImageDraw.Draw(image).text((20, 60), "words", fill=0, font=ImageFont.load_default(40))
    image.save(path, save_all=True, append_images=[image])
    reader = IsolatedOcr(OcrEngine("tesseract", "5", (_sleeper(tmp_path), "eng")), page_timeout_s=0.2, memory_bytes=10**9)
    found = await reader.read(path, content_type="image/tiff", pages=[Page(n, str(n), 400, 200) for n in (1, 2)])
    reader.close()
    assert {number: reason.code for number, reason in found.failed.items()} == {1: "timeout", 2: "timeout"}
    assert _left(f"60.{tmp_path.stat().st_ino}") == []


def _left(argument: str) -> list[str]:
    """Return what stays behind of the programs that ran with an argument: the system takes a moment to end what is killed."""
    patience = time.monotonic() + PATIENCE_S
    while (left := _running(argument)) and time.monotonic() < patience:
        time.sleep(0.05)
    return left


def _running(argument: str) -> list[str]:
    """Return the programs that run with an argument."""
    found: list[str] = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            found += [entry.parent.name] if argument.encode() in entry.read_bytes().split(b"\0") else []
    return found


def _sleeper(folder: Path) -> str:
    path = folder / "tesseract"
    path.write_text(f"#!/bin/sh\nexec sleep 60.{folder.stat().st_ino}\n")
    path.chmod(0o755)
    return str(path)
