"""Documents: upload, list, show, their chunks, text and original file, try again, remove."""

import asyncio
from pathlib import PurePosixPath
from typing import Annotated, Any

from fastapi import APIRouter, File, Query, Request, UploadFile
from fastapi.responses import FileResponse
from starlette.responses import Response

from pincite.core.documents import Document
from pincite.core.errors import ConflictError, NotFoundError
from pincite.core.ids import CollectionId, DocumentId, VersionId
from pincite.ingest.arrivals import Arrival
from pincite.ingest.naming import printable
from pincite.server.conditions import has_already
from pincite.server.deps import Caller, Reader, Writer
from pincite.server.gate import GatedRoute
from pincite.server.incoming import accepted, kept
from pincite.server.openapi import refusals
from pincite.server.ranges import narrow
from pincite.server.schemas.documents import (
    CanonicalPage,
    ChunkRows,
    DocumentRow,
    DocumentRows,
    block_rows,
    chunk_row,
)
from pincite.server.schemas.query import Text

router = APIRouter(tags=["documents"], route_class=GatedRoute)

MAX_LISTED = 1000
INLINE = frozenset({"application/pdf", "text/plain"})
"""What a browser may show by itself; anything else is saved, so that no document runs a script in this page's name."""

_KEPT = {"Cache-Control": "private, no-cache"}
"""A browser may keep the file, and asks each time whether it is still the same and still to be had."""
_BYTES = {"schema": {"type": "string", "format": "binary"}}
_KINDS = dict.fromkeys((*sorted(INLINE), "application/octet-stream"), _BYTES)
FILE: dict[int | str, dict[str, Any]] = {
    200: {"description": "The whole file.", "content": _KINDS},
    206: {
        "description": "The range asked for; several as `multipart/byteranges`.",
        "content": _KINDS | {"multipart/byteranges": _BYTES},
    },
    304: {"description": "The client has this file already."},
    **refusals(416),
}


@router.post("/collections/{collection_id}/documents", status_code=202)
async def upload(collection_id: str, files: Annotated[list[UploadFile], File(min_length=1)], caller: Writer) -> DocumentRows:
    """Take files in. They are kept when this answers, and read soon after: see each document's stage."""
    collection = await caller.collections.one(CollectionId(collection_id))
    most_bytes = caller.services.settings.max_file_bytes
    # All are looked at before one is kept, so that of a refused request nothing is.
    paths = [accepted(file, most_bytes=most_bytes) for file in files]
    rows: list[DocumentRow] = []
    for file, path in zip(files, paths, strict=True):
        async with kept(file, caller.services.blobs) as content:
            document = await caller.services.ingestor.receive(collection, Arrival(path, path, content, is_queued=True))
        rows.append(await _row(caller, document))
    caller.state.wake()
    return DocumentRows(documents=rows)


@router.get("/collections/{collection_id}/documents")
async def list_(
    collection_id: str,
    caller: Reader,
    after: Annotated[Text, Query(max_length=4096)] = "",
    limit: Annotated[int, Query(ge=1, le=MAX_LISTED)] = 100,
) -> DocumentRows:
    """List documents by path, those after `after`, with stage and progress."""
    collection = await caller.collections.one(CollectionId(collection_id))
    async with caller.services.store.open(caller.principal.workspace_id) as work:
        documents = await work.documents.list(collection.id, after_path=after, limit=limit + 1)
    rows = await caller.rows(documents[:limit])
    return DocumentRows(documents=rows, next=rows[-1].path if len(documents) > limit else None)


@router.get("/documents/{document_id}")
async def show(document_id: str, caller: Reader) -> DocumentRow:
    """Show a document with stage and progress."""
    return await _row(caller, await _readable(caller, document_id))


@router.delete("/documents/{document_id}", status_code=204, response_class=Response, responses=refusals(409))
async def remove(document_id: str, caller: Writer) -> None:
    """Remove a document with all inside it: it can't be found from now on. 409 while it is on hold.

    Answers keep their quotes, and the versions that they cite stay to be seen for `PINCITE_KEEP_CITED_DAYS`.
    """
    document = await caller.document(DocumentId(document_id))
    await caller.services.ingestor.remove(document.id)
    await caller.services.keeper.purge()


@router.post("/documents/{document_id}/retry", status_code=202, responses=refusals(409))
async def retry(document_id: str, caller: Writer) -> DocumentRow:
    """Try once more to read a document that failed, or what failed of one that is ready: its summary, descriptions of pictures.

    409 unless something did.
    """
    document = await caller.document(DocumentId(document_id))
    again = await (await caller.services.jobs_of(document, to_retry=True)).retry(document.id)
    caller.state.wake()
    return await _row(caller, again)


@router.post("/documents/{document_id}/cancel", responses=refusals(409))
async def cancel(document_id: str, caller: Writer) -> DocumentRow:
    """Stop reading a document, or summarising one that is ready: at once where it waits, within a second where it is done.

    409 unless either is on its way.
    """
    document = await caller.document(DocumentId(document_id))
    return await _row(caller, await (await caller.services.jobs_of(document)).cancel(document.id))


@router.get("/documents/{document_id}/chunks", responses=refusals(409))
async def chunks(document_id: str, caller: Reader) -> ChunkRows:
    """List the chunks of the version that is searched."""
    document = await _readable(caller, document_id)
    version_id = _version_of(document)
    async with caller.services.store.open(caller.principal.workspace_id) as work:
        found = await work.chunks.of_version(version_id)
    return ChunkRows(version_id=version_id, chunks=[chunk_row(each) for each in found])


@router.get("/documents/{document_id}/text", responses=refusals(409))
async def text(
    document_id: str, caller: Reader, page: Annotated[int | None, Query(ge=1)] = None, version_id: Text = ""
) -> CanonicalPage:
    """Return the canonical text as blocks, of one page or whole, of the version that is searched or of another one.

    Offsets of quotes are offsets in it.
    """
    document = await caller.evidence(DocumentId(document_id), VersionId(version_id))
    version_id = version_id or _version_of(document)
    await caller.services.pages.file(document, VersionId(version_id))
    async with caller.services.store.open(caller.principal.workspace_id) as work:
        canonical = await work.versions.canonical(VersionId(version_id))
    if canonical is None or (page is not None and page > len(canonical.pages)):
        raise NotFoundError(f"{document.path} has no page {page}.", code="page")
    return CanonicalPage(version_id=version_id, page=page, pages=len(canonical.pages), blocks=block_rows(canonical, page))


@router.get("/documents/{document_id}/file", response_class=FileResponse, responses=FILE)
async def file(document_id: str, request: Request, caller: Reader, version_id: Text = "") -> Response:
    """Return the original file, as it was added last, or as the version of a citation had it. Ranges are served."""
    document = await caller.evidence(DocumentId(document_id), VersionId(version_id))
    sha256, content_type = document.sha256, document.content_type
    if version_id:
        version = await caller.services.pages.file(document, VersionId(version_id))
        sha256, content_type = version.sha256, version.content_type
    etag = f'"{sha256}"'
    if has_already(request, etag):
        return Response(status_code=304, headers={"ETag": etag, **_KEPT})
    path = await caller.services.blobs.local_path(sha256)
    found = await asyncio.to_thread(path.stat)
    is_shown = content_type in INLINE
    response = FileResponse(
        path,
        stat_result=found,
        media_type=content_type if is_shown else "application/octet-stream",
        filename=printable(PurePosixPath(document.path).name) or "document",
        content_disposition_type="inline" if is_shown else "attachment",
        headers={"Content-Security-Policy": "sandbox; default-src 'none'", "ETag": etag, **_KEPT},
    )
    narrow(request, response, size_bytes=found.st_size)
    return response


async def _readable(caller: Caller, document_id: str) -> Document:
    return await caller.document(DocumentId(document_id))


async def _row(caller: Caller, document: Document) -> DocumentRow:
    [row] = await caller.rows([document])
    return row


def _version_of(document: Document) -> VersionId:
    if document.version_id is None:
        why = f" {document.reason.message}" if document.reason else " Wait until it is ready."
        raise ConflictError(f"{document.path} has no text yet.{why}", code="not_ready")
    return document.version_id
