"""rapidocr (PaddleOCR's models on onnxruntime) as the reader of pictures. The models lie inside its package."""

from collections.abc import Iterator, Sequence
from typing import Any, cast

import numpy as np
from PIL import Image
from rapidocr import RapidOCR
from rapidocr.cal_rec_boxes import CalRecBoxes

from pincite.adapters.parsers.ocr_words import Point, SeenLine, SeenWord

MOST_PIXELS = 1_810_000
"""137 an inch on a page of A4. More take more memory and time, and find no more words."""

_LEAST_SCORE = 0.5
_LETTERS_SHARE = 0.75
"""Of the height of a line's box; the rest is room that the model leaves above and below."""
_PARAMETERS = {
    "Global.log_level": "error",
    # Pictures come in the size in which they are read.
    "Global.max_side_len": 100_000,
    "Det.limit_type": "max",
    "Det.limit_side_len": 100_000,
    # Lines are left out here, and not there, where their words would come to stand beside other lines.
    "Global.text_score": 0.0,
    # It would make a banner many times higher.
    "Global.use_vertical_padding": False,
    # It turns lines over that stand upright; pages that lie on their head are turned as a whole.
    "Global.use_cls": False,
    # Lines are padded to the longest of a batch: one at a time takes the least memory, and no more time.
    "Rec.rec_batch_num": 1,
    "EngineConfig.onnxruntime.intra_op_num_threads": 1,
    "EngineConfig.onnxruntime.inter_op_num_threads": 1,
}


class _WordBoxes(CalRecBoxes):
    """Gives each word the confidence of its least sure letter. rapidocr gives the word at place n that of the letter at place n."""

    def cal_ocr_word_box(self, rec_txt: str, bbox: Any, word_info: Any, return_single_char_box: bool = False) -> Any:
        """Return the words of a line, their boxes, and how sure of them it is."""
        words, boxes, _ = cast("Any", super().cal_ocr_word_box(rec_txt, bbox, word_info, return_single_char_box))
        return words, boxes, confidences(rec_txt, words, word_info.confs)


def confidences(text: str, words: Sequence[str], of_letters: Sequence[float]) -> list[float]:
    """Return how sure each word of a line is, in order, from what each letter of its text is, blanks too."""
    lowest = min(of_letters, default=0.0)
    if len(of_letters) != len(text):
        return [lowest] * len(words)
    found: list[float] = []
    at = 0
    for word in words:
        start = text.find(word, at)
        at = max(start, at) + len(word)
        found.append(min(of_letters[start:at], default=lowest) if start >= 0 else lowest)
    return found


class RapidEngine:
    """Reads pictures with rapidocr, one processor core at a time."""

    def __init__(self) -> None:
        self._engine = RapidOCR(params=_PARAMETERS)
        self._engine.cal_rec_boxes = _WordBoxes()

    def read(self, image: Image.Image) -> list[SeenLine]:
        """Return the lines of a picture, from top to bottom and left to right."""
        # Blue comes first, as OpenCV has it.
        pixels = np.ascontiguousarray(np.asarray(image.convert("RGB"))[:, :, ::-1])
        found = cast("Any", self._engine(pixels, use_det=True, use_cls=False, use_rec=True, return_word_box=True))
        if found.boxes is None or found.txts is None:
            return []
        lines = zip(found.txts, found.scores, found.word_results, strict=True)
        read = (list(_words(text, words)) for text, score, words in lines if score >= _LEAST_SCORE)
        return [line for line in read if line]


def _words(text: str, words: Sequence[tuple[str, float, Sequence[Sequence[float]]]]) -> Iterator[SeenWord]:
    """Yield the words of a line; what stands between them in its text says where blanks are."""
    at = 0
    for word, confidence, corners in words:
        if not word.strip():
            continue
        start = text.find(word, at)
        is_apart = start < 0 or text[at:start] != "" or at == 0
        at = at if start < 0 else start + len(word)
        yield SeenWord(word, float(confidence), _letters_of(corners), is_apart)


def _letters_of(corners: Sequence[Sequence[float]]) -> tuple[Point, Point, Point, Point]:
    """Return the corners of what the letters cover, of a box that has room above and below them."""
    top_left, top_right, bottom_right, bottom_left = (Point(float(x), float(y)) for x, y in corners)
    room = (1 - _LETTERS_SHARE) / 2
    return (
        _towards(top_left, bottom_left, room),
        _towards(top_right, bottom_right, room),
        _towards(bottom_right, top_right, room),
        _towards(bottom_left, top_left, room),
    )


def _towards(point: Point, other: Point, share: float) -> Point:
    return Point(point.x + share * (other.x - point.x), point.y + share * (other.y - point.y))
