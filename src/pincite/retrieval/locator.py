"""Finds the place of a run of canonical text in its file."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pincite.core.answers import Span
from pincite.core.cells import SHEET_TYPES, cell_range
from pincite.core.documents import Box, CanonicalText, PageSpan, SourceRun, Version
from pincite.core.errors import NotFoundError
from pincite.core.ids import VersionId, WorkspaceId
from pincite.core.ocr import ReadWord, least_confidence
from pincite.core.ports.blobs import BlobStore
from pincite.core.ports.parsing import Parser
from pincite.core.ports.store import Store

_WIDE_GAP = 2.0
"""Of a line's height: a footnote's mark that is no part of the quote, or the blank of a justified line, parts no box."""


@dataclass(frozen=True, slots=True)
class StoredLocator:
    """A `Locator` over the workspace's versions and their stored bytes."""

    store: Store
    blobs: BlobStore
    parser: Parser
    workspace_id: WorkspaceId

    async def locate(self, version_id: VersionId, ranges: Sequence[tuple[int, int]]) -> list[tuple[Span, ...]]:
        """Return the spans of each range, one per page. Raises `NotFoundError`, `RefusedInput`."""
        async with self.store.open(self.workspace_id) as work:
            version = await work.versions.get(version_id)
            canonical = await work.versions.canonical(version_id)
        if version is None or canonical is None:
            raise NotFoundError("There is no such version of the document.")
        pages = [canonical.page_spans(start, end) for start, end in ranges]
        boxes = await self._boxes(version, canonical, [page for spans in pages for page in spans])
        sizes = {page.number: (page.width, page.height) for page in canonical.pages if page.width}
        counts_cells = version.content_type in SHEET_TYPES

        def cells(start: int, end: int) -> str:
            return cell_range(canonical.runs_within(start, end)) if counts_cells else ""

        queue = iter(boxes)
        return [
            tuple(
                Span(
                    page.page,
                    page.label,
                    "",
                    tuple(next(queue)),
                    sizes.get(page.page),
                    page.bates,
                    cells(page.start, page.end),
                    _confidence(canonical, page),
                )
                for page in spans
            )
            or (Span(None, None, "", cells=cells(start, end)),)
            for (start, end), spans in zip(ranges, pages, strict=True)
        ]

    async def _boxes(self, version: Version, canonical: CanonicalText, spans: Sequence[PageSpan]) -> list[list[Box]]:
        """Return the boxes of each span: those of its runs, joined where they stand on one line."""
        if not spans:
            return []
        runs: list[SourceRun] = []
        counts: list[int] = []
        for span in spans:
            within = [run for run in canonical.runs_within(span.start, span.end) if run.page == span.page]
            runs.extend(within)
            counts.append(len(within))
        found = iter(await self._boxes_of_runs(version, canonical, runs))
        return [merge_lines([box for _ in range(count) for box in next(found)]) for count in counts]

    async def _boxes_of_runs(self, version: Version, canonical: CanonicalText, runs: Sequence[SourceRun]) -> list[list[Box]]:
        """Return the boxes of each run: those of the words where OCR read them, those that the file tells elsewhere."""
        of_file = [run for run in runs if not canonical.is_by_ocr(run)]
        found: Iterator[list[Box]] = iter(())
        if of_file:
            path = await self.blobs.local_path(version.sha256)
            found = iter(await self.parser.boxes(path, content_type=version.content_type, runs=of_file))
        return [_word_boxes(canonical.words_of(run)) if canonical.is_by_ocr(run) else next(found) for run in runs]


def _confidence(canonical: CanonicalText, span: PageSpan) -> float | None:
    if not span.ocr:
        return None
    runs = (run for run in canonical.runs_within(span.start, span.end) if run.page == span.page)
    return least_confidence(word for run in runs for word in canonical.words_of(run))


def _word_boxes(words: Sequence[ReadWord]) -> list[Box]:
    return [Box(word.x0, word.y0, word.x1, word.y1) for word in words if word.x0 < word.x1]


def merge_lines(boxes: Sequence[Box]) -> list[Box]:
    """Join neighbouring boxes of one line, level or upright: they overlap across it, and no wide gap parts them along it."""
    merged: list[Box] = []
    for box in boxes:
        last = merged[-1] if merged else None
        if last and _same_line(last, box):
            merged[-1] = Box(min(last.x0, box.x0), min(last.y0, box.y0), max(last.x1, box.x1), max(last.y1, box.y1))
        else:
            merged.append(box)
    return merged


def _same_line(left: Box, right: Box) -> bool:
    """Whether two boxes stand on one line. It runs upright when one of them is long that way and none is long level."""
    one, other = ((box.x0, box.x1, box.y0, box.y1) for box in (left, right))
    turned = [(y0, y1, x0, x1) for x0, x1, y0, y1 in (one, other)]
    is_upended = any(map(_is_long, turned)) and not any(map(_is_long, (one, other)))
    return _joins(*turned) if is_upended else _joins(one, other)


def _is_long(box: tuple[float, float, float, float]) -> bool:
    """Whether a box of several letters runs this way; that of a single one doesn't tell."""
    low, high, under, over = box
    return high - low > 2 * (over - under)


def _joins(one: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> bool:
    """Whether two boxes `(along, along, across, across)` overlap across their line and touch along it."""
    size = min(one[3] - one[2], other[3] - other[2])
    gap = max(one[0], other[0]) - min(one[1], other[1])
    return min(one[3], other[3]) - max(one[2], other[2]) > size / 2 and gap <= max(_WIDE_GAP * size, 1.0)
