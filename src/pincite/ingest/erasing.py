"""Erases documents: what they say is destroyed wherever it is kept, and what rests on them says so."""

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from pincite.core.documents import Document, Stage
from pincite.core.errors import ConflictError, NotFoundError, PinciteError, StoreError
from pincite.core.evidence import Passage
from pincite.core.ids import CollectionId, DocumentId, MessageId, WorkspaceId
from pincite.core.jobs import JobKind
from pincite.core.keeping import Erasure, held
from pincite.core.ports.blobs import BlobStore
from pincite.core.ports.index import DenseIndex, IndexSpace, LexicalIndex
from pincite.core.ports.keeping import Scrubber
from pincite.core.ports.metering import Metering
from pincite.core.ports.store import Store, UnitOfWork
from pincite.core.receipts import without_lost
from pincite.core.redacting import mask, redacted, redacted_query
from pincite.core.summaries import SummaryState
from pincite.ingest.blob_keeping import forget
from pincite.ingest.charging import attempt_key, settle
from pincite.ingest.families import contents_of, held_with
from pincite.ingest.summarising import end_summaries
from pincite.language.detect import detect
from pincite.language.stopwords import stop_words
from pincite.language.words import word_spans, words

_log = logging.getLogger("pincite.keeping")


@dataclass(frozen=True, slots=True)
class Erased:
    """What an erasure did: the documents, those inside it among them, and how many answers and logged questions rested on them.

    `duplicates` are other documents with the same bytes, which stay; `copies` are backups that may hold what was erased. `left`
    says, a sentence each, what could not be destroyed yet: it is tried again, by the same call too.
    """

    document_ids: tuple[DocumentId, ...]
    messages: int = 0
    duplicates: tuple[Document, ...] = ()
    copies: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


@dataclass(slots=True)
class _Family:
    """A document and all inside it, those removed before among them; their bytes, and the words that they say."""

    present: list[Document] = field(default_factory=list[Document])
    removed: list[Document] = field(default_factory=list[Document])
    hashes: dict[DocumentId, set[str]] = field(default_factory=dict[DocumentId, set[str]])
    said: set[str] = field(default_factory=set[str])

    @property
    def all(self) -> list[Document]:
        return [*self.present, *self.removed]

    @property
    def ids(self) -> list[DocumentId]:
        return [each.id for each in self.all]

    def say(self, *texts: str) -> None:
        for text in texts:
            self.said.update(words(text))


@dataclass(frozen=True)
class Eraser:
    """Erases documents of a workspace, present and removed ones."""

    store: Store
    blobs: BlobStore
    dense: DenseIndex
    lexical: LexicalIndex
    scrubber: Scrubber
    workspace_id: WorkspaceId
    metering: Metering | None = None

    async def erase(self, document_id: DocumentId) -> Erased:
        """Destroy a document with all inside it: text, bytes, vectors, and what answers and logs repeat of it.

        It can't be found from the first commit on; then its bytes, the mirrors and what the store's files still hold of it go.
        One that was erased already is gone through again, for what was left. Raises `NotFoundError`, and `ConflictError` (`held`;
        `inside` for one whose bytes are part of another document's file).
        """
        async with self.store.open(self.workspace_id) as work:
            is_erased = document_id in await work.keeping.erased([document_id])
        if is_erased:
            return Erased((document_id,), left=tuple(await self.finish()))
        async with self.store.open(self.workspace_id) as work:
            await work.lock()
            family = await _family(work, document_id)
            messages = await _redact(work, family)
            await _delete(work, family, self.metering)
            duplicates = await work.documents.with_bytes(set[str]().union(*family.hashes.values()))
            await work.commit()
        left = await self.finish()
        copies = await self.scrubber.copies(min(each.created_at for each in family.all))
        return Erased(tuple(family.ids), messages, tuple(duplicates), tuple(copies), tuple(left))

    async def finish(self) -> list[str]:
        """Destroy what is left of documents that were erased; return, a sentence each, what still is."""
        async with self.store.open(self.workspace_id) as work:
            unfinished = await work.keeping.unfinished()
        if not unfinished:
            return []
        left = [*await self._drop_bytes(unfinished), *await self._renew_mirrors(unfinished), *await self._scrub()]
        if not left:
            async with self.store.open(self.workspace_id) as work:
                await work.keeping.finish([each.document_id for each in unfinished], finished_at=datetime.now(UTC))
                await work.commit()
        return left

    async def try_to_finish(self) -> None:
        """Finish what is left, and leave it to the next time where that fails."""
        try:
            for sentence in await self.finish():
                _log.warning("Of erased documents something is left: %s", sentence)
        except PinciteError as error:
            _log.warning("What is left of erased documents could not be destroyed: %s", error.message)

    async def _drop_bytes(self, erasures: Sequence[Erasure]) -> list[str]:
        stayed = await forget(self.store, self.blobs, self.workspace_id, {each for erasure in erasures for each in erasure.hashes})
        return ["Their bytes are kept as long as a backup is being written."] if stayed else []

    async def _renew_mirrors(self, erasures: Sequence[Erasure]) -> list[str]:
        left: list[str] = []
        for collection_id in {each.collection_id for each in erasures}:
            are_gone = [await index.discard(collection_id) for index in (self.dense, self.lexical)]
            left += [] if all(are_gone) else ["Another process goes on writing an index. It may be stopped: end it."]
            await self._follow(collection_id)
        return left

    async def _follow(self, collection_id: CollectionId) -> None:
        """Make the mirrors anew now: whoever searches next needn't wait, and who writes old ones elsewhere comes too late."""
        async with self.store.open(self.workspace_id) as work:
            collection = await work.collections.get(collection_id)
        if collection is None:
            return
        await self.lexical.follow(IndexSpace(self.workspace_id, collection_id))
        if spec := collection.embedding:
            await self.dense.follow(IndexSpace(self.workspace_id, collection_id, spec.model_id, spec.dimensions))

    async def _scrub(self) -> list[str]:
        try:
            is_clean = await self.scrubber.scrub()
        except StoreError as error:
            return [f"The database could not be written anew, and may still hold deleted text. {error.message}"]
        return [] if is_clean else ["Another process reads from the database's log, which may still hold deleted text."]


async def _family(work: UnitOfWork, document_id: DocumentId) -> _Family:
    """Gather a document, present or removed, with all inside it. Raises `NotFoundError`, `ConflictError`."""
    document, removed = await work.documents.get(document_id), await work.keeping.removed(document_id)
    first = document or (removed.document if removed else None)
    if first is None:
        raise NotFoundError("There is no such document.", code="document")
    await _refuse(work, first, is_present=document is not None)
    family = _Family(present=[first, *await contents_of(work, first)] if document else [], removed=[] if document else [first])
    for each in family.present:
        family.hashes[each.id] = {each.sha256} | {v.sha256 for v in await work.versions.of_document(each.id)}
        family.hashes[each.id] |= await work.figures.blobs(each.id)
    waiting = list(family.all)
    while waiting:
        inner = [each.document for each in await work.keeping.removed_inside(waiting.pop())]
        family.removed += inner
        waiting += inner
    for each in family.removed:
        family.hashes[each.id] = {v.sha256 for v in await work.keeping.kept_of(each.id)} | await work.figures.blobs(each.id)
    if on_hold := await work.keeping.holds(family.ids):
        raise held(next(each.path for each in family.all if each.id in on_hold))
    return family


async def _refuse(work: UnitOfWork, document: Document, *, is_present: bool) -> None:
    if is_present and (on_hold := await held_with(work, document)):
        raise held(on_hold.path)
    if document.container_id is None:
        return
    container = await work.documents.get(document.container_id)
    removed = await work.keeping.removed(document.container_id)
    if outer := container or (removed.document if removed else None):
        raise ConflictError(
            f"{document.path} stands inside {outer.path}, whose file holds its bytes. Erase that, or remove this one.",
            code="inside",
        )


async def _redact(work: UnitOfWork, family: _Family) -> int:
    """Take what the documents say out of stored answers and logged questions; return how many these are."""
    await _listen(work, family)
    messages, gone = await work.keeping.resting_on(family.ids), frozenset(family.ids)
    for message_id in messages:
        await _redact_message(work, message_id, gone, family.said)
    return len(messages)


async def _listen(work: UnitOfWork, family: _Family) -> None:
    for document in family.all:
        family.say(document.title, document.path, *(each.text for each in await work.summaries.of_document(document.id)))
        versions = await work.versions.of_document(document.id) or await work.keeping.kept_of(document.id)
        for version in versions:
            canonical = await work.versions.canonical(version.id)
            family.say(canonical.text if canonical else "")
            for figure in await work.figures.of_version(version.id):
                family.say(figure.description)


async def _redact_message(work: UnitOfWork, message_id: MessageId, gone: frozenset[DocumentId], said: set[str]) -> None:
    hide = hiding(said)
    if record := await work.answers.get(message_id):
        passages = [each for source in record.answer.sources for each in source.passages]
        lost, kept = (_words_of(p for p in passages if (p.document_id in gone) is is_gone) for is_gone in (True, False))
        # What the other sources say stays in the record anyway.
        hide = hiding((said | lost) - kept)
        left = redacted(record, gone, hide)
        await work.answers.rewrite(left)
        if receipt := await work.receipts.get(message_id):
            await work.receipts.forget(message_id, without_lost(receipt, left))
    for query in await work.query_logs.of([message_id]):
        await work.query_logs.rewrite(redacted_query(query, hide))


def _words_of(passages: Iterable[Passage]) -> set[str]:
    return {word for each in passages for word in words(f"{each.title} {each.path} {each.text}")}


def hiding(said: set[str]) -> Callable[[str], str]:
    """Return what masks, in a text, the words that are among those that were said; words that say nothing stay."""

    def hide(text: str) -> str:
        told = said - stop_words(detect(text))
        for (start, end), word in zip(word_spans(text), words(text), strict=False):
            if word in told:
                text = text[:start] + mask(text[start:end]) + text[end:]
        return text

    return hide


async def _delete(work: UnitOfWork, family: _Family, metering: Metering | None) -> None:
    """Delete the rows, keep that they were erased, and have the mirrors made anew."""
    now = datetime.now(UTC)
    unread = [each.id for each in family.present if each.stage not in (Stage.READY, Stage.FAILED)]
    for ingestion in (await work.ingestions.of(unread)).values():
        await work.jobs.cancel(JobKind.INGEST, attempt_key(ingestion.document_id, ingestion.attempt))
    for each in reversed(family.present):
        await settle(work, metering, each)
        await end_summaries(work, metering, each, SummaryState.OFF)
        await work.documents.remove(each.id)
    await work.keeping.drop([each.id for each in family.removed])
    erasures = [Erasure(each.id, each.collection_id, now, tuple(sorted(family.hashes[each.id] - {""}))) for each in family.all]
    await work.keeping.erase(erasures)
    for collection_id in {each.collection_id for each in family.all}:
        if await work.collections.get(collection_id):
            await work.chunks.begin_anew(collection_id)
