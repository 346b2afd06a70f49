"""Erasing: what is destroyed, what says so, what is refused, and what is tried again."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest

from pincite.adapters.memory.blobs import MemoryBlobs
from pincite.adapters.memory.embedding import HashEmbedding
from pincite.adapters.memory.index import MemoryDenseIndex, MemoryLexicalIndex
from pincite.adapters.memory.keeping import MemoryScrubber
from pincite.adapters.memory.parser import PlainTextParser
from pincite.adapters.memory.store import MemoryStore
from pincite.answering.engine import QueryEngine
from pincite.answering.exchange import Ask
from pincite.answering.extractive import ExtractiveChatModel
from pincite.answering.records import StoredQueryLog, StoredRecorder
from pincite.core.answers import AnswerRecord, SourcesChunk
from pincite.core.documents import Collection, Document
from pincite.core.errors import ConflictError, NotFoundError, StoreError
from pincite.core.evidence import Query
from pincite.core.ids import CollectionId, DocumentId, MessageId, WorkspaceId, new_id
from pincite.ingest.arrivals import Arrival
from pincite.ingest.erasing import Erased, Eraser, hiding
from pincite.ingest.ingestor import Ingestor
from pincite.ingest.keeping import Keeper
from pincite.retrieval.searcher import Searcher

OURS = WorkspaceId(new_id())
MAIL = "The zebra fee is 40.\n@@ bill.txt\nThe giraffe fee is 50.\n"


class Stubborn(MemoryScrubber):
    """Can't scrub until it is told to."""

    fails = True

    async def scrub(self) -> bool:
        if self.fails:
            raise StoreError("The disk is full.", code="disk_full")
        return True


@dataclass
class House:
    """A whole installation in memory, with one collection, that answers by quoting."""

    store: MemoryStore = field(default_factory=MemoryStore)
    blobs: MemoryBlobs = field(default_factory=MemoryBlobs)
    embedding: HashEmbedding = field(default_factory=HashEmbedding)
    scrubber: MemoryScrubber = field(default_factory=MemoryScrubber)

    def __post_init__(self) -> None:
        self.collection = Collection(CollectionId(new_id()), OURS, "papers", self.embedding.spec, datetime.now(UTC))
        self.dense, self.lexical = MemoryDenseIndex(self.store.changes), MemoryLexicalIndex(self.store.changes)
        self.ingestor = Ingestor(self.store, self.blobs, PlainTextParser(), OURS)
        self.searcher = Searcher(self.store, self.dense, self.lexical, lambda _: self.embedding, OURS)
        self.log = StoredQueryLog(self.store, OURS)
        self.engine = QueryEngine(
            self.searcher, ExtractiveChatModel(self.embedding), recorder=StoredRecorder(self.store, OURS), log=self.log
        )

    @property
    def eraser(self) -> Eraser:
        return Eraser(self.store, self.blobs, self.dense, self.lexical, self.scrubber, OURS)

    async def add(self, text: str, path: str = "a.txt") -> Document:
        received = await self.ingestor.receive(self.collection, Arrival(path, path, text.encode()))
        return await self.ingestor.process(received, self.embedding)

    async def document(self, path: str) -> Document:
        async with self.store.open(OURS) as work:
            found = await work.documents.at_path(self.collection.id, path)
        assert found
        return found

    async def ask(self, question: str) -> MessageId:
        return (await self.engine.ask(Ask(question, (self.collection.id,)))).message_id

    async def record(self, message_id: MessageId) -> AnswerRecord:
        async with self.store.open(OURS) as work:
            found = await work.answers.get(message_id)
        assert found
        return found

    async def logged(self) -> str:
        await self.log.close()
        async with self.store.open(OURS) as work:
            return repr(await work.query_logs.list())

    async def found(self, text: str) -> list[str]:
        return [hit.text for hit in (await self.searcher.retrieve(Query(text, (self.collection.id,)))).passages]


@pytest.fixture
async def house() -> House:
    made = House()
    async with made.store.open(OURS) as work:
        await work.collections.add(made.collection)
        await work.commit()
    return made


async def test_an_erased_document_is_nowhere_and_answers_say_so(house: House) -> None:
    row, other = await house.add("The zebra fee is 40."), await house.add("The giraffe fee is 50.", "b.txt")
    message_id, untouched = await house.ask("What is the zebra fee?"), await house.ask("What is the giraffe fee?")
    erased = await house.eraser.erase(row.id)
    assert (erased.document_ids, erased.left) == ((row.id,), ())
    assert not await house.blobs.has(row.sha256)
    assert await house.found("zebra fee") == ["The giraffe fee is 50."]
    record = await house.record(message_id)
    assert "zebra" not in repr(record)
    [quote] = record.evidence
    assert (quote.erased, quote.document_id, bool(quote.commitment)) == (True, row.id, True)
    assert "zebra" not in await house.logged()
    other_record = await house.record(untouched)
    assert other_record.answer.citations[0].quotes[0].text in other_record.answer.text
    assert other_record.question == "What is the giraffe fee?"
    assert other.version_id
    async with house.store.open(OURS) as work:
        [erasure] = (await work.keeping.erased([row.id])).values()
        assert (erasure.hashes, bool(erasure.finished_at)) == ((), True)


async def test_all_versions_and_what_was_removed_before_are_erased(house: House) -> None:
    first = await house.add("The zebra fee is 40.")
    cited = await house.ask("What is the zebra fee?")
    second = await house.add("The zebra fee is 50.")
    await house.ingestor.remove(second.id)
    assert await house.blobs.has(first.sha256)
    assert (await house.eraser.erase(first.id)).document_ids == (first.id,)
    assert not await house.blobs.has(first.sha256)
    assert "zebra" not in repr(await house.record(cited))
    async with house.store.open(OURS) as work:
        assert await work.versions.get(first.version_id or second.version_id) is None  # type: ignore[arg-type]
        assert await work.keeping.removed(first.id) is None


async def test_files_inside_are_erased_with_the_file_that_holds_them_and_never_without(house: House) -> None:
    mail = await house.add(MAIL, "mail.txt")
    bill = await house.document("mail.txt/bill.txt")
    with pytest.raises(ConflictError) as refused:
        await house.eraser.erase(bill.id)
    assert refused.value.code == "inside"
    await house.ingestor.remove(bill.id)
    with pytest.raises(ConflictError):
        await house.eraser.erase(bill.id)
    assert set((await house.eraser.erase(mail.id)).document_ids) == {mail.id, bill.id}
    assert [blob async for blob in house.blobs.all()] == []
    assert await house.found("zebra giraffe") == []


async def test_the_same_bytes_elsewhere_stay_and_are_named(house: House) -> None:
    row, twin = await house.add("The zebra fee is 40."), await house.add("The zebra fee is 40.", "copy.txt")
    erased = await house.eraser.erase(row.id)
    assert [each.id for each in erased.duplicates] == [twin.id]
    assert await house.blobs.has(twin.sha256)
    assert await house.found("zebra fee") == ["The zebra fee is 40."]


async def test_what_is_on_hold_is_not_erased(house: House) -> None:
    mail = await house.add(MAIL, "mail.txt")
    bill, keeper = await house.document("mail.txt/bill.txt"), Keeper(house.store, house.blobs, OURS, timedelta(days=1))
    for held in (mail, bill):
        await keeper.hold(held.id)
        with pytest.raises(ConflictError) as refused:
            await house.eraser.erase(mail.id)
        assert refused.value.code == "held"
        await keeper.release(held.id)
    await house.ingestor.remove(mail.id)
    await keeper.hold(bill.id)
    with pytest.raises(ConflictError):
        await house.eraser.erase(mail.id)
    await keeper.release(bill.id)
    assert len((await house.eraser.erase(mail.id)).document_ids) == 2


async def test_an_answer_that_was_on_its_way_keeps_nothing_of_what_was_erased_meanwhile(house: House) -> None:
    row = await house.add("The zebra fee is 40.")
    message_id = MessageId("")
    async for event in house.engine.stream(Ask("What is the zebra fee?", (house.collection.id,))):
        if isinstance(event, SourcesChunk):
            message_id = event.message_id
            await house.eraser.erase(row.id)
    record = await house.record(message_id)
    assert "zebra" not in repr(record)
    assert record.evidence[0].erased


async def test_of_an_answer_that_broke_off_nothing_is_kept_either(house: House) -> None:
    row = await house.add("The zebra fee is 40.")
    events = house.engine.stream(Ask("What is the zebra fee?", (house.collection.id,)))
    for _ in range(2):
        await anext(events)
    await events.aclose()
    assert "zebra" in await house.logged()
    assert (await house.eraser.erase(row.id)).messages == 1
    assert "zebra" not in await house.logged()


async def test_what_could_not_be_destroyed_is_told_and_tried_again(house: House) -> None:
    house.scrubber = stubborn = Stubborn()
    row = await house.add("The zebra fee is 40.")
    async with house.blobs.hold():
        erased = await house.eraser.erase(row.id)
    assert len(erased.left) == 2
    assert await house.blobs.has(row.sha256)
    again: Erased = await house.eraser.erase(row.id)
    assert (len(again.left), await house.blobs.has(row.sha256)) == (1, False)
    stubborn.fails = False
    await house.eraser.try_to_finish()
    async with house.store.open(OURS) as work:
        assert await work.keeping.unfinished() == []


async def test_what_is_not_there_cannot_be_erased(house: House) -> None:
    with pytest.raises(NotFoundError):
        await house.eraser.erase(DocumentId(new_id()))


async def test_the_same_file_may_come_again_afterwards(house: House) -> None:
    row = await house.add("The zebra fee is 40.")
    await house.eraser.erase(row.id)
    again = await house.add("The zebra fee is 40.")
    assert again.id != row.id
    assert await house.found("zebra fee") == ["The zebra fee is 40."]


@pytest.mark.parametrize(
    ("question", "shown"),
    [
        ("What is the zebra fee?", "What is the █████ ███?"),
        ("Was kostet ein ZEBRA?", "Was kostet ein █████?"),
        ("动物园的费用是多少", "████费用是多少"),
        ("zebra-fee: 40", "█████-███: ██"),
    ],
)
def test_words_that_were_said_are_hidden_and_words_that_say_nothing_stay(question: str, shown: str) -> None:
    assert hiding({"zebra", "fee", "40", "the", "is", "动物", "物园", "园的"})(question) == shown
