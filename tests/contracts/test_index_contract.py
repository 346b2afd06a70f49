"""What searching by vector and by words means, over the indexes in memory and the mapped ones."""

import asyncio
import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from pincite.adapters.index.dense import MappedDenseIndex
from pincite.adapters.index.lexical import TantivyIndex
from pincite.adapters.memory.index import MemoryDenseIndex, MemoryLexicalIndex
from pincite.core.errors import ConflictError, ModelChangedError
from pincite.core.ids import ChunkId, CollectionId, DocumentId, WorkspaceId
from pincite.core.ports.changes import Change, ChangeFeed, LogState
from pincite.core.ports.index import DenseIndex, IndexSpace, LexicalIndex, LexicalResult
from pincite.core.ports.models import Vector

WORDS = IndexSpace(WorkspaceId("w"), CollectionId("papers"))
SPACE = replace(WORDS, model_id="small-1", dimensions=4)


@dataclass
class Log:
    """A change log of one collection: chunks as they are, and tombstones."""

    rows: dict[ChunkId, Change] = field(default_factory=dict[ChunkId, Change])
    head: int = 0
    horizon: int = 0
    models_gone: set[str] = field(default_factory=set[str])
    going: set[str] = field(default_factory=set[str])
    reads: int = 0

    def put(
        self,
        chunk: str,
        text: str = "",
        *,
        document: str = "d",
        title: str = "",
        headings: Sequence[str] = (),
        lang: str = "",
        vector: Vector | None = None,
    ) -> None:
        self._append(
            Change(0, ChunkId(chunk), DocumentId(document), False, title, tuple(headings), text, lang, vector),
        )

    def remove(self, chunk: str) -> None:
        self._append(Change(0, ChunkId(chunk), self.rows[ChunkId(chunk)].document_id, deleted=True))

    def prune(self) -> None:
        self.rows = {chunk: row for chunk, row in self.rows.items() if not row.deleted}
        self.horizon = self.head

    def _append(self, change: Change) -> None:
        self.head += 1
        self.rows.pop(change.chunk_id, None)
        self.rows[change.chunk_id] = replace(change, seq=self.head)

    def fill(self, chunk: str, vector: Vector) -> None:
        """Give a chunk its vector without a new number, as filling a second model does."""
        self.rows[ChunkId(chunk)] = replace(self.rows[ChunkId(chunk)], vector=vector)

    async def state(self, space: IndexSpace) -> LogState:
        if space.model_id in self.models_gone:
            raise ModelChangedError("another model", retryable=True)
        return LogState(self.head, self.horizon) if space.collection_id == WORDS.collection_id else LogState(0, 0)

    async def read(self, space: IndexSpace, *, after: int, limit: int) -> Sequence[Change]:
        self.reads += 1
        self.models_gone |= self.going
        rows = self.rows.values() if space.collection_id == WORDS.collection_id else ()
        return [row for row in rows if row.seq > after][:limit]


@pytest.fixture
def log() -> Log:
    return Log()


@pytest.fixture(params=["memory", "mapped", "signs"])
def dense(request: pytest.FixtureRequest, log: Log, tmp_path: Path) -> DenseIndex:
    if request.param == "memory":
        return MemoryDenseIndex(log)
    return MappedDenseIndex(tmp_path, log, sign_rows=1 if request.param == "signs" else 50_000, compact_rows=2)


@pytest.fixture(params=["memory", "tantivy"])
def lexical(request: pytest.FixtureRequest, log: Log, tmp_path: Path) -> LexicalIndex:
    return MemoryLexicalIndex(log) if request.param == "memory" else TantivyIndex(tmp_path, log)


async def near(index: DenseIndex, vector: Vector, *, limit: int = 10, documents: set[str] | None = None) -> list[str]:
    chosen = None if documents is None else {DocumentId(document) for document in documents}
    return [hit.chunk_id for hit in await index.search(SPACE, vector, limit=limit, documents=chosen)]


async def found(index: LexicalIndex, text: str, *, limit: int = 10, documents: set[str] | None = None) -> list[str]:
    chosen = None if documents is None else {DocumentId(document) for document in documents}
    return [hit.chunk_id for hit in (await index.search(WORDS, text, limit=limit, documents=chosen)).hits]


# Vectors


async def test_the_nearest_come_first_with_their_cosine(dense: DenseIndex, log: Log):
    log.put("far", vector=[-1, 0, 0, 0])
    log.put("near", vector=[1, 0, 0, 0])
    log.put("middle", vector=[0.6, 0.8, 0, 0])
    hits = await dense.search(SPACE, [1, 0, 0, 0], limit=10)
    assert [hit.chunk_id for hit in hits] == ["near", "middle", "far"]
    assert [hit.score for hit in hits] == pytest.approx([1, 0.6, -1], abs=1e-3)


async def test_a_limit_cuts_and_zero_finds_nothing(dense: DenseIndex, log: Log):
    for number in range(20):
        log.put(f"c{number}", vector=[1, number, 0, 0])
    assert await near(dense, [1, 0, 0, 0], limit=3) == ["c0", "c1", "c2"]
    assert await near(dense, [1, 0, 0, 0], limit=0) == []


async def test_an_empty_collection_finds_nothing(dense: DenseIndex):
    assert await near(dense, [1, 0, 0, 0]) == []


async def test_a_document_filter_narrows_and_an_empty_one_finds_nothing(dense: DenseIndex, log: Log):
    for number in range(12):
        log.put(f"c{number}", document=f"d{number % 3}", vector=[1, number, 0, 0])
    assert await near(dense, [1, 0, 0, 0], documents={"d1", "unknown"}) == ["c1", "c4", "c7", "c10"]
    assert await near(dense, [1, 0, 0, 0], documents={"unknown"}) == []
    assert await near(dense, [1, 0, 0, 0], documents=set()) == []


async def test_chunks_of_no_vector_are_left_out(dense: DenseIndex, log: Log):
    log.put("wordy", "text")
    log.put("both", "text", vector=[1, 0, 0, 0])
    assert await near(dense, [1, 0, 0, 0]) == ["both"]
    log.put("both", "text")
    assert await near(dense, [1, 0, 0, 0]) == []


async def test_deleted_chunks_are_gone_from_the_next_search(dense: DenseIndex, log: Log):
    for number in range(9):
        log.put(f"c{number}", vector=[1, number, 0, 0])
    assert len(await near(dense, [1, 0, 0, 0])) == 9
    for number in range(0, 9, 2):
        log.remove(f"c{number}")
    assert await near(dense, [1, 0, 0, 0]) == ["c1", "c3", "c5", "c7"]
    log.put("c8", vector=[1, 0.5, 0, 0])
    assert await near(dense, [1, 0, 0, 0]) == ["c8", "c1", "c3", "c5", "c7"]


async def test_a_changed_chunk_is_found_by_its_new_vector_alone(dense: DenseIndex, log: Log):
    log.put("a", vector=[1, 0, 0, 0])
    log.put("b", vector=[0.8, 0.6, 0, 0])
    assert await near(dense, [1, 0, 0, 0]) == ["a", "b"]
    log.put("a", vector=[0, 1, 0, 0])
    assert await near(dense, [1, 0, 0, 0]) == ["b", "a"]


async def test_vectors_of_another_size_are_refused(dense: DenseIndex, log: Log):
    log.put("a", vector=[1, 0, 0, 0])
    with pytest.raises(ConflictError, match="4 numbers"):
        await dense.search(SPACE, [1, 0, 0], limit=1)
    log.put("b", vector=[1, 0])
    with pytest.raises(ConflictError, match="numbers"):
        await dense.search(SPACE, [1, 0, 0, 0], limit=1)


async def test_zero_vectors_do_no_harm(dense: DenseIndex, log: Log):
    log.put("zero", vector=[0, 0, 0, 0])
    log.put("one", vector=[1, 0, 0, 0])
    assert await near(dense, [1, 0, 0, 0]) == ["one", "zero"]


async def test_each_model_has_rows_of_its_own(dense: DenseIndex, log: Log):
    log.put("a", vector=[1, 0, 0, 0])
    assert await near(dense, [1, 0, 0, 0]) == ["a"]
    assert await dense.search(replace(SPACE, model_id="other", collection_id=CollectionId("empty")), [1, 0, 0, 0], limit=1) == []


async def test_sign_codes_find_what_an_exact_search_finds(log: Log, tmp_path: Path):
    draw = random.Random(5)
    space = replace(SPACE, dimensions=70)
    for number in range(700):
        # A strong common direction, as real embeddings have.
        log.put(f"c{number}", document=f"d{number % 2}", vector=[2 + draw.gauss(0, 1) for _ in range(70)])
    exact, coded = MemoryDenseIndex(log), MappedDenseIndex(tmp_path, log, sign_rows=300)
    agreed = 0
    for _ in range(20):
        question = [2 + draw.gauss(0, 1) for _ in range(70)]
        wanted = [hit.chunk_id for hit in await exact.search(space, question, limit=5)]
        agreed += len({hit.chunk_id for hit in await coded.search(space, question, limit=5)} & set(wanted))
        narrowed = await coded.search(space, question, limit=3, documents={DocumentId("d1")})
        assert [int(hit.chunk_id[1:]) % 2 for hit in narrowed] == [1, 1, 1]
    assert agreed >= 98


async def test_after_following_a_search_reads_nothing(dense: DenseIndex, log: Log):
    log.put("near", vector=[1, 0, 0, 0])
    await dense.follow(SPACE)
    log.reads = 0
    assert await near(dense, [1, 0, 0, 0]) == ["near"]
    assert log.reads == 0


async def test_following_stops_at_a_number_so_that_what_lies_behind_it_may_still_be_filled(dense: DenseIndex, log: Log):
    for number in range(6):
        log.put(f"c{number}", vector=[1, number, 0, 0] if number < 4 else None)
    await dense.follow(SPACE, through=4)
    await dense.follow(SPACE, through=3)
    log.fill("c4", [1, 4, 0, 0])
    log.fill("c5", [1, 5, 0, 0])
    await dense.follow(SPACE, through=99)
    assert await near(dense, [1, 0, 0, 0]) == [f"c{number}" for number in range(6)]


async def test_a_search_after_the_switch_finds_what_it_would_have_found_before(dense: DenseIndex, log: Log):
    log.put("near", vector=[1, 0, 0, 0])
    assert await near(dense, [1, 0, 0, 0]) == ["near"]
    log.put("late")
    log.models_gone = {SPACE.model_id}
    assert await near(dense, [1, 0, 0, 0]) == ["near"]
    log.models_gone = set()
    log.put("later", vector=[1, 1, 0, 0])
    assert await near(dense, [1, 0, 0, 0]) == ["near", "later"]


async def test_who_has_nothing_of_a_model_that_is_gone_says_so(dense: DenseIndex, log: Log):
    log.put("near", vector=[1, 0, 0, 0])
    log.models_gone = {SPACE.model_id}
    with pytest.raises(ModelChangedError):
        await near(dense, [1, 0, 0, 0])
    with pytest.raises(ModelChangedError):
        await dense.follow(SPACE)


async def test_a_model_that_goes_while_its_vectors_are_read_is_not_taken_for_an_empty_one(dense: DenseIndex, log: Log):
    log.put("near")  # its vector is deleted already
    log.going = {SPACE.model_id}
    with pytest.raises(ModelChangedError):
        await near(dense, [1, 0, 0, 0])
    assert log.reads


async def test_what_is_kept_for_other_models_of_a_collection_is_deleted(dense: DenseIndex, log: Log):
    log.put("near", vector=[1, 0, 0, 0])
    other, elsewhere = replace(SPACE, model_id="big-1"), replace(SPACE, collection_id=CollectionId("elsewhere"))
    for space in (SPACE, other, elsewhere):
        await dense.search(space, [1, 0, 0, 0], limit=1)
    await dense.retain(other)
    log.reads = 0
    for space in (other, elsewhere):
        await dense.search(space, [1, 0, 0, 0], limit=1)
    assert log.reads == 0
    log.models_gone = {SPACE.model_id}
    with pytest.raises(ModelChangedError):
        await near(dense, [1, 0, 0, 0])
    await dense.retain(WORDS)
    log.models_gone = {other.model_id}
    with pytest.raises(ModelChangedError):
        await dense.search(other, [1, 0, 0, 0], limit=1)


async def test_what_is_kept_for_a_collection_that_is_gone_is_discarded_and_read_again_if_it_is_not(
    dense: DenseIndex, lexical: LexicalIndex, log: Log, tmp_path: Path
):
    log.put("a", "notice period", vector=[1, 0, 0, 0])
    assert (await near(dense, [1, 0, 0, 0]), await found(lexical, "notice")) == (["a"], ["a"])
    await dense.discard(WORDS.collection_id)
    await lexical.discard(WORDS.collection_id)
    assert list(tmp_path.iterdir()) == []
    reads = log.reads
    assert (await near(dense, [1, 0, 0, 0]), await found(lexical, "notice")) == (["a"], ["a"])
    assert log.reads == reads + 2
    await dense.discard(CollectionId("another"))
    await lexical.discard(CollectionId("../.."))
    assert await near(dense, [1, 0, 0, 0]) == ["a"]


# Words


async def test_after_following_a_search_by_words_reads_nothing(lexical: LexicalIndex, log: Log):
    log.put("c", "The river runs.")
    await lexical.follow(SPACE)
    log.reads = 0
    assert await found(lexical, "river") == ["c"]
    assert log.reads == 0


async def test_the_best_match_comes_first_with_the_same_score_everywhere(log: Log, tmp_path: Path):
    log.put("a", "The bridge spans the river near the mill.", title="Bridges")
    log.put("b", "A river runs. The river floods. The river is a river.", title="Floods", headings=("Spring", "River levels"))
    log.put("c", "Nothing to see here, please move on.", title="Notice")
    one, other = TantivyIndex(tmp_path, log), MemoryLexicalIndex(log)
    for question in ("river bridge", "the river levels in spring", "floods"):
        left, right = await one.search(WORDS, question, limit=5), await other.search(WORDS, question, limit=5)
        assert [hit.chunk_id for hit in left.hits] == [hit.chunk_id for hit in right.hits]
        assert [hit.score for hit in left.hits] == pytest.approx([hit.score for hit in right.hits], rel=1e-5)
        assert left.idf_mass == pytest.approx(right.idf_mass)


async def test_titles_and_headings_are_found_and_count_more(lexical: LexicalIndex, log: Log):
    log.put("body", "This agreement names Acme once and then says no more of it at all.", title="Contract", lang="en")
    log.put("title", "This agreement says no more of the party at all, not even once.", title="Acme contract", lang="en")
    log.put("heading", "Payment is due.", title="Contract", headings=("Terms", "Zebra clause"), lang="en")
    assert await found(lexical, "Acme") == ["title", "body"]
    assert await found(lexical, "zebra") == ["heading"]


async def test_no_match_and_no_words_find_nothing(lexical: LexicalIndex, log: Log):
    log.put("a", "Some words about bridges.", lang="en")
    assert await found(lexical, "submarine") == []
    assert await lexical.search(WORDS, "?!…", limit=5) == LexicalResult((), 0)
    assert await found(lexical, "bridges", limit=0) == []


async def test_an_empty_collection_has_no_words(lexical: LexicalIndex):
    result = await lexical.search(WORDS, "river", limit=5)
    assert result.hits == ()
    assert result.idf_mass == pytest.approx(math.log(2))


async def test_a_document_filter_narrows_words_before_the_limit(lexical: LexicalIndex, log: Log):
    for number in range(60):
        log.put(f"c{number}", "river " * (1 + number % 5) + "water", document=f"d{number % 30}", lang="en")
    assert set(await found(lexical, "river", limit=4, documents={"d7", "unknown"})) == {"c7", "c37"}
    assert await found(lexical, "river", documents={"unknown"}) == []
    assert await found(lexical, "river", documents=set()) == []


async def test_deleted_words_are_gone_from_the_next_search(lexical: LexicalIndex, log: Log):
    log.put("a", "A red bridge over the river.", lang="en")
    log.put("b", "A blue bridge over the river.", lang="en")
    assert set(await found(lexical, "bridge")) == {"a", "b"}
    log.remove("a")
    assert await found(lexical, "bridge") == ["b"]
    assert await found(lexical, "red") == []
    log.put("a", "A green bridge over the river.", lang="en")
    assert await found(lexical, "green") == ["a"]


async def test_a_changed_chunk_is_found_by_its_new_words_alone(lexical: LexicalIndex, log: Log):
    log.put("a", "The invoice is due in March.", lang="en")
    assert await found(lexical, "March") == ["a"]
    log.put("a", "The invoice is due in April.", lang="en")
    assert await found(lexical, "March") == []
    assert await found(lexical, "April") == ["a"]


async def test_idf_mass_sums_the_rarity_of_the_words_that_say_something(lexical: LexicalIndex, log: Log):
    log.put("a", "The river floods the mill.", lang="en")
    log.put("b", "The river is calm.", lang="en")
    log.put("c", "A mill stands still.", lang="en")
    log.put("d", "Nothing else.", lang="en")

    def rarity(containing: int) -> float:
        return math.log(1 + (4 - containing + 0.5) / (containing + 0.5))

    async def mass(text: str) -> float:
        return (await lexical.search(WORDS, text, limit=1)).idf_mass

    assert await mass("What is the river?") == pytest.approx(rarity(2))
    assert await mass("What of the river and the river's flooded mills?") == pytest.approx(rarity(2) * 2 + rarity(1))
    assert await mass("Is the zeppelin in the river?") == pytest.approx(rarity(2) + rarity(0))


LANGUAGES = {
    "de": ("Die Häuser der Stadt wurden im Jahr 1890 gebaut.", "Wann wurde das Haus gebaut?"),
    "tr": ("İstanbul'un köprüleri boğazın iki yakasını birleştirir.", "istanbul köprü"),
    "hi": ("गंगा नदी हिमालय से निकलती है और बंगाल की खाड़ी में गिरती है।", "गंगा नदी कहाँ से निकलती है?"),
    "th": ("กรุงเทพมหานครเป็นเมืองหลวงของประเทศไทย", "เมืองหลวงของไทยคืออะไร"),
    "zh": ("长江是亚洲最长的河流，全长六千三百公里。", "长江有多长？"),
    "ja": ("富士山は日本で最も高い山です。", "日本で一番高い山は？"),
    "ar": ("تقع المدينة على ضفاف نهر النيل في مصر.", "أين تقع المدينة؟"),
    "ru": ("Новые мосты через реку построены в прошлом веке.", "Когда построили мост через реку?"),
    "el": ("Οι γέφυρες του ποταμού χτίστηκαν τον περασμένο αιώνα.", "Πότε χτίστηκε η γέφυρα;"),
    "vi": ("Sông Hồng chảy qua thủ đô Hà Nội.", "Sông nào chảy qua Hà Nội?"),
    "ko": ("한강은 서울을 가로질러 흐르는 강이다.", "서울을 흐르는 강은?"),
}


@pytest.mark.parametrize("lang", LANGUAGES)
async def test_a_question_finds_its_passage_in_each_language_with_all_in_one_collection(lexical: LexicalIndex, log: Log, lang: str):
    for code, (passage, _) in LANGUAGES.items():
        log.put(code, passage)
    assert (await found(lexical, LANGUAGES[lang][1]))[0] == lang


@pytest.mark.parametrize(
    ("passage", "question"),
    [
        ("猫是动物。", "猫"),
        ("ปีนี้ฝนตก", "ปี"),
        ("Vāc und Øre", "vac"),
        ("Ｆｕｌｌ　ｗｉｄｔｈ", "full"),
        ("in total 10,000 units", "10000"),
        ("२०१९ में", "2019"),
    ],
)
async def test_writing_a_word_otherwise_finds_it(lexical: LexicalIndex, log: Log, passage: str, question: str):
    log.put("a", passage)
    assert await found(lexical, question) == ["a"]


async def test_a_name_is_found_in_passages_of_another_language(lexical: LexicalIndex, log: Log):
    log.put("de", "Der Vertrag mit Siemens wurde in München unterzeichnet.")
    log.put("en", "The agreement with the supplier was signed in Munich.")
    assert (await found(lexical, "What did Siemens sign?"))[0] == "de"


async def test_chunks_of_no_known_language_are_found(lexical: LexicalIndex, log: Log):
    log.put("table", "| Receivables | 831.7 |\n| Inventories | 1,571.7 |")
    log.put("prose", "The receivables of the company have grown, as have its inventories and debts.")
    assert set(await found(lexical, "What are the receivables?")) == {"table", "prose"}


# Following the log


@dataclass(frozen=True)
class Searched:
    """One of the two kinds of index, asked for one word or direction."""

    make: Callable[[Path, ChangeFeed], DenseIndex | LexicalIndex]

    async def chunks(self, index: DenseIndex | LexicalIndex) -> set[str]:
        if isinstance(index, MappedDenseIndex | MemoryDenseIndex):
            return {hit.chunk_id for hit in await index.search(SPACE, [1, 0, 0, 0], limit=9_999)}
        assert isinstance(index, TantivyIndex | MemoryLexicalIndex)
        return {hit.chunk_id for hit in (await index.search(WORDS, "river", limit=9_999)).hits}


def memory_dense(_: Path, changes: ChangeFeed) -> DenseIndex:
    return MemoryDenseIndex(changes)


def memory_words(_: Path, changes: ChangeFeed) -> LexicalIndex:
    return MemoryLexicalIndex(changes)


@pytest.fixture(params=[memory_dense, memory_words, MappedDenseIndex, TantivyIndex], ids=lambda made: made.__name__)
def kind(request: pytest.FixtureRequest) -> Searched:
    return Searched(request.param)


def put_river(log: Log, chunk: str) -> None:
    log.put(chunk, "The river runs.", lang="en", vector=[1, 0, 0, 0])


async def test_a_search_sees_all_that_is_committed(kind: Searched, log: Log, tmp_path: Path):
    index = kind.make(tmp_path, log)
    for number in range(5):
        put_river(log, f"c{number}")
        assert await kind.chunks(index) == {f"c{n}" for n in range(number + 1)}


async def test_a_long_log_is_applied_in_many_batches(kind: Searched, log: Log, tmp_path: Path):
    for number in range(4_500):
        put_river(log, f"c{number}")
    for number in range(0, 4_500, 2):
        log.remove(f"c{number}")
    assert await kind.chunks(kind.make(tmp_path, log)) == {f"c{number}" for number in range(1, 4_500, 2)}


async def test_who_stands_before_the_horizon_begins_again(kind: Searched, log: Log, tmp_path: Path):
    index = kind.make(tmp_path, log)
    for number in range(4):
        put_river(log, f"c{number}")
    assert len(await kind.chunks(index)) == 4
    log.remove("c0")
    log.remove("c1")
    log.prune()
    assert await kind.chunks(index) == {"c2", "c3"}
    put_river(log, "c4")
    assert await kind.chunks(index) == {"c2", "c3", "c4"}
    assert await kind.chunks(kind.make(tmp_path, log)) == {"c2", "c3", "c4"}


async def test_a_log_emptied_behind_the_horizon_leaves_nothing(kind: Searched, log: Log, tmp_path: Path):
    index = kind.make(tmp_path, log)
    put_river(log, "a")
    assert await kind.chunks(index) == {"a"}
    log.remove("a")
    log.prune()
    assert await kind.chunks(index) == set()


async def test_another_store_in_the_place_of_the_first_is_read_anew(kind: Searched, log: Log, tmp_path: Path):
    index = kind.make(tmp_path, log)
    for number in range(3):
        put_river(log, f"c{number}")
    assert len(await kind.chunks(index)) == 3
    log.rows, log.head = {}, 0
    put_river(log, "restored")
    assert await kind.chunks(index) == {"restored"}


async def test_searches_side_by_side_agree(kind: Searched, log: Log, tmp_path: Path):
    index = kind.make(tmp_path, log)
    for number in range(300):
        put_river(log, f"c{number}")
    answers = await asyncio.gather(*(kind.chunks(index) for _ in range(8)))
    assert all(len(answer) == 300 for answer in answers)
