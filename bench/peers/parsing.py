"""Reads PDFs with another parser, in that parser's environment: prints a JSON line a file.

python bench/peers/parsing.py PARSER FILE …      PARSER: markitdown, pdfplumber, docling-slim, docling-slim-backend
"""

import json
import logging
import sys
import time
import warnings
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

WARM_UP = Path(__file__).resolve().parents[2] / "src/pincite/samples/library/word-processor.pdf"


def markitdown() -> Callable[[str], list[str]]:
    converter: Any = import_module("markitdown").MarkItDown()
    # It joins the pages without a mark.
    return lambda path: [converter.convert(path).text_content]


def pdfplumber() -> Callable[[str], list[str]]:
    library: Any = import_module("pdfplumber")

    def read(path: str) -> list[str]:
        with library.open(path) as document:
            return [page.extract_text() for page in document.pages]

    return read


def docling_slim() -> Callable[[str], list[str]]:
    """Return the reading of its pipeline without models, pictures off, to the document that users get.

    Its `DocumentConverter` can't be imported without torch, and its other pipeline for PDFs needs a model that is downloaded.
    """
    options: Any = import_module("docling.datamodel.pipeline_options").NativePdfPipelineOptions()
    options.generate_page_images = options.generate_picture_images = False
    pipeline: Any = import_module("docling.pipeline.native_pdf_pipeline").NativePdfPipeline(options)
    opened = _opened_by_docling()

    def read(path: str) -> list[str]:
        document = pipeline.execute(opened(path), raises_on_error=True).document
        return [document.export_to_text(page_no=number) for number in sorted(document.pages)]

    return read


def docling_slim_backend() -> Callable[[str], list[str]]:
    """Return the reading of its PDF backend alone: cells of text in the file's order, no paragraphs and no document."""
    opened = _opened_by_docling()

    def read(path: str) -> list[str]:
        found = opened(path)._backend.iter_pages()
        pages = [(page.page_no, "\n".join(cell.text for cell in page.get_text_cells())) for page in found]
        return [text for _, text in sorted(pages)]

    return read


def _opened_by_docling() -> Callable[[str], Any]:
    backend: Any = import_module("docling.backend.docling_parse_backend").ThreadedDoclingParseDocumentBackend
    options: Any = import_module("docling.datamodel.backend_options").ThreadedDoclingParseBackendOptions(
        render_pages=False, include_bitmap_images=False
    )
    document: Any = import_module("docling.datamodel.document").InputDocument
    pdf: Any = import_module("docling.datamodel.base_models").InputFormat.PDF

    def opened(path: str) -> Any:
        return document(path_or_stream=Path(path), format=pdf, backend=backend, backend_options=options, filename=Path(path).name)

    return opened


PARSERS = {
    "markitdown": markitdown,
    "pdfplumber": pdfplumber,
    "docling-slim": docling_slim,
    "docling-slim-backend": docling_slim_backend,
}


def main(parser: str, paths: list[str]) -> None:
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    read = PARSERS[parser]()
    # Libraries finish loading with their first file.
    read(str(WARM_UP))
    for path in paths:
        start = time.process_time()
        try:
            pages, problem = read(path), ""
        except Exception as error:  # noqa: BLE001 - whatever a peer raises is its result
            pages, problem = list[str](), type(error).__name__
        print(json.dumps({"path": path, "pages": pages, "problem": problem, "cpu_s": time.process_time() - start}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
