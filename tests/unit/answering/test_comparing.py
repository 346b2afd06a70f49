"""What a quote became in another text: the same, the same but for white space, something else, or nothing."""

import pytest

from pincite.answering.comparing import EXACT, NORMALISATION, Around, around, matches

PAGE = "The lease begins in May. The notice period is sixty days. The rent is 1,200 euros a month. Pets are allowed."
QUOTE = "The notice period is sixty days."


def became(quote: str, text: str, *, before: str = PAGE) -> tuple[str, str]:
    """Return how the first match is equal (`""` where it isn't), and what the text says there."""
    start = before.find(quote)
    context = around(before, start, start + len(quote)) if start >= 0 else Around()
    found = matches(quote, text, near=max(0, start), context=context)
    return (found[0].equal_by, text[found[0].start : found[0].end]) if found else ("gone", "")


def test_a_quote_that_stands_elsewhere_is_the_same():
    assert became(QUOTE, f"New words. {PAGE}") == (EXACT, QUOTE)


@pytest.mark.parametrize("space", ["\n", "  ", "\u00a0", "\r\n\t"])
def test_white_space_apart_it_is_the_same(space: str):
    text = PAGE.replace("notice period", f"notice{space}period")
    assert became(QUOTE, text) == (NORMALISATION, QUOTE.replace("notice period", f"notice{space}period"))


def test_composed_and_decomposed_letters_say_the_same():
    before, now = "Das Café öffnet um neun Uhr.", "Ja. Das Cafe\u0301 o\u0308ffnet um neun Uhr."
    assert became(before, now, before=before) == (NORMALISATION, now[4:])
    assert became(now[4:], before, before=now) == (NORMALISATION, before)


def test_signs_that_look_alike_do_not_say_the_same():
    before = "The area is 10² metres, and the fee ½ percent."
    assert became(before, before.replace("²", "2"), before=before)[0] == ""


@pytest.mark.parametrize(
    ("then", "now"),
    [
        ("sixty days", "ninety days"),
        ("sixty days", "60 days"),
        ("The notice", "No notice"),
        ("period is", "period is not"),
        ("is sixty days", "shall be at least sixty working days"),
    ],
)
def test_another_word_is_a_change_and_both_are_told(then: str, now: str):
    assert became(QUOTE, PAGE.replace(then, now)) == ("", QUOTE.replace(then, now))


@pytest.mark.parametrize(("then", "now"), [("1,200", "1,201"), ("1,200", "11,200"), ("1,200 euros", "1,200.50 euros")])
def test_a_number_that_only_grew_is_a_change(then: str, now: str):
    assert became("The rent is 1,200", PAGE.replace(then, now))[0] == ""


@pytest.mark.parametrize(
    ("before", "then", "now"),
    [
        ("契約期間は三年とする。解約は六十日前に通知する。", "六十日前", "九十日前"),
        ("مدة الإشعار ستون يوما. الإيجار ألف يورو.", "ستون", "تسعون"),
        ("नोटिस की अवधि साठ दिन है। किराया एक हजार है।", "साठ", "नब्बे"),
        ("Frist 😀 sechzig Tage 😀 ohne Ausnahme.", "sechzig", "neunzig"),
    ],
)
def test_changes_are_found_in_any_script(before: str, then: str, now: str):
    assert became(before, f"… {before.replace(then, now)} …", before=before)[0] == ""
    assert became(before, f"… {before} …", before=before) == (EXACT, before)


def test_what_a_text_does_not_say_any_more_is_gone():
    assert became(QUOTE, PAGE.replace(QUOTE, "")) == ("gone", "")
    assert became(QUOTE, "") == ("gone", "")
    assert became(QUOTE, "Entirely other things are told here, at some length, of ships and of the sea.") == ("gone", "")


def test_another_passage_that_is_much_alike_does_not_pass_for_a_changed_one():
    before = "For Acme the notice lasts sixty days from receipt. For Acme the warranty lasts ninety days from receipt."
    quote = before[:50]
    context, kept = around(before, 0, 50), before[51:]
    assert matches(quote, kept, near=0, context=context, then=before) == []
    changed = kept + " For Acme the notice lasts seventy days from receipt."
    [found] = matches(quote, changed, near=0, context=context, then=before)
    assert changed[found.start : found.end] == "For Acme the notice lasts seventy days from receipt."


def test_of_several_that_are_the_same_the_one_with_the_same_neighbours_comes_first():
    before = "Fee A. It is ten euros. Fee B. It is ten euros. Fee C. It is ten euros."
    start = before.index("It is ten euros. Fee C")
    found = matches("It is ten euros.", "New. " + before, near=start, context=around(before, start, start + 16))
    assert ("New. " + before)[found[0].end :].startswith(" Fee C")


def test_a_short_quote_does_not_pass_for_one_that_stands_elsewhere_by_chance():
    before = "Are pets allowed? Yes. May the tenant sublet? No. Is there a garden? Yes."
    start = before.index("No.")
    found = matches(
        "No.",
        before.replace("sublet? No.", "sublet? Yes.") + " No. 7 is the door.",
        near=start,
        context=around(before, start, start + 3),
    )
    assert all(not each.equal_by for each in found)


def test_a_long_text_is_searched_quickly_and_whole():
    filler = " ".join(f"Clause {number} says that party {number} pays {number * 7} euros." for number in range(20_000))
    before = f"{filler} {QUOTE} {filler}"
    now = f"{filler} {filler} {QUOTE.replace('sixty', 'ninety')} The end."
    assert became(QUOTE, now, before=before) == ("", "The notice period is ninety days.")
