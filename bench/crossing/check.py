"""What is wrong with a quote of the sentence that crosses a page."""

from collections.abc import Iterator, Mapping
from typing import Any

from crossing.made import Made, Rect

TOLERANCE_POINTS = 2.0


def faults(made: Made, quote: Mapping[str, Any]) -> Iterator[str]:
    """Yield what differs between a quote, in its JSON form, and what is known by construction."""
    text = " ".join(quote["text"].split())
    if text != made.sentence:
        yield f"text: {text!r}"
    if strange := sorted(set(text.replace(",", " ").replace(".", " ").split()) & made.foreign):
        yield f"words of the furniture: {strange}"
    spans = quote["spans"]
    if [span["page"] for span in spans] != [part.page for part in made.parts]:
        yield f"pages: {[span['page'] for span in spans]} and not {[part.page for part in made.parts]}"
        return
    for span, part in zip(spans, made.parts, strict=True):
        if (far := _distance(span["boxes"], part.boxes)) > TOLERANCE_POINTS:
            yield f"boxes of page {part.page}: {far:.1f} pt away"
        if part.label and span["page_label"] != part.label:
            yield f"label of page {part.page}: {span['page_label']} and not {part.label}"
        if (span["bates"] or "") != part.bates:
            yield f"Bates number of page {part.page}: {span['bates']} and not {part.bates}"


def _distance(found: list[list[float]], known: tuple[Rect, ...]) -> float:
    """Return how far the farthest edge lies from where it should, without end when there are more or fewer boxes."""
    if len(found) != len(known):
        return float("inf")
    return max(abs(a - b) for one, other in zip(found, known, strict=True) for a, b in zip(one, other, strict=True))
