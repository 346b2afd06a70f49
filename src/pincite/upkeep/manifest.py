"""What a backup says of itself, in its last member."""

import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from typing import Any, cast, get_type_hints

from pincite.core.errors import RefusedInput
from pincite.core.ports.upkeep import Member

DATABASE = "pincite.db"
MANIFEST = "manifest.json"
RECEIPT_KEY = "receipts.key"
FORMAT = 1
MOST_MANIFEST_BYTES = 100_000_000
MOST_KEY_BYTES = 10_000
_BLOB = re.compile(r"blobs/([0-9a-f]{2})/([0-9a-f]{62})")


@dataclass(frozen=True, slots=True)
class Manifest:
    """A backup's format, version, schema, time and counts; the hash of its database; hashes of bytes that it lacks.

    The other members are named by their hashes; `blobs_sha256` is one over their names and sizes in order. `key_sha256` is the hash
    of the key that signs receipts, empty where the backup has none.
    """

    format: int
    version: str
    schema: str
    created_at: str
    collections: int
    documents: int
    database_sha256: str
    database_bytes: int
    blobs: int
    blobs_bytes: int
    blobs_sha256: str
    missing: tuple[str, ...] = ()
    key_sha256: str = ""

    def dump(self) -> bytes:
        """Return it as JSON."""
        return json.dumps(asdict(self), indent=1).encode()


def load_manifest(data: bytes) -> Manifest:
    """Read a manifest. Raises `RefusedInput` for another format, or one with entries missing or of another kind."""
    try:
        found: Any = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise _unreadable() from error
    if not isinstance(found, dict):
        raise _unreadable()
    entries = cast("dict[str, Any]", found)
    if isinstance(entries.get("format"), int) and entries["format"] > FORMAT:
        raise RefusedInput(
            f"The backup was made by a newer version of Pincite ({entries.get('version')!a}). Upgrade Pincite.", code="newer_backup"
        )
    values: dict[str, Any] = {field.name: entries.get(field.name) for field in fields(Manifest)}
    values["key_sha256"] = entries.get("key_sha256", "")  # backups of before there were receipts don't say
    missing: Any = values.pop("missing")
    kinds = get_type_hints(Manifest)
    if not all(type(value) is kinds[name] for name, value in values.items()) or not _are_hashes(missing):
        raise _unreadable()
    return Manifest(**values, missing=tuple(missing))


def blob_name(sha256: str) -> str:
    """Return the name that bytes have in a backup, and below the home."""
    return f"blobs/{sha256[:2]}/{sha256[2:]}"


def hash_in(name: str) -> str | None:
    """Return the hash that a member is named by, None when it isn't."""
    match = _BLOB.fullmatch(name)
    return match[1] + match[2] if match else None


def digest_of(members: Iterable[Member]) -> str:
    """Return one hash over names and sizes."""
    digest = hashlib.sha256()
    for member in members:
        digest.update(f"{member.name} {member.part.size_bytes}\n".encode())
    return digest.hexdigest()


def _are_hashes(value: object) -> bool:
    items = cast("list[object]", value) if isinstance(value, list) else None
    return items is not None and all(isinstance(item, str) and re.fullmatch("[0-9a-f]{64}", item) for item in items)


def _unreadable() -> RefusedInput:
    return RefusedInput("The backup's manifest can't be read: it is damaged, or this is no backup.", code="backup_refused")
