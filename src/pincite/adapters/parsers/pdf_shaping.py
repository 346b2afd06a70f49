"""Lines of PDF pages in scripts whose glyphs don't follow each other as their letters do, in the order of reading.

PDFium gives such lines as the file draws them, turned where it takes them for text from right to left. Programs draw them in
many ways: a glyph and its dots apart, words from either end, a font for each part. Where the glyphs stand tells the order of
reading, and with it where words end.
"""

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from pincite.adapters.parsers.pdf_bidi import logical_order, with_brackets_turned
from pincite.adapters.parsers.pdf_scripts import has_rtl, is_mostly_rtl, is_shaped
from pincite.adapters.parsers.pdfium import PdfPage, Rect
from pincite.adapters.parsers.pdfium_texts import TextObjects

_MOST_OBJECTS = 50_000
_MOST_LETTERS = 2000
_WORD_GAP_EMS, _FAR_GAP_EMS = 0.17, 0.6
_BACK_EMS = 0.1
_SAME_PLACE_EMS = 0.01
_MADE = -1
_ASCENT, _DESCENT = 0.9, 0.25


@dataclass(frozen=True, slots=True)
class ShapedText:
    """A text in the order of reading. `indices` holds for each character its index on the page, -1 for a blank put between.

    `box` reaches from its leftmost to its rightmost glyph, and a little over and under its base line.
    """

    text: str
    indices: tuple[int, ...]
    box: Rect


@dataclass(slots=True)
class _Glyph:
    """What one glyph stands for, or several under one replacing text: letters with their indices.

    `start` is where the pen was set down: glyphs reach over each other, pens go one way.
    """

    text: str
    indices: list[int]
    box: Rect
    drawn: int
    start: float

    @property
    def middle(self) -> float:
        return (self.box[0] + self.box[2]) / 2


class ShapedPage:
    """A page with letters of such a script."""

    def __init__(self, page: PdfPage, chars: str) -> None:
        self._page = page
        self._objects: TextObjects | None = None
        self._is_rtl = is_mostly_rtl(chars)
        self._written: dict[int, int] = {}

    def read(self, raw: str, *, start: int) -> ShapedText | None:
        """Return the line that is `raw` at index `start`, None when it has no such letters; empty when all was given before."""
        if not is_shaped(raw) or len(raw) > _MOST_LETTERS:
            return None
        if self._objects is None:
            self._objects = self._page.text_objects(most=_MOST_OBJECTS)
        glyphs = list(self._glyphs(raw, start))
        if all(glyph.text == " " for glyph in glyphs):
            return ShapedText("", (), (0.0, 0.0, 0.0, 0.0))
        size = median(self._page.font_size(glyph.indices[0]) for glyph in glyphs)
        if not has_rtl(raw):
            ordered = _rightward(glyphs, size)
            words = self._with_blanks(ordered, size)
        else:
            is_rtl = self._is_rtl or is_mostly_rtl(raw)
            words = self._with_blanks(sorted(_with_marks(glyphs), key=lambda glyph: glyph.start), size)
            order = logical_order([glyph.text for glyph in words], is_rtl=is_rtl)
            words = [words[number] for number in order]
            if is_rtl:
                _turn_brackets(words)
        while words[0].text == " ":
            del words[0]
        while words[-1].text == " ":
            del words[-1]
        indices = tuple(index for glyph in words for index in glyph.indices)
        return ShapedText("".join(glyph.text for glyph in words), indices, self._line_box(glyphs, size))

    def _line_box(self, glyphs: Sequence[_Glyph], size: float) -> Rect:
        """Return the box of a line by its base line: heights of glyphs differ too much to tell how far lines are apart."""
        left, right = min(glyph.box[0] for glyph in glyphs), max(glyph.box[2] for glyph in glyphs)
        base = median(self._page.place(glyph.indices[0])[1] for glyph in glyphs)
        return (left, base - _ASCENT * size, right, base + _DESCENT * size)

    def _glyphs(self, raw: str, start: int) -> Iterator[_Glyph]:
        """Yield the glyphs in PDFium's order, without blanks that it put between and text that it gives again."""
        assert self._objects is not None
        glyph: _Glyph | None = None
        place = (0.0, 0.0)
        for index, character in enumerate(raw, start=start):
            drawn, box = self._page.drawn(index), self._page.loose_box(index)
            if character == "\0" or (character == " " and (not drawn or box[0] == box[2])):
                continue
            replaced = self._objects.replaced.get(drawn)
            if replaced and self._written.setdefault(replaced.mark, drawn) != drawn:
                continue
            origin = self._page.place(index)
            if glyph and glyph.drawn == drawn and origin == place and character != " ":
                glyph.text += character
                glyph.indices.append(index)
                glyph.box = glyph.box if replaced else _around(glyph.box, box)
                continue
            if glyph:
                yield self._in_order(glyph)
            whole = self._objects.boxes[replaced.mark] if replaced else box
            glyph, place = _Glyph(character, [index], whole, drawn, origin[0]), origin
        if glyph:
            yield self._in_order(glyph)

    def _in_order(self, glyph: _Glyph) -> _Glyph:
        """Turn the letters of one glyph back where PDFium turned them: as the file says, or as the ligature is known."""
        assert self._objects is not None
        if len(glyph.text) == 1 or not has_rtl(glyph.text):
            return glyph
        turned = glyph.text[::-1]
        replaced = self._objects.replaced.get(glyph.drawn)
        is_turned = turned == replaced.text if replaced else turned in _LIGATURES or glyph.text not in _LIGATURES
        if is_turned:
            glyph.text = turned
            glyph.indices.reverse()
        return glyph

    def _with_blanks(self, glyphs: Sequence[_Glyph], size: float) -> list[_Glyph]:
        """Put a blank between glyphs where one was drawn or a gap is as wide as one. They are given from left to right."""
        assert self._objects is not None
        top, bottom = min(glyph.box[1] for glyph in glyphs), max(glyph.box[3] for glyph in glyphs)
        blanks = sorted(blank[0] for blank in self._objects.blanks if top <= blank[1] <= bottom)
        least = (_FAR_GAP_EMS if len(blanks) > 1 else _WORD_GAP_EMS) * size
        found = [glyphs[0]]
        right = glyphs[0].box[2]
        for before, after in pairwise(glyphs):
            is_drawn = any(before.start - _SAME_PLACE_EMS * size < blank < after.start for blank in blanks)
            is_blank = before.text == " " or after.text == " " or _is_sign(after)
            if not is_blank and (is_drawn or after.box[0] - right > least):
                found.append(_Glyph(" ", [_MADE], before.box, 0, right))
            right = max(right, after.box[2])
            found.append(after)
        return found


def _ligatures() -> set[str]:
    forms = (unicodedata.normalize("NFKC", chr(point)) for point in (*range(0xFB50, 0xFE00), *range(0xFE70, 0xFEFD)))
    return {form for form in forms if len(form) > 1 and " " not in form}


_LIGATURES = _ligatures()


def _with_marks(glyphs: Sequence[_Glyph]) -> list[_Glyph]:
    """Append points and vowel signs to the letter that they stand over or under: the nearest of those written next to them."""
    letters = [glyph for glyph in glyphs if not _is_mark(glyph)]
    for number, glyph in enumerate(glyphs):
        if not _is_mark(glyph):
            continue
        before = next((other for other in reversed(glyphs[:number]) if not _is_mark(other)), None)
        after = next((other for other in glyphs[number + 1 :] if not _is_mark(other)), None)
        near = [other for other in (before, after) if other is not None]
        if not near:
            return list(glyphs)
        base = min(near, key=lambda other: abs(other.middle - glyph.middle))
        base.text += glyph.text
        base.indices += glyph.indices
    return letters


def _turn_brackets(words: Sequence[_Glyph]) -> None:
    turned = iter(with_brackets_turned("".join(glyph.text for glyph in words)))
    for glyph in words:
        glyph.text = "".join(next(turned) for _ in glyph.text)


def _is_sign(glyph: _Glyph) -> bool:
    """Whether a glyph is a vowel sign, with room of its own or without: no word begins with one."""
    return unicodedata.category(glyph.text[0]).startswith("M")


def _is_mark(glyph: _Glyph) -> bool:
    return all(map(unicodedata.combining, glyph.text))


def _rightward(glyphs: Sequence[_Glyph], size: float) -> list[_Glyph]:
    """Return glyphs of a line from left to right: what another font draws may come late, what one object draws stays as it is."""
    stretches: list[list[_Glyph]] = []
    for glyph in glyphs:
        last = stretches[-1][-1] if stretches else None
        if last and last.drawn == glyph.drawn and abs(glyph.box[0] - last.box[2]) < _WORD_GAP_EMS * size:
            stretches[-1].append(glyph)
        else:
            stretches.append([glyph])
    lefts = [min(glyph.box[0] for glyph in stretch) for stretch in stretches]
    if any(after < before - _BACK_EMS * size for before, after in pairwise(lefts)):
        order = sorted(range(len(stretches)), key=lefts.__getitem__)
        stretches = [stretches[number] for number in order]
    return [glyph for stretch in stretches for glyph in stretch]


def _around(box: Rect, other: Rect) -> Rect:
    return (min(box[0], other[0]), min(box[1], other[1]), max(box[2], other[2]), max(box[3], other[3]))
