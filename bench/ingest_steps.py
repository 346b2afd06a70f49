"""Single steps of ingest, as the benches of ingest time them."""

from datetime import UTC, datetime
from pathlib import Path

from pincite.adapters.parsers.pdfium import open_pdf
from pincite.core.documents import Chunk, ParsedDocument, Version
from pincite.core.ids import DocumentId, VersionId
from pincite.core.ports.models import EmbeddingModel
from pincite.ingest.chunking import ChunkRules
from pincite.ingest.embedding import make_chunks


def bare_pages(path: Path) -> list[str]:
    with open_pdf(str(path)) as document:
        texts: list[str] = []
        for index in range(document.page_count):
            with document.page(index) as page:
                texts.append(page.chars())
        return texts


def chunks_of(document: ParsedDocument, model: EmbeddingModel, *, name: str) -> list[Chunk]:
    version = Version(
        VersionId("v"), DocumentId("d"), "", 0, document.content_type, document.parser, document.parser_version, datetime.now(UTC)
    )
    return make_chunks(version, document.canonical, model, title=document.title or name, rules=ChunkRules())
