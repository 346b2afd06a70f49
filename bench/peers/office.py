"""Reads DOCX and PPTX files with another parser, in that parser's environment: prints a JSON line a file.

python bench/peers/office.py PARSER FILE …      PARSER: office-oxide, python-docx, python-pptx
"""

import json
import sys
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any


def office_oxide() -> Callable[[str], str]:
    return import_module("office_oxide").extract_text


def python_docx() -> Callable[[str], str]:
    library: Any = import_module("docx")

    def read(path: str) -> str:
        blocks = library.Document(path).iter_inner_content()
        return "\n".join(text for block in blocks for text in _texts_of_block(block))

    return read


def _texts_of_block(block: Any) -> Iterator[str]:
    if hasattr(block, "rows"):
        yield from (cell.text for row in block.rows for cell in row.cells)
    else:
        yield block.text


def python_pptx() -> Callable[[str], str]:
    library: Any = import_module("pptx")

    def read(path: str) -> str:
        slides = library.Presentation(path).slides
        return "\n".join(text for slide in slides for text in (*_texts_of_shapes(slide.shapes), *_texts_of_notes(slide)))

    return read


def _texts_of_shapes(shapes: Any) -> Iterator[str]:
    for shape in shapes:
        if hasattr(shape, "shapes"):
            yield from _texts_of_shapes(shape.shapes)
        elif getattr(shape, "has_table", False):
            yield from (cell.text for row in shape.table.rows for cell in row.cells)
        elif shape.has_text_frame:
            yield shape.text_frame.text


def _texts_of_notes(slide: Any) -> Iterator[str]:
    if slide.has_notes_slide and slide.notes_slide.notes_text_frame:
        yield slide.notes_slide.notes_text_frame.text


PARSERS = {"office-oxide": office_oxide, "python-docx": python_docx, "python-pptx": python_pptx}


def main() -> None:
    start = time.process_time()
    read = PARSERS[sys.argv[1]]()
    load_s = time.process_time() - start
    for path in sys.argv[2:]:
        record = {"path": path, "text": "", "problem": "", "load_s": load_s}
        try:
            record["text"] = read(path)
        except Exception as error:  # noqa: BLE001 - whatever a library raises is a figure here
            record["problem"] = type(error).__name__
        print(json.dumps(record), flush=True)


main()
