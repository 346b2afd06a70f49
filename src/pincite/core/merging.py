"""Canonical texts of one file, read page by page by different means, brought together."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from pincite.core.documents import Block, BlockRole, CanonicalText, SourceRun

_LIFTED = frozenset({BlockRole.HEADER, BlockRole.FOOTER, BlockRole.FOOTNOTE, BlockRole.PAGE_NUMBER})
_BORDER = "\n\n"


@dataclass(frozen=True, slots=True)
class _Part:
    text: CanonicalText
    block: Block


def merged(first: CanonicalText, second: CanonicalText) -> CanonicalText:
    """Return two texts, of different pages of one file, as one: each block stands where its page does, none is changed.

    Pages that both texts name are those of the second. What stands in it on a page of the first comes behind that page's own.
    """
    pages = {page.number: page for page in chain(first.pages, second.pages)}
    words = sorted(chain(first.words, second.words), key=lambda word: (word.page, word.index))
    text: list[str] = []
    moved: list[Block] = []
    runs: list[SourceRun] = []
    at = 0
    for part in _parts(first, second):
        block = part.block
        shift = at - block.start
        text.append(part.text.text[block.start : block.end])
        moved.append(replace(block, start=at, end=block.end + shift))
        runs += (replace(run, start=run.start + shift) for run in part.text.runs_within(block.start, block.end))
        at += block.end - block.start + len(_BORDER)
    ordered = tuple(pages[number] for number in sorted(pages))
    return CanonicalText(_BORDER.join(text), tuple(moved), ordered, tuple(runs), tuple(words))


def moved_starts(first: CanonicalText, second: CanonicalText, *, of: CanonicalText | None = None) -> dict[int, int]:
    """Return where the blocks of the first text, or `of` the second, start in both together, by where they start in it alone."""
    found: dict[int, int] = {}
    at = 0
    for part in _parts(first, second):
        if part.text is (of or first):
            found[part.block.start] = at
        at += part.block.end - part.block.start + len(_BORDER)
    return found


def merged_all(texts: Iterable[CanonicalText]) -> CanonicalText:
    """Return texts of different pages of one file as one; an empty text for none."""
    result = CanonicalText("", ())
    for text in texts:
        result = merged(result, text) if result.pages else text
    return result


def _parts(first: CanonicalText, second: CanonicalText) -> list[_Part]:
    return [*_by_page(_flow(first), _flow(second)), *_lifted(first), *_lifted(second)]


def _flow(text: CanonicalText) -> list[_Part]:
    return [_Part(text, block) for block in text.blocks if block.role not in _LIFTED]


def _lifted(text: CanonicalText) -> list[_Part]:
    return [_Part(text, block) for block in text.blocks if block.role in _LIFTED]


def _by_page(first: Sequence[_Part], second: Sequence[_Part]) -> Iterator[_Part]:
    """Yield both in order; one of the second comes behind those of the first that begin on its page or before."""
    taken = 0
    for part in second:
        while taken < len(first) and (first[taken].block.page or 0) <= (part.block.page or 0):
            yield first[taken]
            taken += 1
        yield part
    yield from first[taken:]
