"""Finds the place of a run of canonical text in its file."""

from collections.abc import Sequence
from dataclasses import dataclass

from pincite.core.answers import Span
from pincite.core.documents import Box, CanonicalText, PageSpan, SourceRun, Version
from pincite.core.errors import NotFoundError
from pincite.core.ids import VersionId, WorkspaceId
from pincite.core.ports.blobs import BlobStore
from pincite.core.ports.parsing import Parser
from pincite.core.ports.store import Store


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
        sizes = {page.number: (page.width, page.height) for page in canonical.pages}
        queue = iter(boxes)
        return [
            tuple(Span(page.page, page.label, "", tuple(next(queue)), sizes.get(page.page), page.bates) for page in spans)
            or (Span(None, None, ""),)
            for spans in pages
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
        path = await self.blobs.local_path(version.sha256)
        found = iter(await self.parser.boxes(path, content_type=version.content_type, runs=runs))
        return [merge_lines([box for _ in range(count) for box in next(found)]) for count in counts]


def merge_lines(boxes: Sequence[Box]) -> list[Box]:
    """Join neighbouring boxes of one line: those that overlap by half their height and touch within a blank's width."""
    merged: list[Box] = []
    for box in boxes:
        last = merged[-1] if merged else None
        if last and _same_line(last, box):
            merged[-1] = Box(min(last.x0, box.x0), min(last.y0, box.y0), max(last.x1, box.x1), max(last.y1, box.y1))
        else:
            merged.append(box)
    return merged


def _same_line(left: Box, right: Box) -> bool:
    height = min(left.y1 - left.y0, right.y1 - right.y0)
    overlap = min(left.y1, right.y1) - max(left.y0, right.y0)
    gap = max(left.x0, right.x0) - min(left.x1, right.x1)
    return overlap > height / 2 and gap <= max(height, 1.0)
