"""What it costs to add files again: the corpus unchanged, and one page of a hundred changed.

python bench/versions.py
"""

import asyncio
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from report import keep, need_shared, table

from pincite import Pincite
from pincite.adapters.memory.embedding import HashEmbedding
from pincite.client.installation import quiet
from pincite.core.documents import Collection, ParsedDocument, Stage
from pincite.core.ids import CollectionId, new_id
from pincite.core.ports.models import Vector
from pincite.core.ports.ocr import PageNotes
from pincite.core.ports.parsing import ParseProgress, Parser
from pincite.ingest.adding import Added, add_file, side_by_side
from pincite.ingest.folders import FileToAdd, files_of
from pincite.ingest.ingestor import Ingestor
from pincite.settings import load_settings

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.e2e.papers import paper

PAGES, EDITED = 100, 50
BOOK = "".join(f"Sentence {n} of the book speaks of {n * 7919 % 997} clerks and {n * 104729 % 991} ledgers. " for n in range(4000))


class CountingParser:
    """A parser that counts the files that it reads."""

    def __init__(self, parser: Parser) -> None:
        self._parser = parser
        self.read = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._parser, name)

    async def parse(
        self,
        path: Path,
        *,
        name: str,
        on_progress: Callable[[ParseProgress], None] | None = None,
        notes: PageNotes | None = None,
    ) -> ParsedDocument:
        self.read += 1
        return await self._parser.parse(path, name=name, on_progress=on_progress, notes=notes)


class CountingEmbedding(HashEmbedding):
    """A model that counts the texts that it embeds."""

    def __init__(self) -> None:
        super().__init__()
        self.embedded = 0

    async def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        self.embedded += len(texts)
        return await super().embed_passages(texts)


class Library:
    """A store on disk that counts what adding to it takes."""

    def __init__(self, client: Pincite) -> None:
        self._services = client.services
        self.parser, self.embedding = CountingParser(self._services.parser), CountingEmbedding()
        self.ready: set[str] = set()
        self._ingestor: Ingestor = replace(self._services.ingestor, parser=self.parser, embedding_of=None)
        self._collection = Collection(
            CollectionId(new_id()), self._services.workspace_id, "bench", self.embedding.spec, datetime.now(UTC)
        )

    async def open(self) -> "Library":
        async with self._services.store.open(self._services.workspace_id) as work:
            await work.collections.add(self._collection)
            await work.commit()
        return self

    async def add(self, *paths: Path) -> list[str]:
        """Add files; return the cells of a table: files, ready, read, embedded, seconds, and CPU seconds of this process."""
        self.parser.read = self.embedding.embedded = 0
        began, cpu = time.perf_counter(), time.process_time()

        async def one(item: FileToAdd) -> Added:
            return await add_file(self._ingestor, item, collection=self._collection, embedding=self.embedding, on_progress=quiet)

        done = await side_by_side(files_of(list(paths)), one)
        took, worked = time.perf_counter() - began, time.process_time() - cpu
        self.ready = {Path(each.source).name for each in done if each.stage is Stage.READY}
        return [
            f"{len(done)}",
            f"{len(self.ready)}",
            f"{self.parser.read}",
            f"{self.embedding.embedded}",
            f"{took:.2f}",
            f"{worked:.2f}",
        ]


def ready_of(corpus: Path) -> list[Path]:
    """Return the files of the corpus that its manifest expects to be read, some of them with OCR."""
    lines = (corpus / "MANIFEST.tsv").read_text(encoding="utf-8").splitlines()[1:]
    paths = [corpus / line.split("\t")[0] for line in lines if line.split("\t")[-1].startswith("ready")]
    return [path for path in paths if path.exists()]


async def run(folder: Path) -> list[list[str]]:
    rows: list[list[str]] = []
    async with Pincite(settings=load_settings({}, home=str(folder / "home"), embedding="none", ocr="off")) as client:
        library = await Library(client).open()
        files = ready_of(need_shared("corpus"))
        rows.append(["corpus, first", *await library.add(*files)])
        ready = [path for path in files if path.name in library.ready]
        rows.append(["corpus, unchanged: what is ready", *await library.add(*ready)])
        rows.append(["corpus, unchanged: what failed, tried again", *await library.add(*(set(files) - set(ready)))])
        book, text = folder / "book.pdf", folder / "book.txt"
        for name, changed in (("100 pages (PDF), first", {}), ("one page changed", {EDITED: "The wombat clause was struck."})):
            book.write_bytes(paper(1, PAGES, changed=changed))
            rows.append([name, *await library.add(book)])
        for name, said in (
            ("100 pages of text without pages, first", ""),
            ("nine sentences put in its middle", "The wombat left. Nobody had asked it to. It took its hat, and went. " * 3),
        ):
            text.write_text(BOOK[: len(BOOK) // 2] + said + BOOK[len(BOOK) // 2 :], encoding="utf-8")
            rows.append([name, *await library.add(text)])
    return rows


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        rows = asyncio.run(run(Path(folder)))
    share = float(rows[1][5]) / float(rows[0][5])
    lines = table(["", "files", "ready", "read", "texts embedded", "seconds", "CPU seconds of this process"], rows)
    keep("versions", [*lines, "", f"The corpus unchanged took {share:.1%} of the time of the first run."])


main()
