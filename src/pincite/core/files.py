"""Files of folders, as they were when their documents were made of them."""

from dataclasses import dataclass

from pincite.core.documents import Stage
from pincite.core.ids import DocumentId, VersionId


@dataclass(frozen=True, slots=True)
class FileState:
    """A file as the system described it before its bytes were read.

    `place` is the address of the file's name in the folder, links not followed. `stamp` changes with the bytes, and `inode` stays
    when the file gets another name; both are compared and never read. `sha256` is of the bytes. While the stamp isn't `settled`,
    the bytes may change without it.
    """

    place: str
    stamp: str = ""
    inode: str = ""
    sha256: str = ""
    settled: bool = False


@dataclass(frozen=True, slots=True)
class KnownFile:
    """A document of a folder, and the state of its file when it was last looked at: None when it wasn't found in a folder yet.

    `version_id` is the version that is searched, None before the first is whole.
    """

    document_id: DocumentId
    path: str
    source_uri: str
    stage: Stage
    reason_code: str
    sha256: str
    size_bytes: int
    version_id: VersionId | None = None
    state: FileState | None = None


def whole_version(version_id: VersionId | None, of_bytes: str | None, *, stage: Stage, sha256: str) -> VersionId | None:
    """Return the version that a document is searched by, unless it is the first, of its own bytes, and still on its way."""
    return version_id if stage is Stage.READY or of_bytes != sha256 else None
