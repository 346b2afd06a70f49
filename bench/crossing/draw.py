"""The pages drawn with reportlab."""

import io
from collections.abc import Iterable, Sequence
from typing import Any, cast

from reportlab.pdfgen import canvas as _canvas

from crossing.design import Design
from crossing.furniture import Print, Rule
from crossing.layout import MARK_SHARE, Line
from crossing.letters import font_name, width


class Paper:
    """A PDF in the making. All positions are points from the top left of the page as it is read."""

    def __init__(self, design: Design) -> None:
        self._design = design
        self._file = io.BytesIO()
        self._canvas: Any = cast("Any", _canvas).Canvas(self._file, invariant=1, pageCompression=1)
        self._wide, self._high = design.size_of_paper

    def turn_page(self, turn: str) -> None:
        """Set size and rotation of the page that is drawn next."""
        # reportlab swaps the sides of a page that is turned by a quarter.
        self._canvas.setPageSize((self._high, self._wide) if turn == "sideways" else (self._wide, self._high))
        self._canvas.setPageRotation({"none": 0, "sideways": 90, "upright": 90, "back": 180}[turn])
        if turn == "upright":
            self._canvas.transform(0, 1, -1, 0, self._high, 0)

    def end_page(self) -> None:
        """Finish a page."""
        self._canvas.showPage()

    def finish(self) -> bytes:
        """Return the file."""
        self._canvas.save()
        return self._file.getvalue()

    def prints(self, items: Iterable[Print]) -> None:
        """Draw texts of the furniture."""
        for item in items:
            self._canvas.saveState()
            self._canvas.setFillGray(item.grey)
            self._canvas.setFont(item.font, item.size)
            self._canvas.translate(item.x, self._high - item.y)
            self._canvas.rotate(item.angle)
            self._canvas.drawString(0, 0, item.text)
            self._canvas.restoreState()

    def rules(self, items: Iterable[Rule]) -> None:
        """Draw lines and frames."""
        for item in items:
            y = self._high - item.y
            if item.height:
                self._canvas.rect(item.x, y - item.height, item.width, item.height)
                self._canvas.line(item.x, y, item.x + item.width, y - item.height)
            else:
                self._canvas.line(item.x, y, item.x + item.width, y)

    def lines(self, lines: Sequence[Line]) -> None:
        """Draw lines of the body."""
        for line in lines:
            if self._design.is_justified or self._design.drawn != "line" or any(word.mark for word in line.words):
                self._words(line)
            else:
                self._text(line.x, line.y, " ".join(word.text for word in line.words), self._design.size)

    def _words(self, line: Line) -> None:
        for number, (word, x) in enumerate(zip(line.words, line.xs, strict=True)):
            blank = " " if self._design.drawn == "blank" and number + 1 < len(line.words) and not word.mark else ""
            self._text(x, line.y, word.text + blank, self._design.size)
            if word.mark:
                right = x + width(word.text, font_name(self._design.font), self._design.size)
                self._text(right, line.y - 0.35 * self._design.size, word.mark, MARK_SHARE * self._design.size)

    def _text(self, x: float, y: float, text: str, size: float) -> None:
        self._canvas.setFont(font_name(self._design.font), size)
        self._canvas.drawString(x, self._high - y, text)
