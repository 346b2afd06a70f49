"""Outlook messages read to canonical text."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.adapters.parsers.compound import Compound
from pincite.adapters.parsers.mail import open_mail
from pincite.adapters.parsers.media import read_file
from pincite.adapters.parsers.msg import open_msg, read_msg
from pincite.adapters.parsers.rtf_unpacking import unpack_rtf
from pincite.core.errors import RefusedInput

FILETIME_2024 = 133_485_408_000_000_000
"""The first instant of 2024 in tenths of microseconds since 1601."""


def lines(raw: bytes) -> list[str]:
    canonical = read_msg(raw, max_chars=100_000).canonical
    return [
        ("#" * block.level + " " if block.level else "") + canonical.text[block.start : block.end] for block in canonical.blocks
    ]


def recipient(msg: Any, name: str, address: str, kind: int) -> Any:
    return msg.message({"3001001F": msg.text(name), "39FE001F": msg.text(address)}, header=8, p0C150003=kind)


def test_a_message_tells_who_to_whom_when_and_what(msg: Any) -> None:
    raw = msg.compound(
        msg.message(
            {
                "0037001F": msg.text("Fees"),
                "0C1A001F": msg.text("Ann"),
                "5D01001F": msg.text("ann@example.org"),
                "1000001F": msg.text("The fee is 40 €.\r\n\r\nFrom: Bob\r\nSent: Monday\r\n\r\nIt was 30."),
                "__recip_version1.0_#00000000": recipient(msg, "Bob", "bob@example.org", 1),
                "__recip_version1.0_#00000001": recipient(msg, "cy@example.org", "cy@example.org", 2),
            },
            p00390040=FILETIME_2024,
        )
    )
    assert lines(raw) == [
        "# Fees",
        "## From: Ann <ann@example.org>",
        "To: Bob <bob@example.org>",
        "Cc: cy@example.org",
        "Date: 2024-01-01 00:00 UTC",
        "The fee is 40 €.",
        "## From: Bob",
        "Sent: Monday",
        "It was 30.",
    ]
    document = read_msg(raw, max_chars=1000)
    assert (document.title, document.doc_date, document.content_type) == ("Fees", "2024-01-01", "application/vnd.ms-outlook")


@pytest.mark.parametrize(
    ("codepage", "encoding"), [(950, "cp950"), (65001, "utf-8"), (936, "gbk"), (1251, "cp1251"), (50220, "iso-2022-jp")]
)
def test_texts_of_eight_bits_are_read_in_the_code_page_of_the_message(msg: Any, codepage: int, encoding: str) -> None:
    words = "плата" if codepage == 1251 else "費用"
    if codepage == 936:
        words = "费用"
    raw = msg.compound(msg.message({"0037001E": words.encode(encoding), "1000001E": b"x"}, p3FFD0003=codepage))
    assert read_msg(raw, max_chars=1000).title == words


def test_the_page_comes_before_the_plain_text_and_rich_text_last(msg: Any) -> None:
    page = "<p>Die Gebühr</p><table><tr><td>a<td>b</table>".encode("cp1252")
    streams = {"0037001F": msg.text("x"), "1000001F": msg.text("Die Gebühr a b")}
    assert lines(msg.compound(msg.message({**streams, "10130102": page}, p3FDE0003=1252)))[1:] == ["Die Gebühr", "| a | b |"]
    words = b"\\htmlrtf {\\b\\htmlrtf0 Die Geb\\'fchr\\htmlrtf }\\htmlrtf0 "
    rich = b"{\\rtf1\\ansi\\fromhtml1 {\\*\\htmltag64 <p>}" + words + b"{\\*\\htmltag72 </p>}}"
    packed = b"\0\0\0\0" + len(rich).to_bytes(4, "little") + b"MELA\0\0\0\0" + rich
    assert lines(msg.compound(msg.message({**streams, "10090102": packed})))[1:] == ["Die Gebühr"]
    plain = packed.replace(b"\\fromhtml1", b"\\fromtext1")
    assert lines(msg.compound(msg.message({"0037001F": msg.text("x"), "10090102": plain})))[1:] == ["Die Gebühr"]


def test_packed_rich_text_is_unpacked() -> None:
    packed = bytes.fromhex(
        "2d0000002b0000004c5a4675f1c5c7a703000a00726370673132354232 0af32068656c090020627705b06c647d0a800fa0".replace(" ", "")
    )
    assert unpack_rtf(packed) == b"{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n"
    with pytest.raises(RefusedInput):
        unpack_rtf(b"no")


def test_attachments_and_messages_inside_come_out(msg: Any) -> None:
    inner = msg.message(
        {"0037001F": msg.text("Old/news"), "0C1A001F": msg.text("Bøb"), "1000001F": msg.text("The fee was 30 €."), "10130102": b""},
        header=24,
    )
    file = msg.message({"3707001F": msg.text("..\\bill.pdf"), "37010102": b"%PDF-"}, header=8, p37050003=1)
    picture = msg.message({"3707001F": msg.text("logo.png"), "37010102": b"x", "3712001F": msg.text("1@x")}, header=8, p7FFE000B=1)
    message = msg.message({"__substg1.0_3701000D": inner}, header=8, p37050003=5)
    folders = {f"__attach_version1.0_#{number:08X}": each for number, each in enumerate((file, picture, message))}
    raw = msg.compound(msg.message({"0037001F": msg.text("x"), **folders}))
    mail = open_msg(raw)
    assert [each.name for each in mail.attachments] == ["bill.pdf", "Old-news.eml"]
    assert mail.attachments[0].content() == b"%PDF-"
    again = open_mail(mail.attachments[1].content())
    assert (again.subject, again.sender, again.bodies[0][0].text) == ("Old/news", "Bøb", "The fee was 30 €.")


def test_messages_inside_each_other_end_somewhere_and_sealed_ones_are_refused(msg: Any) -> None:
    folder = msg.message({"0037001F": msg.text("x")}, header=24)
    for _ in range(11):
        inner = {"__attach_version1.0_#00000000": msg.message({"__substg1.0_3701000D": folder}, header=8)}
        folder = msg.message({"0037001F": msg.text("x"), **inner}, header=24)
    with pytest.raises(RefusedInput) as deep:
        open_msg(msg.compound(folder))
    sealed = msg.compound(msg.message({"0037001F": msg.text("x"), "001A001F": msg.text("IPM.Note.SMIME")}))
    with pytest.raises(RefusedInput) as locked:
        open_msg(sealed)
    assert (deep.value.code, locked.value.code) == ("too_deep", "encrypted")


def ending(raw: bytes) -> str:
    try:
        read_msg(raw, max_chars=100_000)
    except RefusedInput as refused:
        return refused.code
    return "read"


@given(data=st.data())
def test_a_damaged_file_is_read_or_refused(msg: Any, data: st.DataObject) -> None:
    raw = bytearray(msg.compound(msg.message({"0037001F": msg.text("Fees"), "1000001F": msg.text("x" * 600)})))
    for _ in range(data.draw(st.integers(1, 6))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(raw)))
    assert {ending(bytes(raw)), ending(bytes(raw[:cut]))} <= {"read", "corrupt", "too_large", "encoding"}


def test_an_office_document_with_a_message_inside_is_none(msg: Any, tmp_path: Path) -> None:
    path = tmp_path / "x.msg"
    path.write_bytes(msg.compound({"WordDocument": b"x", "ObjectPool": msg.message({"0037001F": msg.text("x")})}))
    with pytest.raises(RefusedInput, match="DOC"):
        read_file(
            str(path), name="x", max_pages=9, max_chars=999, max_depth=9, max_unpacked_bytes=9999, on_page=lambda done, total: None
        )


def test_a_chain_that_runs_in_a_circle_ends(msg: Any) -> None:
    raw = bytearray(msg.compound({"a": b"x" * 2000}))
    file = Compound(bytes(raw))
    stream = file.root.streams["a"]
    at = raw.rindex((stream.start + 1).to_bytes(4, "little") + (stream.start + 2).to_bytes(4, "little"))
    raw[at + 4 : at + 8] = stream.start.to_bytes(4, "little")
    assert len(Compound(bytes(raw)).read(stream)) == 2000
