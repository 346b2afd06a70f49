"""Scans and images from adding to a highlighted quote: PDF pages that are pictures, beside pages with text, and image files."""

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image, ImageDraw, ImageFont
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from pincite import Pincite
from pincite.client import SyncPincite
from pincite.core.documents import Document

RENT = "The rent of the mill is 4,125 pounds a year."
TERM = "The lease ends on the last day of March."
TYPED = "This page was typed and has a text layer."
SIZE = (1240, 1754)
LEFT, TOP, LETTERS = 150, 400, 34


def picture(text: str) -> Image.Image:
    """Return a page of A4 at 150 dots an inch with a line of text on it."""
    image = Image.new("L", SIZE, 255)
    ImageDraw.Draw(image).text((LEFT, TOP), text, fill=0, font=ImageFont.load_default(LETTERS))
    return image


def reader(image: Image.Image) -> ImageReader:
    data = BytesIO()
    image.save(data, "PNG")
    data.seek(0)
    return ImageReader(data)


@pytest.fixture(scope="module")
def added(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[SyncPincite, dict[str, Document]]]:
    folder = tmp_path_factory.mktemp("scans")
    canvas = Canvas(str(folder / "lease.pdf"), pagesize=(595.2, 841.9), invariant=1)
    canvas.drawString(72, 700, TYPED)
    canvas.showPage()
    canvas.drawImage(reader(picture(RENT)), 0, 0, 595.2, 841.9)  # pyright: ignore[reportUnknownMemberType]
    canvas.showPage()
    canvas.save()
    # As a scanner that was fed sideways writes it; the page says nothing of it.
    picture(TERM).rotate(90, expand=True).save(folder / "term.png", dpi=(150, 150))
    Image.new("L", (300, 200), 255).save(folder / "blank.png")
    with Pincite.sync(home=tmp_path_factory.mktemp("home")) as pincite:
        pincite.add(folder)
        yield pincite, {Path(document.path).name: document for document in pincite.documents()}


def test_a_page_that_is_a_picture_is_read_beside_one_with_text(added: tuple[SyncPincite, dict[str, Document]]) -> None:
    pincite, documents = added
    lease = documents["lease.pdf"]
    assert (lease.stage, lease.pages, lease.pages_ocr, lease.pages_unread, lease.warnings) == ("ready", 2, 1, 0, ())
    best = pincite.search("rent of the mill")[0].best
    page = f"/api/documents/{lease.id}/pages/2?version_id={lease.version_id}"
    assert (best.chunk_type.value, best.image_url, best.generated) == ("image_description", page, False)
    assert [[span.page for span in found.spans] for text in (TYPED, RENT) for found in pincite.find(lease.id, text)] == [[1], [2]]


def test_a_quote_of_it_lies_on_its_words(added: tuple[SyncPincite, dict[str, Document]]) -> None:
    pincite, documents = added
    answer = pincite.ask("What is the rent of the mill?")
    (citation,) = [each for each in answer.citations if each.document_id == documents["lease.pdf"].id]
    (quote,) = citation.quotes
    (span,) = quote.spans
    assert quote.text == RENT
    assert (span.page, quote.is_doubtful) == (2, False)
    assert span.confidence is not None
    (box,) = span.boxes
    points = 72 / 150
    drawn = ImageDraw.Draw(Image.new("L", (1, 1))).textbbox((LEFT, TOP), RENT, font=ImageFont.load_default(LETTERS))
    assert box.as_list() == pytest.approx([edge * points for edge in drawn], abs=6)


def test_a_page_that_lies_on_its_side_is_read_and_marked_where_it_lies(added: tuple[SyncPincite, dict[str, Document]]) -> None:
    pincite, documents = added
    term = documents["term.png"]
    assert (term.stage, term.content_type, term.pages_ocr) == ("ready", "image/png", 1)
    (found,) = pincite.find(term.id, "last day of March")
    boxes = found.spans[0].boxes
    # Turned to the left, the line runs upwards, as far from the left edge as it was from the top.
    assert all(box.y1 - box.y0 > box.x1 - box.x0 for box in boxes)
    assert all(box.x0 == pytest.approx(TOP * 72 / 150, abs=8) for box in boxes)


def test_the_page_picture_of_an_image_shows_it(added: tuple[SyncPincite, dict[str, Document]]) -> None:
    pincite, documents = added
    drawn = pincite.page_picture(documents["term.png"].id, 1, width=877)
    assert (drawn.page_width, drawn.page_height) == pytest.approx((1754 * 72 / 150, 1240 * 72 / 150), abs=0.5)
    with Image.open(BytesIO(drawn.png)) as image:
        assert image.size == (877, 620)


def test_a_picture_without_words_fails_with_what_to_do(added: tuple[SyncPincite, dict[str, Document]]) -> None:
    blank = added[1]["blank.png"]
    assert blank.stage == "failed"
    assert blank.reason is not None
    assert blank.reason.code == "no_text"
    assert "saw no words" in blank.reason.message
