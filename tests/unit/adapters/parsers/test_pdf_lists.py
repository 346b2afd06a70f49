"""Lists on PDF pages: each item is a paragraph of its own, whatever its bullet is and wherever it goes on."""

from typing import Any

import pytest

from pincite.adapters.parsers.pdf import read_pdf
from pincite.core.documents import BlockRole

LONG = "keeps the whole of the premises in good repair and replaces every broken window at once"


def blocks(path: str) -> list[str]:
    canonical = read_pdf(path, max_pages=10, max_chars=100_000).canonical
    return [canonical.text[block.start : block.end] for block in canonical.blocks if block.role is BlockRole.BODY]


@pytest.mark.parametrize("bullet", ["\u2022", "\u2022 ", "\u2013 ", "\u2014 ", "* ", "\u00b7 ", "- ", "1. ", "1.", "(a) ", "iv) "])
def test_items_of_one_line_each_are_not_joined(kit: Any, bullet: str) -> None:
    texts = [kit.text(72, 100, "The tenant has these duties towards the landlord and all others in the house:")]
    texts += [kit.text(90, 112 + 12 * n, f"{bullet}The tenant {LONG} of part {n}") for n in range(3)]
    assert [text.removeprefix(bullet).strip() for text in blocks(kit.write(kit.sheet(texts)))[1:]] == [
        f"The tenant {LONG} of part {n}" for n in range(3)
    ]


def test_the_letter_of_a_font_of_pictures_is_a_bullet(kit: Any) -> None:
    texts = [kit.text(72, 100 + 12 * n, "n", font="ZapfDingbats") for n in range(3)]
    texts = [t for n in range(3) for t in (texts[n], kit.text(90, 100 + 12 * n, f"The tenant {LONG} of part {n}"))]
    assert blocks(kit.write(kit.sheet(texts))) == [f"\u2022 The tenant {LONG} of part {n}" for n in range(3)]


def test_the_o_of_a_typewriter_font_before_other_print_is_a_bullet(kit: Any) -> None:
    texts = [
        t for n in range(3) for t in (kit.text(72, 100 + 12 * n, "o", font="Courier"), kit.text(90, 100 + 12 * n, f"It {LONG}"))
    ]
    assert blocks(kit.write(kit.sheet(texts))) == [f"\u2022 It {LONG}"] * 3


def test_an_item_without_a_bullet_in_the_text_ends_where_the_next_stands_further_out(kit: Any) -> None:
    inner = kit.column(
        f"The inner item {LONG}, and so does everybody else who lives in one of these old houses of.", x=108, chars=60
    )
    outer = kit.column(f"The outer item {LONG}, and so does everybody else who lives there.", y=100 + 12 * len(inner), chars=67)
    found = blocks(kit.write(kit.sheet([*inner, *outer])))
    assert [text[:14] for text in found] == ["The inner item", "The outer item"]


def test_an_item_goes_on_over_its_lines_and_on_the_next_page(kit: Any) -> None:
    first = kit.column(f"\u2022 The tenant {LONG}, and " * 3, x=90, y=640, chars=60)
    rest = kit.column(
        "pays what the landlord has paid for him. It is due at once and bears interest from then on.", x=98, y=80, chars=60
    )
    filler = kit.column("The agreement of the parties is told here at some length. " * 12, chars=80)
    found = blocks(
        kit.write(kit.sheet([*filler, *first[:6]]), kit.sheet([*rest, *kit.column(LONG.capitalize() + ". " + LONG, y=200)]))
    )
    item = next(text for text in found if text.startswith("\u2022"))
    assert item.endswith("bears interest from then on.")
