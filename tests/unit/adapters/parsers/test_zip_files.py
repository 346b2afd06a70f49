"""ZIP archives: each file comes out under a safe name, and what is made to do harm is refused."""

import io
import zipfile
from pathlib import Path

import pytest

from pincite.adapters.parsers.media import read_file
from pincite.adapters.parsers.unpacked import UnpackedFiles
from pincite.adapters.parsers.unpacking import unpack_file
from pincite.adapters.parsers.wire import BadResult
from pincite.core.documents import ParsedDocument
from pincite.core.errors import RefusedInput


def packed(files: list[tuple[str, bytes]], attributes: int = 0) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files:
            info = zipfile.ZipInfo(name)
            info.external_attr = attributes
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, content)
    return buffer.getvalue()


def read(path: Path) -> ParsedDocument:
    return read_file(
        str(path),
        name="a.zip",
        max_pages=9,
        max_chars=100_000,
        max_depth=50,
        max_unpacked_bytes=1 << 30,
        on_page=lambda done, total: None,
    )


def unpack(path: Path, most_bytes: int = 1 << 30) -> list[tuple[str, str, int]]:
    """Name, code and size of each file inside."""
    sizes: dict[int, int] = {}

    def write(number: int, piece: bytes) -> None:
        sizes[number] = sizes.get(number, 0) + len(piece)

    taken = unpack_file(str(path), name="a.zip", max_unpacked_bytes=most_bytes, write=write)
    return [(each.name, each.code, sizes.get(number, 0)) for number, each in enumerate(taken)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.zip"


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_files_come_out_under_names_of_their_own(path: Path) -> None:
    names = [
        "a.txt",
        "A.txt",
        "a.txt",
        "sub/b.txt",
        "sub\\c.txt",
        "sub/",
        ".hidden/x",
        "__MACOSX/._a.txt",
        "Thumbs.db",
        "d\u202e\x01.txt",
    ]
    path.write_bytes(packed([(name, b"x" if not name.endswith("/") else b"") for name in names]))
    assert [name for name, _, _ in unpack(path)] == ["a.txt", "A (2).txt", "a (3).txt", "sub/b.txt", "sub/c.txt", "d.txt"]
    document = read(path)
    assert document.contained == 6
    assert document.canonical.text.split("\n\n")[3] == "sub/b.txt"


@pytest.mark.parametrize("name", ["../a.txt", "a/../../b", "/etc/passwd", "..\\a", "C:\\a.txt", "c:a", "\\\\host\\a"])
def test_names_that_lead_out_of_the_archive_refuse_it(path: Path, name: str) -> None:
    path.write_bytes(packed([("good.txt", b"x"), (name, b"x")]))
    for opened in (read, unpack):
        with pytest.raises(RefusedInput) as refused:
            opened(path)
        assert refused.value.code == "corrupt"


def test_links_and_archives_without_files_are_refused(path: Path) -> None:
    path.write_bytes(packed([("link", b"/etc/passwd")], attributes=0o120777 << 16))
    with pytest.raises(RefusedInput) as link:
        read(path)
    path.write_bytes(packed([("sub/", b"")]))
    with pytest.raises(RefusedInput) as empty:
        read(path)
    assert (link.value.code, empty.value.code) == ("corrupt", "no_text")


def test_archives_in_archives_are_read_up_to_a_depth(path: Path) -> None:
    inner = b"x"
    for number in range(6):
        inner = packed([(f"{number}.zip" if number else "a.txt", inner)])
        path.write_bytes(inner)
        if number < 5:
            assert read(path).contained == 1
    with pytest.raises(RefusedInput) as refused:
        read(path)
    assert refused.value.code == "too_deep"


def test_one_damaged_file_fails_alone(path: Path) -> None:
    raw = packed([("a.txt", b"good"), ("b.txt", b"damaged here"), ("c.txt", b"good")])
    at = raw.index(b"b.txt") + len("b.txt")
    path.write_bytes(raw[:at] + b"\xff\xff" + raw[at + 2 :])
    assert unpack(path) == [("a.txt", "", 4), ("b.txt", "corrupt", 0), ("c.txt", "", 4)]


def test_a_file_that_swells_fails_alone_and_the_bound_on_all_holds(path: Path) -> None:
    path.write_bytes(packed([("bomb.txt", b"\0" * 30_000_000), ("a.txt", b"good")]))
    assert [(name, code) for name, code, _ in unpack(path)] == [("bomb.txt", "too_large"), ("a.txt", "")]
    path.write_bytes(packed([("a.txt", b"x" * 600), ("b.txt", b"y" * 600)]))
    assert [(name, code) for name, code, _ in unpack(path, 1000)] == [("a.txt", ""), ("b.txt", "too_large")]


@pytest.mark.parametrize(
    "value",
    [
        None,
        {},
        [[]],
        [["a", ""]],
        [["", "", ""]],
        [["../a", "", ""]],
        [["a//b", "", ""]],
        [["a\\b", "", ""]],
        [["a", 1, ""]],
        [["\ud800", "", ""]],
    ],
)
def test_what_the_child_says_of_files_is_checked(tmp_path: Path, value: object) -> None:
    with pytest.raises(BadResult):
        UnpackedFiles(tmp_path, most_bytes=10).named(value)


def test_pieces_come_in_order_and_within_the_bound(tmp_path: Path) -> None:
    files = UnpackedFiles(tmp_path, most_bytes=10)
    files.write(0, b"abc")
    files.write(2, b"de")
    with pytest.raises(ValueError, match="order"):
        files.write(1, b"x")
    with pytest.raises(RefusedInput):
        files.write(2, b"x" * 6)
    [first, second, third] = files.named([["a", "", ""], ["b", "", ""], ["c", "encrypted", "Locked."]])
    assert first.file
    assert second.file
    assert (first.file.read_bytes(), second.file.read_bytes()) == (b"abc", b"")
    assert third.problem
    assert third.problem.code == "encrypted"
