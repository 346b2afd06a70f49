"""Which OCR engine reads pictures of pages: the one that was chosen, else what is installed."""

import importlib.metadata
import subprocess
import sys
from pathlib import Path

import pytest

from pincite.adapters.parsers import ocr
from pincite.bootstrap import ocr_engine
from pincite.bootstrap.reading import parser_of
from pincite.core.errors import ConfigurationError, RefusedInput
from pincite.settings import load_settings


def engine(choice: str) -> str:
    return ocr_engine(load_settings({"PINCITE_OCR": choice, "PINCITE_OCR_LANGUAGES": "eng+deu"}))


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put a program tesseract on the path, alone."""
    path = tmp_path / "tesseract"
    path.write_text("#!/bin/sh\necho tesseract 5.9.1\necho ' leptonica-1.9'\n")
    path.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    return path


@pytest.fixture
def without_rapidocr(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(ocr, "version", missing)


def test_rapidocr_is_taken_where_it_is_installed(program: Path) -> None:
    assert engine("auto") == engine("rapidocr")
    assert engine("auto").startswith("rapidocr 3.10")


def test_tesseract_is_taken_when_it_is_chosen(program: Path) -> None:
    assert engine("tesseract") == "tesseract 5.9.1 eng+deu reads pages that are pictures"


@pytest.mark.usefixtures("without_rapidocr")
def test_tesseract_is_taken_where_rapidocr_isnt_installed(program: Path) -> None:
    assert engine("auto").startswith("tesseract 5.9.1")
    program.write_text("#!/bin/sh\nexit 1\n")
    assert engine("auto").startswith("none: ")


@pytest.mark.usefixtures("without_rapidocr")
def test_without_an_engine_it_says_how_to_get_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "pip install 'pincite[ocr]'" in engine("auto")
    for choice in ("rapidocr", "tesseract"):
        with pytest.raises(ConfigurationError, match=f"PINCITE_OCR is {choice}, which isn't installed"):
            engine(choice)


async def test_when_it_is_off_a_scan_fails_and_says_so(tmp_path: Path) -> None:
    from PIL import Image

    path = tmp_path / "scan.png"
    Image.new("L", (30, 20)).save(path)
    parser = parser_of(load_settings({"PINCITE_OCR": "off"}))
    with pytest.raises(RefusedInput, match="PINCITE_OCR=off"):
        await parser.parse(path, name=path.name)
    parser.close()
    assert "PINCITE_OCR=off" in engine("off")


def test_another_engine_is_refused_by_name() -> None:
    with pytest.raises(ConfigurationError, match="PINCITE_OCR is 'easyocr'"):
        engine("easyocr")


def test_whoever_asks_for_the_engine_loads_neither_it_nor_its_models() -> None:
    code = (
        "import sys; from pincite.bootstrap.reading import parser_of; from pincite.settings import load_settings; "
        "parser = parser_of(load_settings({})); parser.reader.version; parser.close(); "
        "print([name for name in ('rapidocr', 'cv2', 'onnxruntime', 'pincite.adapters.parsers.ocr_layout') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
