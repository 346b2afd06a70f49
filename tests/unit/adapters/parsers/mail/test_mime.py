"""Messages are taken apart within bounds, whatever state they are in."""

import base64

import pytest

from pincite.adapters.parsers.mime import MAX_DEPTH, MAX_PARTS, read_message
from pincite.core.errors import RefusedInput


def multipart(*parts: bytes, boundary: bytes = b"b", end: bytes = b"--b--\n") -> bytes:
    body = b"".join(b"--" + boundary + b"\n" + part + b"\n" for part in parts)
    return b"Content-Type: multipart/mixed; boundary=" + boundary + b"\n\nfor old programs\n" + body + end


def contents(raw: bytes) -> list[bytes]:
    return [part.content() for part in read_message(raw).parts]


def test_parts_end_before_the_line_end_of_their_delimiter() -> None:
    assert contents(multipart(b"\none\n", b"\ntwo")) == [b"one\n", b"two"]
    assert contents(multipart(b"\none", b"\ntwo").replace(b"\n", b"\r\n")) == [b"one", b"two"]


def test_a_message_that_was_cut_off_keeps_its_last_part() -> None:
    assert contents(multipart(b"\none", b"\ntwo, and", end=b"")) == [b"one", b"two, and\n"]


def test_a_delimiter_that_only_begins_like_one_is_text() -> None:
    assert contents(multipart(b"\n--bb\n --b\nx--b")) == [b"--bb\n --b\nx--b"]


def test_what_stands_behind_the_end_is_no_part() -> None:
    assert contents(multipart(b"\none", end=b"--b--\n--b\n\nmore\n--b--\n")) == [b"one"]


@pytest.mark.parametrize(
    ("headers", "names", "content"),
    [
        (b"A: 1\nB : 2\n\nbody", ["a", "b"], b"body"),
        (b"From x@y.test Mon Jan  1 00:00:00 2024\nA: 1\n\nbody", ["a"], b"body"),
        (b"A: 1\nno header\n\nbody", ["a"], b"no header\n\nbody"),
        (b"\nbody", [], b"body"),
        (b"A: 1", ["a"], b""),
        (b"A: 1\n  folded\n\tmore\n\nbody", ["a"], b"body"),
    ],
)
def test_headers_end_at_a_blank_line_or_at_what_is_no_header(headers: bytes, names: list[str], content: bytes) -> None:
    part = read_message(headers)
    assert [name for name, _ in part.headers] == names
    assert part.content() == content


def test_folded_lines_are_one_value() -> None:
    assert read_message(b"A: one\r\n  two\r\n\tthree\r\n\r\n").header("a") == b"one two three"


@pytest.mark.parametrize(
    ("encoding", "raw", "content"),
    [
        (b"base64", base64.encodebytes(b"fee 40 EUR"), b"fee 40 EUR"),
        (b"BASE64", b"ZmV*lIDQw!", b"fee 40"),
        (b"base64", b"ZmVlIDQwI", b"fee 40"),
        (b"base64", b"", b""),
        (b"quoted-printable", b"caf=C3=A9=\n 40=ZZ=", b"caf\xc3\xa9 40=ZZ"),
        (b"8bit", b"caf\xc3\xa9", b"caf\xc3\xa9"),
        (b"x-unheard-of", b"text", b"text"),
    ],
)
def test_damaged_transfer_encodings_give_what_is_left(encoding: bytes, raw: bytes, content: bytes) -> None:
    assert read_message(b"Content-Transfer-Encoding: " + encoding + b"\n\n" + raw).content().rstrip(b"=") == content.rstrip(b"=")


def test_parameters_come_in_all_the_ways_they_are_written() -> None:
    part = read_message(
        b"Content-Type: text/plain; charset=\"utf-8\"; name*=iso-8859-1''fee%20%e9.txt\n"
        b'Content-Disposition: attachment; filename*0="long "; filename*1="name.txt"\n\n'
    )
    assert part.parameter("charset") == "utf-8"
    assert part.parameter("name") == "fee é.txt"
    assert part.parameter("filename", of="content-disposition") == "long name.txt"
    assert part.parameter("boundary") == ""


@pytest.mark.parametrize(
    "value", [b"", b";;;", b"text", b"text/plain; charset", b"\xff\xfe/\x00", b"text/plain; name*=x''%", b"a/b/c; name*0*=x"]
)
def test_broken_content_types_are_plain_text(value: bytes) -> None:
    part = read_message(b"Content-Type: " + value + b"\n\nbody")
    assert part.content_type == "text/plain"
    assert part.parameter("charset") == ""
    assert isinstance(part.parameter("name"), str)
    assert part.text() == "body"


def test_too_many_parts_headers_or_levels_are_refused() -> None:
    with pytest.raises(RefusedInput) as many:
        read_message(multipart(*[b"\nx"] * (MAX_PARTS + 1)))
    with pytest.raises(RefusedInput) as long:
        read_message(b"A: 1\n" * 6000 + b"\n")
    with pytest.raises(RefusedInput) as wide:
        read_message(b"A: 1\n" + b" x\n" * 500_000 + b"\n")
    nested = b"\nx"
    for number in range(MAX_DEPTH + 1):
        name = b"b%d" % number
        nested = multipart(nested, boundary=name, end=b"--" + name + b"--\n")
    with pytest.raises(RefusedInput) as deep:
        read_message(nested)
    assert [each.value.code for each in (many, long, wide, deep)] == ["too_large", "too_large", "too_large", "too_deep"]


@pytest.mark.parametrize(
    ("label", "raw", "text"),
    [
        (b"utf-8", "café".encode(), "café"),
        (b"iso-8859-1", "café".encode(), "café"),
        (b"iso-8859-1", "café – 40 €".encode("cp1252"), "café – 40 €"),
        (b"utf-8", "café au lait".encode("cp1252"), "café au lait"),
        (b"windows-950", "費用".encode("cp950"), "費用"),
        (b"gb2312", "費用".encode("gb18030"), "費用"),
        (b"shift_jis", "①料金".encode("cp932"), "①料金"),
        (b"koi8-r", "плата".encode("koi8-r"), "плата"),
        (b"x-unknown", "café".encode(), "café"),
        (b"base64", b"fee", "fee"),
        (b"utf-7", b"+ADw-script", "+ADw-script"),
    ],
)
def test_texts_are_decoded_as_declared_or_as_they_look(label: bytes, raw: bytes, text: str) -> None:
    assert read_message(b"Content-Type: text/plain; charset=" + label + b"\n\n" + raw).text() == text
