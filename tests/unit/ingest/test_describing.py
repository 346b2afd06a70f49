"""Pictures described by a model: each once, charged once, marked as written, and never what a document fails by."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from pincite.adapters.memory.blobs import MemoryBlobs
from pincite.adapters.memory.embedding import HashEmbedding
from pincite.adapters.memory.parser import PlainTextParser
from pincite.adapters.memory.store import MemoryStore
from pincite.adapters.memory.vision import ScriptedVisionModel
from pincite.billing.ledger import Ledger
from pincite.billing.pricing import PriceBook
from pincite.core.documents import Chunk, ChunkType, Collection, Document, Stage
from pincite.core.errors import ConfigurationError, ConflictError, UpstreamError
from pincite.core.evidence import Passage
from pincite.core.ids import CollectionId, WorkspaceId, new_id
from pincite.core.jobs import JobKind
from pincite.core.messages import MessagePicture
from pincite.core.ports.vision import Description
from pincite.core.usage import UsageKind, UsageSum
from pincite.ingest.arrivals import Arrival
from pincite.ingest.describing import MOST_CHARACTERS, Vision, VisionRules
from pincite.ingest.ingestor import Ingestor
from pincite.ingest.jobs import IngestJobs
from pincite.ingest.turns import always
from pincite.worker.loop import Worker

OURS = WorkspaceId(new_id())
CAPTIONS = ("Figure 1. Ships by year and port", "Figure 2. Ships by flag and port")
TEXT = f"# Ships\n\nShips are counted each year.\n\n![bars] {CAPTIONS[0]}\n\n![pie] {CAPTIONS[1]}\n\nMore."
WRITTEN = "A bar chart: 12 ships in 2019, 48 in 2020."
RULES = VisionRules()
DOWN = UpstreamError("The vision provider is not available right now.", code="provider_unavailable", retryable=True)


class House:
    """An ingestor over memory with a model that sees."""

    def __init__(self, *texts: str, model: ScriptedVisionModel | None = None, rules: VisionRules = RULES) -> None:
        self.store, self.blobs, self.embedding = MemoryStore(), MemoryBlobs(), HashEmbedding()
        self.model = model or ScriptedVisionModel(WRITTEN)
        self.collection = Collection(CollectionId(new_id()), OURS, "default", self.embedding.spec, datetime.now(UTC))
        self.ingestor = self.seeing(self.model, rules)

    def seeing(self, model: ScriptedVisionModel, rules: VisionRules = RULES) -> Ingestor:
        metering, vision = Ledger(PriceBook("1", {})), Vision(model, rules)
        return Ingestor(self.store, self.blobs, PlainTextParser(), OURS, metering=metering, vision=vision)

    async def add(self, text: str = TEXT, path: str = "ships.txt") -> Document:
        document = await self.receive(text, path)
        return await self.ingestor.process(document, self.embedding)

    async def again(self, document: Document, *, is_anew: bool = False) -> Document:
        pending = replace(document, stage=Stage.PENDING)
        async with self.store.open(OURS) as work:
            await work.documents.save(pending)
            await work.commit()
        return await self.ingestor.process(pending, self.embedding, is_anew=is_anew)

    async def receive(self, text: str = TEXT, path: str = "ships.txt") -> Document:
        async with self.store.open(OURS) as work:
            if await work.collections.get(self.collection.id) is None:
                await work.collections.add(self.collection)
                await work.commit()
        return await self.ingestor.receive(self.collection, Arrival(path, path, text.encode()))

    async def chunks(self, document: Document) -> list[Chunk]:
        assert document.version_id
        async with self.store.open(OURS) as work:
            return await work.chunks.of_version(document.version_id)

    async def written(self, document: Document) -> list[str]:
        return [chunk.text for chunk in await self.chunks(document) if chunk.generated]

    async def found(self, document: Document) -> list[Passage]:
        async with self.store.open(OURS) as work:
            return await work.chunks.passages([chunk.id for chunk in await self.chunks(document)])

    async def used(self) -> list[UsageSum]:
        async with self.store.open(OURS) as work:
            return [each for each in await work.usage.sums() if each.kind is UsageKind.VISION]


async def test_a_description_is_a_chunk_beside_the_documents_own_words() -> None:
    house = House(model=ScriptedVisionModel(WRITTEN, texts={}))
    document = await house.add()
    told = [passage for passage in await house.found(document) if passage.chunk_type is ChunkType.IMAGE_DESCRIPTION]
    own, written = [each for each in told if not each.generated], [each for each in told if each.generated]
    assert [each.text for each in own] == [*CAPTIONS]
    assert [each.text for each in written] == [WRITTEN, WRITTEN]
    assert [each.image_url for each in own] == [each.image_url for each in written]
    assert [(each.start, each.end) for each in own] == [(each.start, each.end) for each in written]
    assert (document.stage, document.warnings) == (Stage.READY, ())
    assert house.model.langs == ["en", "en"]


async def test_without_a_model_nothing_is_written() -> None:
    house = House()
    house.ingestor = replace(house.ingestor, vision=None)
    assert await house.written(await house.add()) == []


async def test_a_picture_is_shown_once_and_charged_once_however_often_it_comes() -> None:
    house = House()
    first = await house.add()
    again = await house.add(TEXT + " Even more.", "b.txt")
    assert (len(house.model.asked), len(set(house.model.asked))) == (2, 2)
    assert len(await house.written(first)) == len(await house.written(again)) == 2
    [used] = await house.used()
    assert (used.rows, used.input_tokens, used.output_tokens) == (2, 200, 20)
    anew = await house.again(first, is_anew=True)
    assert len(await house.written(anew)) == 2
    assert len(house.model.asked) == 2


@pytest.mark.parametrize("other", [ScriptedVisionModel(name="other"), ScriptedVisionModel(version="2")])
async def test_another_model_or_prompt_describes_anew(other: ScriptedVisionModel) -> None:
    house = House()
    document = await house.add()
    house.ingestor = house.seeing(other)
    anew = await house.again(document, is_anew=True)
    assert await house.written(anew) == ["A picture."] * 2
    assert len(other.asked) == 2


async def test_a_picture_that_shows_nothing_has_no_chunk_and_is_not_asked_for_again() -> None:
    house = House(model=ScriptedVisionModel(""))
    document = await house.add()
    again = await house.again(document)
    assert await house.written(again) == []
    assert (len(house.model.asked), [each.rows for each in await house.used()]) == (2, [2])
    assert again.warnings == ()


async def test_a_failing_model_fails_no_document_and_the_reason_is_told() -> None:
    house = House(model=ScriptedVisionModel(WRITTEN, errors=[DOWN, None]))
    document = await house.add()
    assert (document.stage, len(await house.written(document))) == (Stage.READY, 1)
    assert document.warnings == ("1 of 2 pictures could not be described. The vision provider is not available right now.",)
    anew = await house.again(document)
    assert (len(await house.written(anew)), anew.warnings) == (2, ())
    assert len(house.model.asked) == 3


@pytest.mark.parametrize(
    ("error", "asked"),
    [
        (DOWN, 3),
        (UpstreamError("It took too long.", code="provider_timeout"), 3),
        (UpstreamError("The vision provider refused the API key.", code="provider_key"), 1),
        (ConfigurationError("The vision provider needs an API key.", code="provider_key"), 1),
        (UpstreamError("It was withheld.", code="provider_filtered"), 6),
    ],
)
async def test_a_provider_that_keeps_failing_is_left_alone(error: UpstreamError | ConfigurationError, asked: int) -> None:
    house = House(model=ScriptedVisionModel(errors=[error] * 9))
    document = await house.add("".join(f"![p{n}] Figure {n}. Ships of the year number {n}\n\n" for n in range(6)))
    assert len(house.model.asked) == asked
    assert document.warnings == (f"6 of 6 pictures could not be described. {error.message}",)
    assert document.stage is Stage.READY
    assert await house.used() == []


async def test_no_more_and_no_smaller_or_larger_pictures_are_shown_than_the_rules_say() -> None:
    text = "".join(f"![p{n}] Figure {n}. Ships of the year number {n}\n\n" for n in range(4))
    few = House(rules=VisionRules(most_pictures=3))
    document = await few.add(text)
    assert document.warnings == ("3 of 4 pictures were shown to the vision model (VISION_MAX_PICTURES).",)
    assert len(few.model.asked) == 3
    small, none = House(rules=VisionRules(least_side_pixels=101)), House(rules=VisionRules(most_pictures=0))
    for house in (small, none):
        assert (await house.add(text)).warnings == ()
        assert house.model.asked == []
    light = House(rules=VisionRules(picture_bytes=5))
    assert (await light.add(TEXT)).warnings == (
        "2 of 2 pictures could not be described. It has more than 5 bytes (VISION_MAX_PICTURE_BYTES).",
    )
    assert light.model.asked == []


async def test_what_a_model_writes_is_one_line_of_bounded_length_without_signs_that_steer() -> None:
    house = House(model=ScriptedVisionModel("A chart.\n\x1b[31m\u202eRed\x00 bars.\n" + "word " * MOST_CHARACTERS))
    text = (await house.written(await house.add()))[0]
    assert text.startswith("A chart. [31mRed bars. word")
    assert len(text) <= MOST_CHARACTERS


class Looking(ScriptedVisionModel):
    """Looks, at each picture, at what there is of the document; and does what it is told with it."""

    def __init__(self, house: House) -> None:
        super().__init__(WRITTEN)
        self.house = house
        self.rows: list[Document] = []
        self.removes = False
        self.waits = asyncio.Event()

    async def describe(self, picture: MessagePicture, *, lang: str = "") -> Description:
        async with self.house.store.open(OURS) as work:
            self.rows += await work.documents.list(self.house.collection.id)
        if self.removes:
            await self.house.ingestor.remove(self.rows[-1].id)
        if self.waits.is_set():
            await asyncio.Event().wait()
        return await super().describe(picture, lang=lang)


async def test_a_document_is_found_by_its_words_before_its_pictures_are_described() -> None:
    house = House()
    house.ingestor = house.seeing(looking := Looking(house))
    document = await house.add()
    assert [(row.stage, row.version_id, row.chunks) for row in looking.rows] == [(Stage.EMBEDDING, document.version_id, 3)] * 2
    assert document.chunks == 5


async def test_a_changed_version_is_searched_when_it_is_whole_and_not_before() -> None:
    house = House()
    before = await house.add("Nothing is here yet.")
    house.ingestor = house.seeing(looking := Looking(house))
    after = await house.add()
    assert [(row.version_id, row.chunks) for row in looking.rows] == [(before.version_id, 1)] * 2
    assert after.version_id != before.version_id
    assert len(await house.written(after)) == 2


async def test_a_document_that_gives_way_goes_on_where_it_was() -> None:
    house = House()
    received = await house.receive()
    aside = await house.ingestor.process(received, house.embedding, gives_way=always)
    assert (aside.stage, aside.version_id is not None, house.model.asked) == (Stage.EMBEDDING, True, [])
    done = await house.ingestor.process(aside, house.embedding)
    assert (done.stage, len(await house.written(done))) == (Stage.READY, 2)


async def test_a_try_that_was_broken_off_pays_for_no_picture_twice() -> None:
    house = House()
    received = await house.receive()

    class Stops(Exception):
        pass

    class Breaking(ScriptedVisionModel):
        async def describe(self, picture: MessagePicture, *, lang: str = "") -> Description:
            if len(self.asked) == 1:
                raise Stops
            return await super().describe(picture, lang=lang)

    house.ingestor = house.seeing(breaking := Breaking(WRITTEN))
    with pytest.raises(Stops):
        await house.ingestor.process(received, house.embedding)
    house.ingestor = house.seeing(house.model)
    done = await house.ingestor.process(received, house.embedding)
    assert (done.stage, len(await house.written(done))) == (Stage.READY, 2)
    assert (len(breaking.asked), len(house.model.asked), [each.rows for each in await house.used()]) == (1, 1, [2])


async def test_of_a_document_that_is_removed_meanwhile_nothing_stays_but_what_it_took() -> None:
    house = House()
    house.ingestor = house.seeing(looking := Looking(house))
    looking.removes = True
    done = await house.add()
    assert done.reason
    assert (done.stage, done.reason.code, len(looking.asked)) == (Stage.FAILED, "removed", 1)
    assert [each.rows for each in await house.used()] == [1]
    assert [blob async for blob in house.blobs.all()] == []
    async with house.store.open(OURS) as work:
        hashes = [each.sha256 for each in looking.rows]
        assert await work.figures.descriptions(hashes, model=looking.name, asked=looking.version) == {}


async def test_a_ready_document_is_tried_again_only_for_pictures_that_no_model_has_described() -> None:
    house = House(model=ScriptedVisionModel(WRITTEN, errors=[DOWN]))
    document = await house.add()
    jobs = IngestJobs(house.store, house.ingestor, lambda _: house.embedding)
    pending = await jobs.retry(document.id)
    assert (pending.stage, pending.version_id) == (Stage.PENDING, document.version_id)
    assert await Worker(house.store.queue, {JobKind.INGEST: jobs}, poll_s=0.001).work_off() == 1
    async with house.store.open(OURS) as work:
        again = await work.documents.get(document.id)
    assert again
    assert (again.stage, again.warnings, len(await house.written(again)), len(house.model.asked)) == (Stage.READY, (), 2, 3)
    with pytest.raises(ConflictError, match="there is nothing to try again"):
        await jobs.retry(document.id)


async def test_with_the_last_document_that_shows_a_picture_its_description_goes() -> None:
    house = House()
    first, second = await house.add(), await house.add(TEXT + " More.", "b.txt")
    assert first.version_id
    async with house.store.open(OURS) as work:
        hashes = {figure.sha256 for figure in await work.figures.of_version(first.version_id)}

    async def known() -> int:
        async with house.store.open(OURS) as work:
            return len(await work.figures.descriptions(hashes, model="scripted", asked="1"))

    await house.ingestor.remove(first.id)
    assert await known() == 2
    await house.ingestor.remove(second.id)
    assert await known() == 0
