"""Pages that are read from right to left, or in columns from top to bottom, brought to where the rules of layout hold.

In a mirror what comes first stands left. Lines that run downwards, the first at the right, lie level with the first on top when
the page is turned. Only the boxes and words of lines change; places in the file don't.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from pincite.adapters.parsers.pdf_lines import PageLines, Word
from pincite.adapters.parsers.pdf_rules import Rule, Rules
from pincite.adapters.parsers.pdf_scripts import has_no_blanks, is_mostly_rtl
from pincite.adapters.parsers.pdfium import Rect

_MOST_SHARE = 0.6


def bring_to_order(page: PageLines, *, width: float) -> None:
    """Mirror or turn the lines and rules of a page so wide when its text doesn't run from left to right."""
    if is_mostly_rtl(" ".join(line.text for line in page.lines)):
        _move(page, lambda box: (width - box[2], box[1], width - box[0], box[3]))
        page.rules = _mirrored(page.rules, width)
        for line in page.lines:
            line.mirrored = True
    elif _runs_downwards(page):
        _move(page, lambda box: (box[1], width - box[2], box[3], width - box[0]))
        page.rules = _turned(page.rules, width)
        page.upright_height = width


def _runs_downwards(page: PageLines) -> bool:
    """Whether most letters stand upright in lines that run down the page."""
    down = sum(len(line.text) for line in page.lines if has_no_blanks(line.text[0]) and _is_tall(line.box))
    return down > _MOST_SHARE * sum(len(line.text) for line in page.lines)


def _is_tall(box: Rect) -> bool:
    return box[3] - box[1] > 1.5 * (box[2] - box[0])


def _move(page: PageLines, move: Callable[[Rect], Rect]) -> None:
    for line in page.lines:
        line.box = move(line.box)
        line.words = tuple(_moved(word, move) for word in line.words)


def _moved(word: Word, move: Callable[[Rect], Rect]) -> Word:
    left, top, right, bottom = move((word.left, word.top, word.right, word.bottom))
    return word._replace(left=left, top=top, right=right, bottom=bottom)


def _mirrored(rules: Rules, width: float) -> Rules:
    level = tuple(Rule(rule.at, width - rule.high, width - rule.low) for rule in rules.level)
    boxes = tuple((width - x1, y0, width - x0, y1) for x0, y0, x1, y1 in rules.boxes)
    return replace(rules, level=level, upright=_flipped(rules.upright, width), boxes=boxes)


def _turned(rules: Rules, width: float) -> Rules:
    boxes = tuple((y0, width - x1, y1, width - x0) for x0, y0, x1, y1 in rules.boxes)
    upright = tuple(Rule(rule.at, width - rule.high, width - rule.low) for rule in rules.level)
    return Rules(level=_flipped(rules.upright, width), upright=upright, boxes=boxes)


def _flipped(rules: Sequence[Rule], width: float) -> tuple[Rule, ...]:
    return tuple(Rule(width - rule.at, rule.low, rule.high) for rule in reversed(rules))
