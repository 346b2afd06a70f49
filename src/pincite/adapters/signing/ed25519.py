"""Ed25519 signatures (RFC 8032), with a key that lies in a file of the home."""

import os
import tempfile
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from pincite.core.errors import ConfigurationError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

_RESTORE = "Restore it from a backup, or make another one with `pincite key --new`: receipts that were signed stay valid."


class KeyFile:
    """A `Signer` with a private key in a file (PKCS #8, PEM) that its owner alone may read, made at first use.

    Beside it lies the public key, in hex. Where that is there and the private one isn't, the key was lost: no other takes its place
    by itself. Each process keeps the key that it read first.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._public = path.with_suffix(".pub")

    def public_key(self) -> str:
        """Return the public key; the pair is made at first use. Raises `ConfigurationError` (`receipt_key`)."""
        return self._known[1]

    def sign(self, data: bytes) -> str:
        """Return the signature of bytes. Raises as `public_key`."""
        return self._known[0].sign(data).hex()

    def fault(self) -> str:
        """Say what is wrong with the files, "" when nothing is. Makes no key."""
        try:
            found = self._read()
        except ConfigurationError as error:
            return error.message
        if found is None:
            return self._lost() if self._public.exists() else ""
        if self._path.stat().st_mode & 0o077:
            return f"Others than its owner may read {self._path}. Take that right away: chmod 600 {self._path}"
        return "" if self.told() == _public_of(found) else f"{self._public} isn't the public half of {self._path}. Delete it."

    def exists(self) -> bool:
        """Say whether there is a key already."""
        return self._path.exists()

    def renew(self) -> tuple[str, Path | None]:
        """Make another key in place of the one that is there or was lost; return it, and where the old one lies now."""
        aside = None
        if self._path.exists():
            told = self.told()
            aside = self._path.with_name(f"{self._path.name}.{told[:16] or 'unreadable'}")
            with _translated(self._path):
                os.replace(self._path, aside)
        with suppress(FileNotFoundError):
            self._public.unlink()
        self.__dict__.pop("_known", None)
        return self.public_key(), aside

    @cached_property
    def _known(self) -> tuple["Ed25519PrivateKey", str]:
        key = self._read() or self._make()
        public = _public_of(key)
        if self.told() != public:
            with _translated(self._path):
                _write(self._public, f"{public}\n".encode(), 0o644, os.replace)
        return key, public

    def _read(self) -> "Ed25519PrivateKey | None":
        from cryptography.exceptions import UnsupportedAlgorithm
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
        from cryptography.hazmat.primitives.serialization import load_pem_private_key

        try:
            key = load_pem_private_key(self._path.read_bytes(), None)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _unusable(f"The key that signs receipts, {self._path}, can't be read ({error.strerror}).") from error
        except (ValueError, TypeError, UnsupportedAlgorithm) as error:
            raise _unusable(f"{self._path} holds no key that signs receipts: it is damaged. {_RESTORE}") from error
        if not isinstance(key, Ed25519PrivateKey):
            raise _unusable(f"{self._path} holds another kind of key than Ed25519. {_RESTORE}")
        return key

    def _make(self) -> "Ed25519PrivateKey":
        from cryptography.hazmat.primitives import serialization
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        if self._public.exists():
            raise _unusable(self._lost())
        form = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        written = Ed25519PrivateKey.generate().private_bytes(serialization.Encoding.PEM, *form)
        with _translated(self._path), suppress(FileExistsError):
            # Of several processes that make one at once, the first to link its own wins; all read that.
            _write(self._path, written, 0o600, _take_free_name)
        return self._read() or self._make()

    def told(self) -> str:
        """Return the public key as the file beside has it, "" where there is none."""
        try:
            return self._public.read_text(encoding="ascii").strip()
        except (OSError, ValueError):
            return ""

    def _lost(self) -> str:
        return f"The key that signs receipts, {self._path}, is gone. {_RESTORE}"


@contextmanager
def _translated(path: Path) -> Generator[None]:
    """Raise `ConfigurationError` for what the disk refuses."""
    try:
        yield
    except OSError as error:
        raise _unusable(f"The key that signs receipts can't be written to {path} ({error.strerror}).") from error


def check_signature(public_key: str, data: bytes, signature: str) -> bool:
    """Say whether a signature (hex) of bytes is that of a public key (hex). False also for what is no key or no signature."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(public_key)).verify(bytes.fromhex(signature), data)
    except (ValueError, InvalidSignature):
        return False
    return True


def _public_of(key: "Ed25519PrivateKey") -> str:
    return key.public_key().public_bytes_raw().hex()


def _write(path: Path, data: bytes, mode: int, place: Callable[[str, Path], None]) -> None:
    """Write a file whole, under another name first; on disk before it has its own."""
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            os.fchmod(file.fileno(), mode)
            file.flush()
            os.fsync(file.fileno())
        place(name, path)
        _sync(path.parent)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(name)


def _take_free_name(name: str, path: Path) -> None:
    """Give a file its name unless another has it. Raises `FileExistsError`."""
    try:
        os.link(name, path)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links
        if path.exists():
            raise FileExistsError(path) from None
        os.rename(name, path)


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _unusable(message: str) -> ConfigurationError:
    return ConfigurationError(message, code="receipt_key")
