"""What signs for an instance, and checks what instances signed."""

from pathlib import Path

import pytest

from pincite.adapters.memory.signing import MemorySigner, memory_check
from pincite.adapters.signing.ed25519 import KeyFile, check_signature
from pincite.core.ports.signer import SignatureCheck, Signer

Pair = tuple[Signer, Signer, SignatureCheck]


@pytest.fixture(params=["memory", "file"])
def signers(request: pytest.FixtureRequest, tmp_path: Path) -> Pair:
    """Two instances, and what checks the signatures of any."""
    if request.param == "memory":
        return MemorySigner("aa" * 32), MemorySigner("bb" * 32), memory_check
    return KeyFile(tmp_path / "one.key"), KeyFile(tmp_path / "other.key"), check_signature


def test_a_key_stays_the_same_and_is_hexadecimal(signers: Pair) -> None:
    signer, other, _ = signers
    assert signer.public_key() == signer.public_key() != other.public_key()
    assert len(bytes.fromhex(signer.public_key())) == 32
    assert signer.public_key() == signer.public_key().lower()


def test_a_signature_is_that_of_its_key_over_its_bytes(signers: Pair) -> None:
    signer, other, is_signed = signers
    signature = signer.sign(b"data")
    assert (len(signature), signature) == (128, signature.lower())
    assert is_signed(signer.public_key(), b"data", signature)
    assert not is_signed(signer.public_key(), b"date", signature)
    assert not is_signed(other.public_key(), b"data", signature)
    assert not is_signed(signer.public_key(), b"data", other.sign(b"data"))
    assert not is_signed(signer.public_key(), b"data", "")
