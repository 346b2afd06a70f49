"""What every parser does: canonical text in order, each character with its place, and a reason for what it refuses."""

import asyncio
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from pincite.adapters.memory.parser import PlainTextParser
from pincite.adapters.parsers.isolation import IsolatedParser
from pincite.adapters.parsers.limits import ParseLimits
from pincite.core.documents import BlockRole, ParsedDocument, SourceRun
from pincite.core.errors import NotFoundError, RefusedInput
from pincite.core.ports.parsing import ParseProgress, Parser

DATA = Path(__file__).resolve().parents[1] / "data" / "parsing"
TEXT = "# Fees\n\nThe fee is 40 €.\nIt is due in May.\n\n## Fines\n\nNone: they were abolished \U0001f600.\n"
HTML = (
    "<title>Fees</title><h1>Fees</h1><p>The fee is 40 &euro;.\nIt is due in May.</p><h2>Fines</h2><p>None: they were abolished.</p>"
)

MAIL = (
    "From: Ann <ann@example.org>\r\nSubject: Fees\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nThe fee is 40 €.\r\n"
    "Bob wrote:\r\n> It was 30.\r\n"
)
BOOK = {
    "mimetype": "application/epub+zip",
    "book.opf": (
        '<package xmlns="http://www.idpf.org/2007/opf"><metadata><title>Fees</title></metadata><manifest>'
        '<item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/></spine></package>'
    ),
    "a.xhtml": f"<html><body>{HTML}</body></html>",
}
OOXML = "http://schemas.openxmlformats.org"
RELATED = f"{OOXML}/officeDocument/2006/relationships"
DOCX = {
    "word/document.xml": (
        f'<w:document xmlns:w="{OOXML}/wordprocessingml/2006/main"><w:body>'
        '<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>Fees</w:t></w:r></w:p>'
        "<w:p><w:r><w:t>The fee is 40 €.</w:t></w:r></w:p></w:body></w:document>"
    )
}
PPTX = {
    "ppt/presentation.xml": (
        f'<p:presentation xmlns:p="{OOXML}/presentationml/2006/main" xmlns:r="{RELATED}">'
        '<p:sldIdLst><p:sldId r:id="s"/></p:sldIdLst><p:sldSz cx="9144000" cy="6858000"/></p:presentation>'
    ),
    "ppt/_rels/presentation.xml.rels": (
        f'<Relationships xmlns="{OOXML}/package/2006/relationships"><Relationship Id="s" Type="{RELATED}/slide" Target="s.xml"/>'
        "</Relationships>"
    ),
    "ppt/s.xml": (
        f'<p:sld xmlns:p="{OOXML}/presentationml/2006/main" xmlns:a="{OOXML}/drawingml/2006/main"><p:cSld><p:spTree><p:sp>'
        '<p:nvSpPr><p:nvPr><p:ph type="title"/></p:nvPr></p:nvSpPr><p:spPr><a:xfrm><a:off x="127000" y="127000"/>'
        '<a:ext cx="1270000" cy="635000"/></a:xfrm></p:spPr><p:txBody><a:p><a:r><a:t>Fees are due in May</a:t></a:r></a:p>'
        "</p:txBody></p:sp></p:spTree></p:cSld></p:sld>"
    ),
}


JSON = '{"title": "Fees", "late": {"note": "' + "The fee is 40 EUR. " * 30 + '"}}'
XLSX = {
    "xl/workbook.xml": (
        f'<workbook xmlns="{OOXML}/spreadsheetml/2006/main" xmlns:r="{RELATED}"><sheets>'
        '<sheet name="Fees" r:id="s"/></sheets></workbook>'
    ),
    "xl/_rels/workbook.xml.rels": (
        f'<Relationships xmlns="{OOXML}/package/2006/relationships"><Relationship Id="s" Type="{RELATED}/worksheet" '
        'Target="s.xml"/></Relationships>'
    ),
    "xl/s.xml": (
        f'<worksheet xmlns="{OOXML}/spreadsheetml/2006/main"><sheetData>'
        '<row><c t="str"><v>Fees of 2024</v></c></row><row><c t="str"><v>Name</v></c><c t="str"><v>Fee</v></c></row>'
        '<row><c t="str"><v>Late</v></c><c><v>40</v></c></row></sheetData></worksheet>'
    ),
}


def pack(path: Path, parts: dict[str, str]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return path


@pytest.fixture(scope="module")
def isolated() -> Iterator[IsolatedParser]:
    parser = IsolatedParser(ParseLimits(text_chars=500_000))
    yield parser
    parser.close()


FILES: dict[str, tuple[str, str | dict[str, str]]] = {
    "memory": ("fees.md", TEXT),
    "markdown": ("fees.md", TEXT),
    "html": ("fees.html", HTML),
    "docx": ("fees.docx", DOCX),
    "pptx": ("fees.pptx", PPTX),
    "xlsx": ("fees.xlsx", XLSX),
    "csv": ("fees.csv", "Fees\nName,Fee,Due\nLate,40,May\n"),
    "json": ("fees.txt", JSON),
    "xml": ("fees.xml", "<fees><title>Fees</title><p>The fee is <b>40</b> EUR.</p></fees>"),
    "mail": ("fees.eml", MAIL),
    "epub": ("fees.epub", BOOK),
    "rtf": ("fees.rtf", "{\\rtf1\\ansi{\\outlinelevel0 Fees\\par}\\pard The fee is 40 \\u8364?.\\par}"),
}


@pytest.fixture(params=[*FILES, "pdf"])
def case(request: pytest.FixtureRequest, isolated: IsolatedParser, tmp_path: Path) -> tuple[Parser, Path]:
    if request.param == "pdf":
        return isolated, DATA / "pagelabels.pdf"
    name, content = FILES[request.param]
    path = tmp_path / name
    if isinstance(content, str):
        path.write_text(content, encoding="utf-8")
    else:
        pack(path, content)
    return (PlainTextParser() if request.param == "memory" else isolated), path


@pytest.fixture(params=["memory", "isolated"])
def parser(request: pytest.FixtureRequest, isolated: IsolatedParser) -> Parser:
    return PlainTextParser() if request.param == "memory" else isolated


async def parse(case: tuple[Parser, Path]) -> ParsedDocument:
    return await case[0].parse(case[1], name=case[1].name)


async def test_blocks_are_in_order_and_none_is_blank(case: tuple[Parser, Path]) -> None:
    canonical = (await parse(case)).canonical
    ends = [0, *(block.end for block in canonical.blocks)]
    assert canonical.blocks
    assert all(end <= block.start < block.end for end, block in zip(ends, canonical.blocks, strict=False))
    assert all(canonical.text[block.start : block.end].strip() for block in canonical.blocks)
    assert ends[-1] == len(canonical.text)


async def test_the_body_comes_before_what_was_lifted_out_of_it(case: tuple[Parser, Path]) -> None:
    lifted = {BlockRole.HEADER, BlockRole.FOOTER, BlockRole.FOOTNOTE, BlockRole.PAGE_NUMBER}
    flags = [block.role in lifted for block in (await parse(case)).canonical.blocks]
    assert flags == sorted(flags)


async def test_runs_are_in_order_within_the_text(case: tuple[Parser, Path]) -> None:
    canonical = (await parse(case)).canonical
    ends = [0, *(run.start + run.length for run in canonical.runs)]
    assert canonical.runs
    assert all(end <= run.start for end, run in zip(ends, canonical.runs, strict=False))
    assert ends[-1] <= len(canonical.text)
    assert {run.page for run in canonical.runs} <= ({page.number for page in canonical.pages} or {0})


async def test_headings_have_a_level_and_nothing_else_has(case: tuple[Parser, Path]) -> None:
    blocks = (await parse(case)).canonical.blocks
    assert any(block.role is BlockRole.HEADING for block in blocks)
    assert all((block.level > 0) == (block.role is BlockRole.HEADING) for block in blocks)


async def test_the_same_bytes_are_read_the_same_way(case: tuple[Parser, Path]) -> None:
    assert await parse(case) == await parse(case)


async def test_files_are_read_at_the_same_time(case: tuple[Parser, Path]) -> None:
    first, second = await asyncio.gather(parse(case), parse(case))
    assert first == second


async def test_the_document_says_who_read_it(case: tuple[Parser, Path]) -> None:
    document = await parse(case)
    assert document.parser
    assert document.parser_version
    assert "/" in document.content_type
    assert document.title


async def test_boxes_come_for_each_run_and_on_the_page(case: tuple[Parser, Path]) -> None:
    document = await parse(case)
    runs = document.canonical.runs[:3]
    found = await case[0].boxes(case[1], content_type=document.content_type, runs=runs)
    assert len(found) == len(runs)
    assert any(found) == any(page.width for page in document.canonical.pages)
    sizes = {page.number: page for page in document.canonical.pages}
    for run, boxes in zip(runs, found, strict=True):
        for box in boxes:
            assert 0 <= box.x0 < box.x1 <= sizes[run.page].width
            assert 0 <= box.y0 < box.y1 <= sizes[run.page].height


async def test_no_runs_have_no_boxes(case: tuple[Parser, Path]) -> None:
    assert await case[0].boxes(case[1], content_type="application/pdf", runs=[]) == []


async def test_boxes_of_a_format_without_pages_are_empty(parser: Parser, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(HTML)
    assert await parser.boxes(path, content_type="text/html", runs=[SourceRun(0, 3, 0, 5, 3)] * 2) == [[], []]


@pytest.mark.parametrize(
    ("data", "code"),
    [(b"", "empty_file"), (b" \n\t \n", "no_text"), (b"\x00\x01\x02\x03" * 50, "unsupported"), (b"\xed\xa0\xbd half", "encoding")],
)
async def test_a_refused_file_has_a_code_and_a_sentence(parser: Parser, tmp_path: Path, data: bytes, code: str) -> None:
    path = tmp_path / "file.txt"
    path.write_bytes(data)
    with pytest.raises(RefusedInput) as refused:
        await parser.parse(path, name="file.txt")
    assert refused.value.code == code
    assert refused.value.message.endswith(".")


MADE_OF_TWO = {
    "memory": b"The bill is inside.\n@@ a.txt\none\n@@ sub/b.txt\ntwo\n",
    "mail": (
        b"Subject: x\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Disposition: attachment; filename=a.txt\n\none\n\n"
        b"--b\nContent-Disposition: attachment; filename=b.txt\nContent-Transfer-Encoding: base64\n\ndHdvCg==\n--b--\n"
    ),
}


@pytest.mark.parametrize("kind", ["memory", "mail", "zip"])
async def test_the_files_inside_a_file_come_out_of_it(isolated: IsolatedParser, tmp_path: Path, kind: str) -> None:
    parser = PlainTextParser() if kind == "memory" else isolated
    path, into = tmp_path / "outer", tmp_path / "inner"
    if kind == "zip":
        pack(path, {"a.txt": "one\n", "sub/b.txt": "two\n"})
    else:
        path.write_bytes(MADE_OF_TWO[kind])
    into.mkdir()
    name = "outer.eml" if kind == "mail" else "outer"
    files = await parser.unpack(path, name=name, into=into)
    assert (await parser.parse(path, name=name)).contained == len(files)
    assert [each.name.rpartition("/")[2] for each in files] == ["a.txt", "b.txt"]
    assert [each.file.read_bytes() for each in files if each.file] == [b"one\n", b"two\n"]


async def test_a_file_with_nothing_inside_gives_nothing(parser: Parser, tmp_path: Path) -> None:
    path, into = tmp_path / "plain.txt", tmp_path / "inner"
    path.write_text("plain")
    into.mkdir()
    assert await parser.unpack(path, name="plain.txt", into=into) == []
    assert list(into.iterdir()) == []


async def test_after_a_refusal_the_next_file_is_read(parser: Parser, tmp_path: Path) -> None:
    bad, good = tmp_path / "bad.md", tmp_path / "good.md"
    bad.write_bytes(b"\xed\xa0\xbd half")
    good.write_text(TEXT)
    with pytest.raises(RefusedInput):
        await parser.parse(bad, name="bad.md")
    assert (await parser.parse(good, name="good.md")).canonical.text.startswith("Fees\n\nThe fee is 40 €.")


async def test_a_missing_file_is_told_as_such(parser: Parser, tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        await parser.parse(tmp_path / "gone.md", name="gone.md")


async def test_progress_counts_pages_up_to_all_of_them(isolated: IsolatedParser, tmp_path: Path) -> None:
    path = tmp_path / "pages.txt"
    path.write_text("one\ftwo\fthree")
    for parser, file in ((PlainTextParser(), path), (isolated, DATA / "pagelabels.pdf")):
        seen: list[ParseProgress] = []
        await parser.parse(file, name=file.name, on_progress=seen.append)
        assert seen
        assert all(0 < progress.pages_done <= progress.pages_total for progress in seen)
        assert [progress.pages_done for progress in seen] == sorted(progress.pages_done for progress in seen)


async def test_the_memory_parser_knows_pages_and_boxes(tmp_path: Path) -> None:
    path = tmp_path / "pages.txt"
    path.write_text("# Fees\n\nThe fee\nis 40\fEUR.\n\n\fNone.")
    parser = PlainTextParser()
    document = await parser.parse(path, name="pages.txt")
    assert document.canonical.text == "Fees\n\nThe fee is 40 EUR.\n\nNone."
    assert [span.page for span in document.canonical.page_spans(6, 31)] == [1, 2, 3]
    boxes = await parser.boxes(path, content_type=document.content_type, runs=document.canonical.runs_within(10, 15))
    assert [box.as_list() for group in boxes for box in group] == [[96.0, 96.0, 114.0, 108.0], [72.0, 108.0, 78.0, 120.0]]


async def test_a_page_is_drawn_in_its_shape_where_the_format_can_be(case: tuple[Parser, Path]) -> None:
    parser, path = case
    parsed = await parse(case)
    if parsed.content_type == "application/pdf" or parsed.parser == "memory":
        drawn = await parser.picture(path, content_type=parsed.content_type, page=1, width=100)
        shown = parsed.canonical.pages[0]
        assert drawn.png.startswith(b"\x89PNG\r\n\x1a\n")
        assert (drawn.page_width, drawn.page_height) == pytest.approx((shown.width, shown.height), abs=0.01)
        assert (drawn.width, drawn.height) == (100, round(100 * shown.height / shown.width))
        code = "page"
    else:
        code = "no_picture"
    with pytest.raises(NotFoundError) as missing:
        await parser.picture(path, content_type=parsed.content_type, page=len(parsed.canonical.pages) + 1, width=100)
    assert missing.value.code == code
