"""ZIP archives of documents: the list of what is in them. Each file becomes a document of its own."""

import io
import re
from zipfile import ZipInfo

from pincite.adapters.parsers.archive import Archive
from pincite.adapters.parsers.assembly import CanonicalBuilder
from pincite.adapters.parsers.contained import FileNames, safe_name
from pincite.core.documents import BlockRole, ParsedDocument
from pincite.core.errors import RefusedInput

CONTENT_TYPE = "application/zip"
VERSION = "1"
MAX_FILES = 5000
MAX_ARCHIVES_DEEP = 5
_MAX_INNER_BYTES = 64 * 1024 * 1024
_DRIVE = re.compile(r"[A-Za-z]:")
_SYMBOLIC_LINK = 0o120000
_KIND = 0o170000
_UNWANTED = re.compile(r"(?:^|/)(?:__macosx/|\.|thumbs\.db$|desktop\.ini$)", re.IGNORECASE)


def read_zip(archive: Archive, *, max_chars: int) -> ParsedDocument:
    """Return the list of an archive's files as text, one a line. Raises `RefusedInput`."""
    files = archive_files(archive)
    if not files:
        raise RefusedInput("There are no files in the archive.", code="no_text")
    _check_nesting(archive)
    builder = CanonicalBuilder(max_chars=max_chars)
    index = 0
    for name, _ in files:
        builder.write(name, index=index)
        builder.close_block(BlockRole.BODY)
        index += len(name)
    return ParsedDocument(
        canonical=builder.build(), content_type=CONTENT_TYPE, parser="zip", parser_version=VERSION, contained=len(files)
    )


def archive_files(archive: Archive) -> list[tuple[str, ZipInfo]]:
    """Return the files of an archive with the names that they get: the way to them, each once. Hidden files are left out.

    Raises `RefusedInput`: `corrupt` for ways out of the archive and for links, `too_large` for too many files.
    """
    for info in archive.infos():
        _check_name(info)
    infos = [info for info in archive.infos() if not info.is_dir() and not _UNWANTED.search(_plain(info))]
    if len(infos) > MAX_FILES:
        raise RefusedInput(
            f"There are more than {MAX_FILES:,} files in the archive. Unpack it and add the folder.", code="too_large"
        )
    names = FileNames()
    parts = ([part for part in map(safe_name, _plain(info).split("/")) if part] for info in infos)
    return [(names.take_path(each, usual="file"), info) for each, info in zip(parts, infos, strict=True)]


def _plain(info: ZipInfo) -> str:
    return info.filename.replace("\\", "/")


def _check_name(info: ZipInfo) -> None:
    """Refuse an archive that could write elsewhere when it is unpacked: it was made to do harm."""
    name = _plain(info)
    if name.startswith("/") or _DRIVE.match(name) or ".." in name.split("/"):
        raise RefusedInput("Names in the archive lead out of it, as in archives made to do harm. It is not read.", code="corrupt")
    if (info.external_attr >> 16) & _KIND == _SYMBOLIC_LINK:
        raise RefusedInput("There is a link in the archive. Pack the files themselves, or add the folder.", code="corrupt")


def _check_nesting(archive: Archive) -> None:
    """Refuse archives in archives beyond any that people make. Raises `RefusedInput` (`too_deep`)."""
    waiting = [(archive, 1)]
    while waiting:
        outer, depth = waiting.pop()
        if depth > MAX_ARCHIVES_DEEP:
            raise RefusedInput(f"More than {MAX_ARCHIVES_DEEP} archives are packed into each other.", code="too_deep")
        for info in outer.infos():
            if info.filename.lower().endswith(".zip") and info.file_size <= _MAX_INNER_BYTES and (inner := _opened(outer, info)):
                waiting.append((inner, depth + 1))


def _opened(archive: Archive, info: ZipInfo) -> Archive | None:
    """Return an archive inside another, None for what can't be opened: it fails when it is read itself."""
    try:
        return Archive(io.BytesIO(b"".join(archive.pieces(info))), max_bytes=_MAX_INNER_BYTES)
    except RefusedInput:
        return None
