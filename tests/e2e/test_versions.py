"""Citations hold while documents change: the pages and boxes of cited versions, and what a change costs."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from tests.e2e.papers import fact, paper

from pincite.adapters.blobs.disk import DiskBlobs
from pincite.adapters.memory.embedding import HashEmbedding
from pincite.adapters.parsers.isolation import IsolatedParser, ParseLimits
from pincite.adapters.sql.store import open_store
from pincite.client import Pincite
from pincite.core.answers import FrozenQuote, Span
from pincite.core.documents import Box, Collection, Document, PagePicture, ParsedDocument, SourceRun
from pincite.core.ids import CollectionId, MessageId, WorkspaceId, new_id
from pincite.core.ports.models import Vector
from pincite.core.ports.ocr import PageNotes
from pincite.core.ports.parsing import ContainedFile, ParseProgress, Parser
from pincite.ingest.arrivals import Arrival
from pincite.ingest.ingestor import Ingestor
from pincite.ingest.rereading import Rereader
from pincite.settings import load_settings

PAPERS, PAGES = 5, 20
EDITED = 50
WIDTH = 200
OURS = WorkspaceId(new_id())


@dataclass(frozen=True, slots=True)
class NextParser:
    """The same parser, of another version."""

    inner: Parser

    async def version_of(self, parser: str) -> str | None:
        found = await self.inner.version_of(parser)
        return f"{found}-next" if found else None

    async def parse(
        self,
        path: Path,
        *,
        name: str,
        on_progress: Callable[[ParseProgress], None] | None = None,
        notes: PageNotes | None = None,
    ) -> ParsedDocument:
        found = await self.inner.parse(path, name=name, on_progress=on_progress, notes=notes)
        return replace(found, parser_version=f"{found.parser_version}-next")

    async def unpack(self, path: Path, *, name: str, into: Path) -> list[ContainedFile]:
        return await self.inner.unpack(path, name=name, into=into)

    async def boxes(self, path: Path, *, content_type: str, runs: Sequence[SourceRun]) -> list[list[Box]]:
        return await self.inner.boxes(path, content_type=content_type, runs=runs)

    async def picture(self, path: Path, *, content_type: str, page: int, width: int) -> PagePicture:
        return await self.inner.picture(path, content_type=content_type, page=page, width=width)

    def close(self) -> None:
        self.inner.close()


@dataclass(frozen=True, slots=True)
class Seen:
    """What a reader sees of a quote: its page's picture, and its boxes, as frozen and as found in the file."""

    picture: str
    frozen: tuple[Span, ...]
    found: tuple[Span, ...]


async def look(client: Pincite, quote: FrozenQuote) -> Seen:
    page = quote.spans[0].page
    assert page
    drawn = await client.page_picture(quote.document_id, page, width=WIDTH, version_id=quote.version_id)
    [found] = await client.services.locator.locate(quote.version_id, [(quote.start, quote.end)])
    return Seen(hashlib.sha256(drawn.png).hexdigest(), tuple(replace(each, section="") for each in quote.spans), found)


async def quotes(client: Pincite, messages: Sequence[MessageId]) -> list[FrozenQuote]:
    return [(await client.answer(message_id)).evidence[0] for message_id in messages]


async def test_pages_and_boxes_of_a_hundred_citations_stay_while_their_documents_change(tmp_path: Path) -> None:
    settings, files = load_settings({}, home=str(tmp_path / "home"), embedding="none"), tmp_path / "files"
    files.mkdir()
    for number in range(PAPERS):
        (files / f"{number}.pdf").write_bytes(paper(number, PAGES))
    async with Pincite(settings=settings) as client:
        rows = await client.add(files)
        messages: list[MessageId] = []
        for number in range(PAPERS):
            for page in range(1, PAGES + 1):
                answer = await client.ask(f"To which clerk does the ledger entry zq{number}x{page} belong?")
                assert fact(number, page) == answer.citations[0].quotes[0].text
                messages.append(answer.message_id)
        before = [await look(client, quote) for quote in await quotes(client, messages)]
        assert len(before) == 100
        assert len({seen.picture for seen in before}) == 100
        assert all(seen.frozen == seen.found and seen.found[0].boxes for seen in before)
        for number in range(3):
            moved = dict.fromkeys(range(1, PAGES + 1), "Something else stands here now, in a longer line than before.")
            (files / f"{number}.pdf").write_bytes(paper(number, PAGES - 1, changed=moved))
        await client.add(files)
        await client.remove("4.pdf")
        services = client.services
        newer = replace(services.ingestor, parser=NextParser(services.parser))
        rereader = Rereader(services.store, newer, services.workspace_id, services.models.embedding_of)
        assert [await rereader.read(row.document_id) for row in rows[:4] if row.document_id] == [""] * 4
    async with Pincite(settings=settings) as client:
        versions = (await client.history("3.pdf")).versions
        assert [past.version.parser_version.endswith("-next") for past in versions] == [True, False]
        assert len((await client.history("0.pdf")).versions) == 3
        after = [await look(client, quote) for quote in await quotes(client, messages)]
        assert sum(left == right for left, right in zip(before, after, strict=True)) == 100


class CountingEmbedding(HashEmbedding):
    """Keeps what it embeds."""

    def __init__(self) -> None:
        super().__init__()
        self.embedded: list[str] = []

    async def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        self.embedded += texts
        return await super().embed_passages(texts)


async def test_an_edit_of_one_page_of_a_hundred_embeds_the_chunks_of_that_page_alone(tmp_path: Path) -> None:
    store, parser, embedding = open_store(tmp_path / "pincite.db"), IsolatedParser(ParseLimits()), CountingEmbedding()
    collection = Collection(CollectionId(new_id()), OURS, "papers", embedding.spec, datetime.now(UTC))
    async with store.open(OURS) as work:
        await work.collections.add(collection)
        await work.commit()
    ingestor = Ingestor(store, DiskBlobs(tmp_path / "blobs"), parser, OURS)

    async def added(data: bytes) -> tuple[Document, list[str]]:
        embedding.embedded.clear()
        received = await ingestor.receive(collection, Arrival("book.pdf", "book.pdf", data))
        return await ingestor.process(received, embedding), list(embedding.embedded)

    try:
        first, all_of_it = await added(paper(1, 100))
        assert (first.pages, first.chunks) == (100, len(all_of_it))
        changed, again = await added(paper(1, 100, changed={EDITED: "The wombat clause was struck, and nothing took its place."}))
        assert changed.version_id != first.version_id
        async with store.open(OURS) as work:
            chunks = await work.chunks.of_version(changed.version_id) if changed.version_id else []
        of_page = {chunk.index_text for chunk in chunks if chunk.pages[0].page == EDITED}
        assert again
        assert set(again) <= of_page
        _, unchanged = await added(paper(1, 100, changed={EDITED: "The wombat clause was struck, and nothing took its place."}))
        assert unchanged == []
    finally:
        parser.close()
        await store.close()
