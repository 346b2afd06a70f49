"""Mailboxes: each message comes out."""

from pathlib import Path

import pytest

from pincite.adapters.parsers.mbox import MAX_MESSAGES, is_mailbox, mailbox_messages, read_mailbox
from pincite.adapters.parsers.unpacking import unpack_file
from pincite.core.errors import RefusedInput

FIRST = "From ann@x.test Mon Jan  1 10:00:00 2024\nFrom: Ann <ann@x.test>\nSubject: Fees\nDate: Mon, 1 Jan 2024 10:00:00 +0000\n\n"
TEXT = "The fee is 40.\n\n>From May on it is 50.\n\nFrom here to 2024\nno header\n\n"
SECOND = "From bob@x.test Tue Jan  2 10:00:00 2024 +0100\nFrom: Bob <bob@x.test>\nSubject: Fees\n\nThanks.\n"
BOX = (FIRST + TEXT + SECOND).encode()


def test_the_text_is_the_list_of_messages() -> None:
    document = read_mailbox(BOX, max_chars=1000)
    assert document.canonical.text == "Fees · Ann <ann@x.test> · Mon, 1 Jan 2024 10:00:00 +0000\n\nFees · Bob <bob@x.test>"
    assert document.contained == 2


@pytest.mark.parametrize("box", [BOX, BOX.replace(b"\n", b"\r\n")])
def test_messages_come_out_as_they_were_sent(box: bytes) -> None:
    first, second = mailbox_messages(box)
    assert (first.name, second.name) == ("Fees.eml", "Fees (2).eml")
    assert first.content().startswith(b"From: Ann")
    assert b"\nFrom May on it is 50." in first.content()
    assert b"From here to 2024" in first.content()
    assert second.content().rstrip().endswith(b"Thanks.")


def test_one_message_alone_is_a_message_and_no_mailbox(tmp_path: Path) -> None:
    assert is_mailbox(BOX)
    assert not is_mailbox((FIRST + TEXT).encode())
    assert not is_mailbox(b"Subject: x\n\n" + BOX)
    path = tmp_path / "box"
    path.write_bytes(BOX)
    pieces: list[bytes] = []
    taken = unpack_file(str(path), name="box", max_unpacked_bytes=10_000, write=lambda number, piece: pieces.append(piece))
    assert [each.name for each in taken] == ["Fees.eml", "Fees (2).eml"]
    assert len(pieces) == 2


def test_too_many_messages_are_refused() -> None:
    with pytest.raises(RefusedInput) as refused:
        read_mailbox(b"From a@b.c Mon Jan 1 00:00:00 2024\nA: b\n\n" * (MAX_MESSAGES + 1), max_chars=10_000_000)
    assert refused.value.code == "too_large"
