"""Descriptions of pictures by a model: each picture is shown to it once, and no document fails because of it."""

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from pincite.core.documents import Document
from pincite.core.errors import ErrorKind, PinciteError, UpstreamError
from pincite.core.figures import Figure, PictureDescription
from pincite.core.ids import WorkspaceId, new_id
from pincite.core.messages import MessagePicture
from pincite.core.ports.blobs import BlobStore
from pincite.core.ports.metering import Metering
from pincite.core.ports.store import Store, UnitOfWork
from pincite.core.ports.vision import Description, VisionModel
from pincite.core.usage import Usage, UsageKind
from pincite.ingest.naming import printable
from pincite.ingest.overtaking import is_overtaken, outcome
from pincite.ingest.publishing import OvertakenError
from pincite.ingest.turns import GaveWayError, GivesWay

MOST_FAILURES = 3
"""Failures one after the other with which a provider is left alone: the pictures behind would fail like these, only later."""
MOST_CHARACTERS = 8_000

_OF_THE_PICTURE = frozenset({"provider_filtered", "provider_empty_reply", "provider_too_large", "provider_refused"})
"""Codes of failures that say nothing about the next picture."""
_OF_THE_SETTINGS = frozenset({"provider_key", "provider_model", "provider_quota", "provider_redirect"})
"""Codes of failures that every other picture would meet."""
_FAILURES = frozenset({ErrorKind.UPSTREAM, ErrorKind.CONFIGURATION, ErrorKind.NOT_FOUND})


@dataclass(frozen=True, slots=True)
class VisionRules:
    """Which pictures of a document are shown to a model: so many at most, neither smaller nor of more bytes than this."""

    most_pictures: int = 50
    least_side_pixels: int = 100
    picture_bytes: int = 5_000_000


@dataclass(frozen=True, slots=True)
class Vision:
    """A model that describes pictures, and the rules by which it is asked."""

    model: VisionModel
    rules: VisionRules = VisionRules()


@dataclass(frozen=True, slots=True)
class Described:
    """Figures with what was written of them, and a sentence for each reason for which some have nothing."""

    figures: tuple[Figure, ...]
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Describer:
    """Has a model describe the figures of stored versions of the workspace's documents."""

    store: Store
    blobs: BlobStore
    workspace_id: WorkspaceId
    vision: Vision
    metering: Metering | None = None

    async def recall(self, figures: Sequence[Figure]) -> tuple[Figure, ...]:
        """Give figures what the model wrote of the same pictures before."""
        async with self.store.open(self.workspace_id) as work:
            known = await self._known(work, figures)
            found = [_with(figure, known) for figure in figures]
            for before, after in zip(figures, found, strict=True):
                if before != after:
                    await work.figures.describe(after.id, after.description)
            await work.commit()
        return tuple(found)

    async def left(self, figures: Sequence[Figure]) -> list[Figure]:
        """Return the figures whose pictures are still to be shown to the model, each picture once."""
        async with self.store.open(self.workspace_id) as work:
            known = await self._known(work, figures)
        return [figure for figure in self._wanted(figures) if figure.sha256 not in known]

    async def describe(
        self,
        document: Document,
        figures: Sequence[Figure],
        *,
        lang: str,
        on_progress: Callable[[int, int], None],
        gives_way: GivesWay,
    ) -> Described:
        """Show the pictures that are left to the model, one after the other; what it writes is kept as it comes.

        Raises `OvertakenError`, `StoreError`, and `GaveWayError` between two pictures when others go first.
        """
        left = await self.left(figures)
        failures = Counter[str]()
        in_a_row = 0
        for done, figure in enumerate(left):
            on_progress(done, len(left))
            if await gives_way():
                raise GaveWayError
            error = await self._one(document, figure, figures, lang)
            if error is None:
                in_a_row = 0
                continue
            in_a_row += error.code not in _OF_THE_PICTURE
            if in_a_row == MOST_FAILURES or error.code in _OF_THE_SETTINGS or error.kind is ErrorKind.CONFIGURATION:
                failures[error.message] += len(left) - done
                break
            failures[error.message] += 1
        on_progress(len(left), len(left))
        return Described(await self.recall(figures), (*_remarks(failures, len(left)), *self._bounds(figures)))

    async def _one(self, document: Document, figure: Figure, figures: Sequence[Figure], lang: str) -> PinciteError | None:
        """Describe a picture, and keep what was written of it. Return why that failed."""
        try:
            described = await self.vision.model.describe(await self._picture(figure), lang=lang)
        except PinciteError as error:
            if error.kind not in _FAILURES:
                raise
            return error
        await self._keep(document, figure.sha256, [each for each in figures if each.sha256 == figure.sha256], described)
        return None

    async def _picture(self, figure: Figure) -> MessagePicture:
        path, most = await self.blobs.local_path(figure.sha256), self.vision.rules.picture_bytes
        data = await asyncio.to_thread(path.read_bytes)
        if len(data) > most:
            raise UpstreamError(f"It has more than {most:,} bytes (VISION_MAX_PICTURE_BYTES).", code="provider_too_large")
        return MessagePicture(data, figure.content_type)

    async def _keep(self, document: Document, sha256: str, figures: Sequence[Figure], described: Description) -> None:
        """Keep a description for the picture and its figures, and charge it, in one transaction.

        Of a document that isn't there any more nothing is kept, but what it took was used.
        """
        model, text = self.vision.model, printable(described.text)[:MOST_CHARACTERS]
        written = PictureDescription(new_id(), sha256, model.name, model.version, text, datetime.now(UTC))
        async with self.store.open(self.workspace_id) as work:
            await work.lock()
            current = await work.documents.get(document.id)
            is_gone = current is None or is_overtaken(document, current)
            if is_gone or await work.figures.learn(written):
                await self._charge(work, written, described)
            if not is_gone:
                for figure in figures:
                    await work.figures.describe(figure.id, text)
            await work.commit()
        if is_gone:
            raise OvertakenError(outcome(document, current))

    async def _charge(self, work: UnitOfWork, written: PictureDescription, described: Description) -> None:
        if self.metering is None:
            return
        usage = described.usage
        meta = {"estimated": "true"} if usage.estimated else {}
        used = (usage.prompt_tokens, usage.completion_tokens)
        await self.metering.charge(work.usage, Usage(UsageKind.VISION, f"picture:{written.id}", written.model, *used, meta))

    async def _known(self, work: UnitOfWork, figures: Sequence[Figure]) -> dict[str, str]:
        model = self.vision.model
        return await work.figures.descriptions({figure.sha256 for figure in figures}, model=model.name, asked=model.version)

    def _wanted(self, figures: Sequence[Figure]) -> list[Figure]:
        return [figure for figure in self._large(figures)[: self.vision.rules.most_pictures] if not figure.description]

    def _large(self, figures: Sequence[Figure]) -> list[Figure]:
        """Return the first figure of each picture that is large enough."""
        least, seen = self.vision.rules.least_side_pixels, dict[str, Figure]()
        for figure in figures:
            if min(figure.width, figure.height) >= least:
                seen.setdefault(figure.sha256, figure)
        return list(seen.values())

    def _bounds(self, figures: Sequence[Figure]) -> list[str]:
        large, most = len(self._large(figures)), self.vision.rules.most_pictures
        return [f"{most:,} of {large:,} pictures were shown to the vision model (VISION_MAX_PICTURES)."] if large > most else []


def _with(figure: Figure, known: Mapping[str, str]) -> Figure:
    return replace(figure, description=known.get(figure.sha256) or figure.description)


def _remarks(failures: Mapping[str, int], total: int) -> list[str]:
    """Return a sentence for each reason for which pictures have no description."""
    if total == 1:
        return [f"The picture could not be described. {why}" for why in failures]
    return [f"{count:,} of {total:,} pictures could not be described. {why}" for why, count in failures.items()]
