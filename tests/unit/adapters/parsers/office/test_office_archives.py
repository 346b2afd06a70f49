"""What an office file is, told by its parts; and archives that are damaged, protected or made to do harm."""

import struct
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pincite.adapters.parsers.office import read_office
from pincite.adapters.parsers.office_parts import OfficeBounds
from pincite.core.errors import RefusedInput

COMPOUND = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def refused(office: Any, path: Path, **bounds: int) -> RefusedInput:
    with pytest.raises(RefusedInput) as caught:
        office.read(path, **bounds)
    assert caught.value.message.endswith(".")
    return caught.value


def stream(name: str) -> bytes:
    letters = name.encode("utf-16-le")
    return (letters.ljust(64, b"\0") + struct.pack("<HB", len(letters) + 2, 2)).ljust(128, b"\0")


@pytest.mark.parametrize("name", ["report.pdf", "report.txt", "report", "report.pptx", "report.docx"])
def test_the_content_decides_and_not_the_name(office: Any, name: str) -> None:
    text = office.docx(office.paragraph("Words."))
    assert office.read(text.rename(text.with_name(name))).parser == "docx"
    slides = office.pptx(office.shape("Words."))
    assert office.read(slides.rename(slides.with_name(name))).parser == "pptx"


def test_the_main_part_is_where_the_package_says(office: Any) -> None:
    path = office.docx(office.paragraph("Words."))
    with zipfile.ZipFile(path) as archive:
        parts = {
            name: archive.read(name).decode().replace("word/document.xml", "Elsewhere/Main.xml") for name in archive.namelist()
        }
    moved = {name.replace("word/document.xml", "elsewhere\\main.xml"): text for name, text in parts.items()}
    assert office.lines(office.write(moved)) == ["Words."]


def test_a_package_without_types_or_relations_is_read_by_its_usual_names(office: Any) -> None:
    body = office.root("w:document", f"<w:body>{office.paragraph('Words.')}</w:body>")
    assert office.lines(office.write({"word/document.xml": body})) == ["Words."]


def test_utf_16_parts_are_read(office: Any) -> None:
    body = office.root("w:document", f"<w:body>{office.paragraph('Wörter.')}</w:body>").replace("UTF-8", "UTF-16").encode("utf-16")
    assert office.lines(office.write({"word/document.xml": body})) == ["Wörter."]


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({"mimetype": "application/x-unheard-of"}, "unknown program"),
        ({"mimetype": "application/vnd.oasis.opendocument.formula"}, "OpenDocument file without text.*PDF"),
        ({"xl/workbook.bin": "x"}, "XLSB.*XLSX"),
        ({"[Content_Types].xml": "<x/>", "visio/document.xml": "<x/>"}, "unknown kind"),
    ],
)
def test_other_archives_are_named_with_what_to_do(office: Any, parts: dict[str, str], said: str) -> None:
    error = refused(office, office.write(parts))
    assert error.code == "unsupported"
    import re

    assert re.search(said, error.message)


@pytest.mark.parametrize(
    ("streams", "code", "said"),
    [
        (["WordDocument"], "unsupported", "save it as DOCX"),
        (["PowerPoint Document"], "unsupported", "save it as PPTX"),
        (["Workbook"], "unsupported", "Excel"),
        (["Workbook", "WordDocument"], "unsupported", "Excel"),
        (["Something"], "unsupported", "DOCX, PPTX or PDF"),
        (["EncryptionInfo", "EncryptedPackage"], "encrypted", "password"),
    ],
)
def test_old_and_protected_office_files_are_named(office: Any, streams: list[str], code: str, said: str) -> None:
    path = office.folder / "old.docx"
    path.write_bytes((COMPOUND + b"WordDocument".decode().encode("utf-16-le")).ljust(512, b"\0") + b"".join(map(stream, streams)))
    error = refused(office, path)
    assert error.code == code
    assert said in error.message


def test_a_protected_archive_is_told_as_such(office: Any) -> None:
    path = office.docx(office.paragraph("Words."))
    raw = bytearray(path.read_bytes())
    at = raw.find(b"PK\x01\x02")
    raw[at + 8] |= 1
    path.write_bytes(raw)
    assert refused(office, path).code == "encrypted"


def test_unpacking_stops_at_the_bound_and_at_an_absurd_ratio(office: Any) -> None:
    path = office.docx(office.paragraph("x" * 300_000))
    assert refused(office, path, max_unpacked_bytes=200_000).code == "too_large"
    spaces = office.docx(f"<w:p>{' ' * 40_000_000}</w:p>")
    assert refused(office, spaces).code == "too_large"


def test_parts_that_share_bytes_and_too_many_parts_are_refused(office: Any) -> None:
    path = office.docx(office.paragraph("Words."))
    raw = path.read_bytes()
    first = raw.find(b"PK\x01\x02")
    second = raw.find(b"PK\x01\x02", first + 4)
    shared = bytearray(raw)
    shared[second + 42 : second + 46] = raw[first + 42 : first + 46]
    path.write_bytes(shared)
    assert refused(office, path).code == "corrupt"
    many = office.write({"word/document.xml": "<x/>", **{f"p{number}": "" for number in range(20_001)}})
    assert refused(office, many).code == "too_large"


def test_a_directory_that_claims_to_be_huge_is_not_read(office: Any) -> None:
    path = office.docx(office.paragraph("Words."))
    raw = bytearray(path.read_bytes())
    end = raw.rfind(b"PK\x05\x06")
    raw[end + 12 : end + 16] = (1 << 30).to_bytes(4, "little")
    path.write_bytes(raw)
    assert refused(office, path).code == "too_large"


@pytest.mark.parametrize(
    "method",
    [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA],
)
def test_packing_that_has_no_bound_is_refused(office: Any, method: int) -> None:
    path = office.folder / "made.docx"
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("word/document.xml", "<x/>")
    assert refused(office, path).code == "corrupt"


DOCTYPE = '<!DOCTYPE x [<!ENTITY e "boom">]>'


@pytest.mark.parametrize(
    "part", ["word/document.xml", "word/styles.xml", "[Content_Types].xml", "_rels/.rels", "docProps/core.xml"]
)
def test_a_document_type_in_any_part_that_is_read_is_refused(office: Any, part: str) -> None:
    path = office.docx(office.paragraph("Words."))
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name).decode() for name in archive.namelist()}
    head, declaration, rest = parts[part].partition("?>")
    parts[part] = f"{head}?>{DOCTYPE}{rest}" if declaration else DOCTYPE + head
    error = refused(office, office.write(parts))
    assert error.code == "corrupt"
    assert "document type" in error.message


@pytest.mark.parametrize(
    "frame",
    ["<w:tbl><w:tr><w:tc>{}</w:tc></w:tr></w:tbl>", "<w:sdt><w:sdtContent>{}</w:sdtContent></w:sdt>", "<w:ins>{}</w:ins>"],
)
def test_deep_nesting_is_read_up_to_the_bound_and_refused_beyond(office: Any, frame: str) -> None:
    def nested(times: int) -> str:
        before, _, after = frame.partition("{}")
        return before * times + office.paragraph("Deep.") + after * times

    assert office.lines(office.docx(nested(40))) == ["Deep."]
    assert refused(office, office.docx(nested(5000))).code == "too_deep"


@pytest.mark.parametrize("content", ["", "<w:document>", "no xml", "<w:document xmlns:w='x'><w:body></w:document>", "\x00\x01"])
def test_a_damaged_part_is_told_as_damage(office: Any, content: str) -> None:
    path = office.docx()
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name).decode() for name in archive.namelist()}
    assert refused(office, office.write({**parts, "word/document.xml": content})).code == "corrupt"


def ending(office: Any, path: Path) -> str:
    """Return "read", or the code of the refusal."""
    try:
        canonical = office.read(path).canonical
    except RefusedInput as error:
        return error.code if error.message.endswith(".") else "without a reason"
    return "read" if all(canonical.text[block.start : block.end].strip() for block in canonical.blocks) else "blank"


def made(office: Any) -> dict[str, bytes]:
    word = office.docx(
        office.paragraph("Fees", style="Heading1"),
        office.table(office.row("a", "b"), office.row("c", "d")),
        office.item("item"),
        styles=office.style("Heading1", "heading 1"),
    ).read_bytes()
    slides = office.pptx(office.shape("Title", placeholder='type="title"') + office.shape("Text")).read_bytes()
    return {"word": word, "slides": slides}


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(kind=st.sampled_from(["word", "slides"]), seed=st.randoms(use_true_random=False), count=st.integers(1, 12))
def test_damaged_bytes_are_read_or_refused(office: Any, kind: str, seed: Any, count: int) -> None:
    raw = bytearray(made(office)[kind])
    for _ in range(count):
        raw[seed.randrange(4, len(raw))] = seed.randrange(256)
    path = office.folder / "damaged"
    path.write_bytes(raw[: seed.randrange(len(raw) // 2, len(raw) + 1)] if seed.random() < 0.2 else raw)
    assert ending(office, path) in {"read", "corrupt", "unsupported", "encrypted", "too_large", "no_text"}


TAGS = st.sampled_from(
    (
        *("w:p", "w:r", "w:t", "w:tbl", "w:tr", "w:tc", "w:sdt", "w:pPr", "w:numPr", "w:sectPr", "w:drawing", "w:txbxContent"),
        *("w:fldChar", "m:oMath", "m:f", "m:e", "mc:AlternateContent", "mc:Choice", "mc:Fallback", "w:pict", "c:chart"),
        *("dgm:relIds", "w:ins", "w:del", "p:sp", "p:grpSp", "p:graphicFrame", "p:txBody", "a:p", "a:r", "a:t", "a:tbl", "a:tr"),
        *("a:tc", "p:spPr", "a:xfrm", "a:off", "a:ext", "p:ph"),
    )
)
VALUES = st.sampled_from(["", "0", "1", "-1", "99999999999999999999", "restart", "title", "begin", "x"])
KEYS = st.sampled_from(["w:val", "w:id", "r:id", "w:type", "Requires", "idx", "type", "x", "cx", "gridSpan", "w:fldCharType"])
ATTRIBUTES = st.dictionaries(KEYS, VALUES, max_size=2)


def element(tag: str, attributes: dict[str, str], parts: list[str]) -> str:
    written = "".join(f' {key}="{value}"' for key, value in attributes.items())
    return f"<{tag}{written}>{''.join(parts)}</{tag}>"


LEAVES = st.builds(element, TAGS, ATTRIBUTES, st.lists(st.sampled_from(["", "text", " "]), max_size=1))
TREES = st.recursive(LEAVES, lambda inner: st.builds(element, TAGS, ATTRIBUTES, st.lists(inner, max_size=4)), max_leaves=30)


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.lists(TREES, max_size=4).map("".join))
def test_any_nesting_of_known_elements_is_read_or_refused(office: Any, content: str) -> None:
    for path in (office.docx(content), office.pptx(content)):
        assert ending(office, path) in {"read", "no_text"}


def test_reading_is_heard_of_while_it_goes_on(office: Any) -> None:
    bounds = OfficeBounds()
    seen: list[tuple[int, int]] = []

    def hear(done: int, total: int) -> None:
        seen.append((done, total))

    rows = office.table(*(office.row(str(number), "x") for number in range(50)))
    read_office(str(office.docx(rows)), bounds=bounds, max_pages=9, max_chars=9999, on_page=hear)
    assert len(seen) > 100
    assert set(seen) == {(0, 0)}
    seen.clear()
    read_office(str(office.pptx("", office.shape("x"), "")), bounds=bounds, max_pages=9, max_chars=9999, on_page=hear)
    assert seen == sorted(seen)
    assert seen[-1] == (3, 3)
