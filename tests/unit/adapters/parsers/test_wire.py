"""What the child sends is checked before it is believed."""

import json
from typing import Any

import pytest

from pincite.adapters.parsers.wire import BadResult, decode_boxes, decode_document, decode_picture, encode_document
from pincite.core.documents import Block, BlockRole, Box, CanonicalText, Page, PagePicture, ParsedDocument, SourceRun
from pincite.core.ocr import ReadWord

DOCUMENT = ParsedDocument(
    canonical=CanonicalText(
        "Fee\n40 €\U0001f600",
        (Block(BlockRole.HEADING, 0, 3, 1, 2), Block(BlockRole.BODY, 4, 9, None)),
        (Page(1, "iv", 612.0, 792.5, "ABC000123"),),
        (SourceRun(0, 3, 1, 0, 3), SourceRun(4, 5, 1, 9, 4)),
        (ReadWord(1, 0, 3, 1.0, 2.0, 3.0, 4.5, 0.93), ReadWord(1, 9, 4, 1.0, 2.0, 3.0, 4.5, 1.0)),
    ),
    content_type="application/pdf",
    parser="pdfium",
    parser_version="1",
    title="Fees",
    pages_unread=2,
    meta={"language": "en"},
    unread=(2, 5),
    warnings=("Page 5 could not be read.",),
)


def sent() -> dict[str, Any]:
    return json.loads(json.dumps(encode_document(DOCUMENT)))


def test_a_document_comes_over_whole() -> None:
    assert decode_document(sent()) == DOCUMENT


@pytest.mark.parametrize(
    "change",
    [
        {"text": None},
        {"text": "\ud800 lone surrogate"},
        {"blocks": [["heading", 0, 99, 1, 1]]},
        {"blocks": [["body", 4, 9, 1, 0], ["body", 0, 3, 1, 0]]},
        {"blocks": [["body", 0, 5, 1, 0], ["body", 4, 9, 1, 0]]},
        {"blocks": [["sidebar", 0, 3, 1, 0]]},
        {"blocks": [["body", 0, 3.5, 1, 0]]},
        {"blocks": [["body", True, 3, 1, 0]]},
        {"blocks": [["body", 0, 3]]},
        {"runs": [0, 3, 1, 0]},
        {"runs": [0, 3, 1, -1, 3]},
        {"runs": [0, 3, 1, 10**30, 3]},
        {"runs": {"0": 1}},
        {"pages": [[1, "1", float("nan"), 1, ""]]},
        {"pages": [[1, "x" * 10_000, 1, 1, ""]]},
        {"pages": [[1, "1", 1, 1, None]]},
        {"pages": [[1, "1", 1, 1]]},
        {"title": 7},
        {"meta": {"a": ["b"]}},
        {"content_type": None},
        {"pages_unread": -1},
        {"unread": ["2"]},
        {"warnings": [5]},
        {"words": [[1, 0, 3, 1, 2, 3, 4]]},
        {"words": [[1, 0.5, 3, 1, 2, 3, 4, 1]]},
        {"words": [[1, 9, 3, 1, 2, 3, 4, 1], [1, 0, 3, 1, 2, 3, 4, 1]]},
        {"words": [[1, 0, 3, 1, 2, 3, 4, float("nan")]]},
    ],
    ids=lambda change: json.dumps(change)[:40],
)
def test_a_wrong_value_anywhere_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(BadResult):
        decode_document({**sent(), **change})


@pytest.mark.parametrize("value", [None, [], "x", {}])
def test_something_else_is_refused(value: object) -> None:
    with pytest.raises(BadResult):
        decode_document(value)


def test_boxes_come_over_and_are_checked() -> None:
    assert decode_boxes([[[1, 2.5, 3, 4]], []], count=2) == [[Box(1, 2.5, 3, 4)], []]
    wrongs: list[object] = [[[]], [[[1, 2, 3]], []], [[["1", 2, 3, 4]], []], [[[1, 2, 3, float("inf")]], []], None]
    for wrong in wrongs:
        with pytest.raises(BadResult):
            decode_boxes(wrong, count=2)


PICTURE = {"png": "iVBORw0KGgo=", "size": [10, 20], "page_size": [5.0, 10], "pages": 3}


def test_a_picture_comes_back_or_the_number_of_pages_that_there_are() -> None:
    drawn = decode_picture(PICTURE)
    assert isinstance(drawn, PagePicture)
    assert (drawn.png, drawn.width, drawn.height, drawn.page_width) == (b"\x89PNG\r\n\x1a\n", 10, 20, 5.0)
    assert decode_picture({"pages": 3}) == 3


@pytest.mark.parametrize(
    "wrong",
    [
        {"png": "PHNjcmlwdD4="},
        {"png": "?"},
        {"png": 1},
        {"size": [10]},
        {"size": [10, 2.5]},
        {"page_size": [5.0, float("nan")]},
        {"pages": -1},
        {"pages": None},
    ],
)
def test_what_is_no_picture_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(BadResult):
        decode_picture(PICTURE | wrong)
