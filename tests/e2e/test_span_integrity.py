"""Each quote of an answer stands literally where it says, and its boxes lie on its words. `bench/spans.py` asks more files."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from span_checks import NEAR, NEAR_OCR, Found, LooseModel, Print, check, integrity
from spans import scan, write

from pincite import Pincite
from pincite.core.answers import Answer, Quote
from pincite.core.documents import Box
from pincite.settings import load_settings

DATA = Path(__file__).parent.parent / "data" / "parsing"


async def found_in(tmp_path: Path, files: list[Path], prints: dict[str, Print]) -> Found:
    """Return what becomes of quotes of answers from files."""
    found = Found()
    for model in (None, LooseModel()):
        async with Pincite(settings=load_settings({}, home=str(tmp_path / "home"), embedding="none"), llm=model) as client:
            added = {item.path: Path(item.source) for item in await client.add(*files)}
            for document in await client.documents():
                path, is_scan = added[document.path], document.pages_ocr > 0
                printed = prints.get(path.name) or (Print(path) if path.suffix == ".pdf" else None)
                found.add(await integrity(client, document, printed, near=NEAR_OCR if is_scan else NEAR))
    return found


async def test_quotes_of_turned_pages_columns_scripts_scans_and_emoji_are_literal_and_boxed(tmp_path: Path) -> None:
    made = tmp_path / "made"
    made.mkdir()
    write(made)
    scanned = dict([scan(DATA / "fake-memo.pdf", 1, made, 90)])
    scripts = [DATA / "scripts" / name for name in ("browser-ar.pdf", "office-hi.pdf", "browser-ja-vertical.pdf")]
    found = await found_in(tmp_path, [made, *scripts, DATA / "senate-expenditures.pdf"], scanned)
    assert found.faults == []
    assert min(found.quotes, found.boxed, found.letters) > 50


@pytest.fixture
async def answered(tmp_path: Path) -> tuple[Pincite, Answer, Print]:
    write(tmp_path)
    client = Pincite(settings=load_settings({}, home=str(tmp_path / "home"), embedding="none"))
    await client.add(tmp_path / "turned-90.pdf")
    return client, await client.ask("What drove the wheel of the mill?"), Print(tmp_path / "turned-90.pdf")


def moved(quote: Quote) -> Quote:
    span = quote.spans[0]
    boxes = tuple(Box(box.x0, box.y0 + 60, box.x1, box.y1 + 60) for box in span.boxes)
    return replace(quote, spans=(replace(span, boxes=boxes),))


def outside(quote: Quote) -> Quote:
    return replace(quote, spans=(replace(quote.spans[0], boxes=(Box(-90.0, 0.0, -50.0, 9.0),)),))


def another_page(quote: Quote) -> Quote:
    return replace(quote, spans=(replace(quote.spans[0], page=2),))


def shifted(quote: Quote) -> Quote:
    return replace(quote, start=quote.start + 1, end=quote.end + 1)


def other_words(quote: Quote) -> Quote:
    return replace(quote, text=quote.text.upper())


WRONG: dict[str, Callable[[Quote], Quote]] = {
    "literal": shifted,
    "frozen": other_words,
    "placed": another_page,
    "boxes lack": moved,
    "off the page": outside,
}


@pytest.mark.parametrize("fault", list(WRONG))
async def test_the_checks_notice_what_is_wrong(answered: tuple[Pincite, Answer, Print], fault: str) -> None:
    client, answer, printed = answered
    async with client:
        record = await client.answer(answer.message_id)
        _, canonical = await client.text("turned-90.pdf")
    right, wrong = Found(), Found()
    check(answer, record, canonical, printed, near=NEAR, found=right)
    assert (right.quotes > 0, right.faults) == (True, [])
    citations = tuple(replace(each, quotes=tuple(WRONG[fault](quote) for quote in each.quotes)) for each in answer.citations)
    check(replace(answer, citations=citations), record, canonical, printed, near=NEAR, found=wrong)
    assert any(fault in told for told in wrong.faults)
