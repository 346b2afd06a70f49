"""Text of PDF pages that nobody sees."""

from typing import Any

import pytest

from pincite.adapters.parsers.pdf import read_pdf

UNSEEN = b"BT 3 Tr /F1 10 Tf 72 400 Td (Nobody sees this line) Tj ET 0 Tr\n"
TINY = b"BT /F1 0.4 Tf 72 400 Td (Nobody sees this line) Tj ET\n"
BEYOND = b"BT /F1 10 Tf 900 400 Td (Nobody sees this line) Tj ET\n"
PICTURE = b"q %d 0 0 %d 0 0 cm BI /W 1 /H 1 /BPC 8 /CS /G ID \x80 EI Q\n"


def text(path: str) -> str:
    return read_pdf(path, max_pages=10, max_chars=10_000).canonical.text


@pytest.mark.parametrize("drawing", [UNSEEN, TINY, BEYOND])
def test_what_nobody_sees_is_left_out_beside_what_everybody_sees(kit: Any, drawing: bytes) -> None:
    assert text(kit.write(kit.sheet([kit.text(72, 100, "All see this line")], drawing=drawing))) == "All see this line"


def test_the_text_behind_a_scan_is_read_with_a_stamp_on_it(kit: Any) -> None:
    scan = PICTURE % (612, 792) + UNSEEN
    found = text(kit.write(kit.sheet([kit.text(72, 100, "Received")], drawing=scan)))
    assert "Nobody sees this line" in found
    assert "Received" in found


def test_the_text_behind_a_small_picture_is_left_out(kit: Any) -> None:
    logo = PICTURE % (100, 60) + UNSEEN
    assert text(kit.write(kit.sheet([kit.text(72, 100, "All see this line")], drawing=logo))) == "All see this line"


def test_a_page_without_visible_text_is_read_as_it_is(kit: Any) -> None:
    assert text(kit.write(kit.sheet(drawing=b"72 72 m 200 300 l S\n" + UNSEEN))) == "Nobody sees this line"
