"""The key that signs receipts: made once, readable by its owner alone, and never silently another."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pincite.adapters.signing.ed25519 import KeyFile, check_signature
from pincite.core.errors import ConfigurationError

# RFC 8032, section 7.1, test 2.
PUBLIC = "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"
SIGNATURE = (
    "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
    "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
)
PEM = b"-----BEGIN %b-----\n%%b\n-----END %b-----\n" % ((b"PRIVATE" + b" KEY",) * 2)


def test_signatures_are_those_of_rfc_8032():
    assert check_signature(PUBLIC, b"\x72", SIGNATURE)
    assert not check_signature(PUBLIC, b"\x73", SIGNATURE)


@pytest.mark.parametrize(
    ("key", "signature"), [("", SIGNATURE), ("zz", SIGNATURE), (PUBLIC, ""), (PUBLIC, "zz"), (PUBLIC[2:], SIGNATURE)]
)
def test_what_is_no_key_or_no_signature_signs_nothing(key: str, signature: str):
    assert not check_signature(key, b"\x72", signature)


def test_a_key_is_made_at_first_use_and_stays(tmp_path: Path):
    path = tmp_path / "receipts.key"
    first = KeyFile(path)
    assert not first.exists()
    assert first.fault() == ""
    signature = first.sign(b"data")
    assert path.stat().st_mode & 0o777 == 0o600
    assert check_signature(KeyFile(path).public_key(), b"data", signature)
    assert (tmp_path / "receipts.pub").read_text() == f"{first.public_key()}\n"
    assert sorted(os.listdir(tmp_path)) == ["receipts.key", "receipts.pub"]


def test_of_processes_that_make_a_key_at_once_all_take_the_same(tmp_path: Path):
    script = (
        "import sys; from pathlib import Path; from pincite.adapters.signing.ed25519 import KeyFile;"
        "key = KeyFile(Path(sys.argv[1])); print('ready', flush=True); sys.stdin.readline(); print(key.public_key())"
    )
    made = [
        subprocess.Popen(
            [sys.executable, "-c", script, str(tmp_path / "receipts.key")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(4)
    ]
    for each in made:
        assert each.stdout is not None
        assert each.stdout.readline() == "ready\n"
    told = {each.communicate("go\n")[0] for each in made}
    assert told == {f"{KeyFile(tmp_path / 'receipts.key').public_key()}\n"}


def test_a_key_that_was_lost_is_not_replaced_by_itself(tmp_path: Path):
    path = tmp_path / "receipts.key"
    KeyFile(path).public_key()
    path.unlink()
    with pytest.raises(ConfigurationError, match="pincite key --new") as refused:
        KeyFile(path).sign(b"data")
    assert refused.value.code == "receipt_key"
    assert "is gone" in KeyFile(path).fault()
    assert not path.exists()


@pytest.mark.parametrize("content", [b"", b"no key", PEM % b"AAAA", b"\xff" * 50])
def test_a_damaged_key_says_what_to_do(tmp_path: Path, content: bytes):
    path = tmp_path / "receipts.key"
    path.write_bytes(content)
    for act in (lambda: KeyFile(path).sign(b""), lambda: KeyFile(path).public_key()):
        with pytest.raises(ConfigurationError, match="damaged"):
            act()
    assert "damaged" in KeyFile(path).fault()
    assert path.read_bytes() == content


def test_a_key_that_cannot_be_read_says_so(tmp_path: Path):
    path = tmp_path / "receipts.key"
    path.mkdir()
    with pytest.raises(ConfigurationError, match="can't be read"):
        KeyFile(path).public_key()


def test_a_folder_that_takes_no_key_says_so(tmp_path: Path):
    with pytest.raises(ConfigurationError, match="can't be written"):
        KeyFile(tmp_path / "missing" / "receipts.key").public_key()


def test_another_kind_of_key_is_refused(tmp_path: Path):
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    path = tmp_path / "receipts.key"
    path.write_bytes(X25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    with pytest.raises(ConfigurationError, match="another kind"):
        KeyFile(path).public_key()


def test_a_key_that_others_may_read_is_a_fault(tmp_path: Path):
    key = KeyFile(tmp_path / "receipts.key")
    key.public_key()
    (tmp_path / "receipts.key").chmod(0o644)
    assert "chmod 600" in key.fault()


@pytest.mark.parametrize("state", ["there", "lost", "damaged"])
def test_another_key_is_made_when_that_is_wanted_and_the_old_one_kept(tmp_path: Path, state: str):
    path = tmp_path / "receipts.key"
    old = KeyFile(path).public_key()
    if state == "lost":
        path.unlink()
    if state == "damaged":
        path.write_bytes(b"damaged")
    before = path.read_bytes() if path.exists() else b""
    key = KeyFile(path)
    new, aside = key.renew()
    assert new != old
    assert KeyFile(path).public_key() == new == key.public_key()
    assert (aside.read_bytes() if aside else b"") == before
    assert KeyFile(path).fault() == ""
