"""rapidocr (PaddleOCR's models on onnxruntime) as the reader of pictures. The models lie inside its package."""

from collections.abc import Iterator, Sequence
from typing import Any, cast

import numpy as np
from PIL import Image
from rapidocr import RapidOCR

from pincite.adapters.parsers.ocr_words import Point, SeenLine, SeenWord

MOST_PIXELS = 1_810_000
"""137 an inch on a page of A4. More take more memory and time, and find no more words."""

_PARAMETERS = {
    "Global.log_level": "error",
    # Pictures come in the size in which they are read.
    "Global.max_side_len": 100_000,
    "Det.limit_type": "max",
    "Det.limit_side_len": 100_000,
    # It turns lines over that stand upright; pages that lie on their head are turned as a whole.
    "Global.use_cls": False,
    # Lines are padded to the longest of a batch: one at a time takes the least memory, and no more time.
    "Rec.rec_batch_num": 1,
    "EngineConfig.onnxruntime.intra_op_num_threads": 1,
    "EngineConfig.onnxruntime.inter_op_num_threads": 1,
}


class RapidEngine:
    """Reads pictures with rapidocr, one processor core at a time."""

    def __init__(self) -> None:
        self._engine = RapidOCR(params=_PARAMETERS)

    def read(self, image: Image.Image) -> list[SeenLine]:
        """Return the lines of a picture, from top to bottom and left to right."""
        # Blue comes first, as OpenCV has it.
        pixels = np.ascontiguousarray(np.asarray(image.convert("RGB"))[:, :, ::-1])
        found = cast("Any", self._engine(pixels, use_det=True, use_cls=False, use_rec=True, return_word_box=True))
        if found.boxes is None or found.txts is None:
            return []
        lines = (list(_words(text, words)) for text, words in zip(found.txts, found.word_results, strict=True))
        return [line for line in lines if line]


def _words(text: str, words: Sequence[tuple[str, float, Sequence[Sequence[float]]]]) -> Iterator[SeenWord]:
    """Yield the words of a line; what stands between them in its text says where blanks are."""
    at = 0
    for word, confidence, corners in words:
        if not word.strip():
            continue
        start = text.find(word, at)
        is_apart = start < 0 or text[at:start] != "" or at == 0
        at = at if start < 0 else start + len(word)
        top_left, top_right, bottom_right, bottom_left = (Point(float(x), float(y)) for x, y in corners)
        yield SeenWord(word, float(confidence), (top_left, top_right, bottom_right, bottom_left), is_apart)
