"""Documents that belong together because their files stand in each other's."""

from pincite.core.documents import Document
from pincite.core.ports.store import UnitOfWork

MAX_LEVELS = 10
"""How deep files may stand in files: an attachment of a message stands on the second level."""


async def contents_of(work: UnitOfWork, document: Document) -> list[Document]:
    """Return all documents inside a document, on every level, outer ones first."""
    found: list[Document] = []
    waiting = [document]
    while waiting:
        inner = await work.documents.inside(waiting.pop())
        found += inner
        waiting += inner
    return found


async def containers_of(work: UnitOfWork, document: Document) -> list[Document]:
    """Return the documents in whose files a document stands, from the next one outwards."""
    found: list[Document] = []
    each: Document | None = document
    while each and each.container_id and len(found) <= MAX_LEVELS:
        each = await work.documents.get(each.container_id)
        found += [each] if each else []
    return found


async def held_with(work: UnitOfWork, document: Document) -> Document | None:
    """Return the document on hold because of which a document must stay: itself, one inside it, or one that it stands in."""
    family = [document, *await contents_of(work, document), *await containers_of(work, document)]
    holds = await work.keeping.holds([each.id for each in family])
    return next((each for each in family if each.id in holds), None)
