"""What reads files: the parser, and the OCR engine for pages that are pictures."""

from importlib.metadata import version

from pincite.core.documents import fingerprint_of
from pincite.core.errors import ConfigurationError
from pincite.core.ports.ocr import PageReader
from pincite.ingest.ocr import OcrParser
from pincite.settings import Settings

_INSTALL = "Install an OCR engine (`pip install 'pincite[ocr]'`, or the program tesseract) and add the file again."
_OFF = "Recognising text is switched off (PINCITE_OCR=off). Switch it on and add the file again."


def reads_as(settings: Settings, parser: OcrParser) -> str:
    """Return the fingerprint of how files are read: by which version, within which limits, with which OCR engine."""
    limits = (settings.parse_timeout_s, settings.parse_memory_mb, settings.max_file_bytes, settings.max_pages, settings.max_pixels)
    ocr = (settings.ocr_languages, settings.ocr_page_timeout_s, settings.ocr_memory_mb)
    engine = (parser.reader.name, parser.reader.version) if parser.reader else ()
    vision = (settings.vision_model, settings.vision_max_pictures, settings.vision_least_side_pixels)
    return fingerprint_of(repr((version("pincite"), limits, ocr, engine, vision)))


def parser_of(settings: Settings) -> OcrParser:
    """Build what reads files. Raises `ConfigurationError` when the OCR engine that was chosen isn't installed."""
    from pincite.adapters.parsers.isolation import IsolatedParser, ParseLimits

    limits = ParseLimits(
        timeout_s=settings.parse_timeout_s,
        memory_bytes=settings.parse_memory_mb * 1_000_000,
        file_bytes=settings.max_file_bytes,
        pages=settings.max_pages,
        pixels=settings.max_pixels,
    )
    advice = _OFF if settings.ocr == "off" else _INSTALL
    return OcrParser(IsolatedParser(limits), _page_reader(settings), advice, bool(settings.vision_model))


def ocr_engine(settings: Settings) -> str:
    """Return what reads pages that are pictures, or what to do to have them read. Raises as `parser_of`."""
    reader = _page_reader(settings)
    if reader is None:
        return f"none: pages that are pictures stay unread. {_OFF if settings.ocr == 'off' else _INSTALL}"
    reader.close()
    return f"{reader.name} {reader.version.partition('/')[0]} reads pages that are pictures"


def _page_reader(settings: Settings) -> PageReader | None:
    from pincite.adapters.parsers.limits import ParseLimits
    from pincite.adapters.parsers.ocr import IsolatedOcr, rapidocr_engine, tesseract_engine

    engine = rapidocr_engine() if settings.ocr in ("auto", "rapidocr") else None
    if engine is None and settings.ocr in ("auto", "tesseract"):
        engine = tesseract_engine(settings.ocr_languages)
    if engine is None and settings.ocr in ("rapidocr", "tesseract"):
        raise ConfigurationError(f"PINCITE_OCR is {settings.ocr}, which isn't installed. {_ways_to_get(settings.ocr)}")
    if engine is None:
        return None
    return IsolatedOcr(
        engine,
        page_timeout_s=settings.ocr_page_timeout_s,
        memory_bytes=settings.ocr_memory_mb * 1_000_000,
        limits=ParseLimits(pixels=settings.max_pixels),
    )


def _ways_to_get(engine: str) -> str:
    if engine == "rapidocr":
        return "Install it with `pip install 'pincite[ocr]'`, or set PINCITE_OCR to auto."
    return "Install the program tesseract with its languages, or set PINCITE_OCR to auto."
