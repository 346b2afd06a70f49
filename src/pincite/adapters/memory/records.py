"""A recorder and a locator in memory."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pincite.core.answers import AnswerRecord, Span
from pincite.core.documents import CanonicalText
from pincite.core.ids import VersionId


@dataclass
class MemoryRecorder:
    """Keeps answers in a list."""

    records: list[AnswerRecord] = field(default_factory=list[AnswerRecord])

    async def record(self, record: AnswerRecord) -> None:
        """Keep the answer."""
        self.records.append(record)


@dataclass
class MemoryLocator:
    """Finds pages in given canonical texts; boxes it has none."""

    texts: Mapping[VersionId, CanonicalText]

    async def locate(self, version_id: VersionId, ranges: Sequence[tuple[int, int]]) -> list[tuple[Span, ...]]:
        """Return the pages of each range."""
        canonical = self.texts[version_id]
        pages = [canonical.page_spans(start, end) for start, end in ranges]
        return [
            tuple(Span(page.page, page.label, "", bates=page.bates) for page in spans) or (Span(None, None, ""),) for spans in pages
        ]
