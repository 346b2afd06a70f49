"""The picture of risk and coverage: what share of questions is answered, and what share of those has no answer."""

from collections.abc import Mapping, Sequence

from report import RESULTS

from pincite.evaluation.abstention import Point

SIDE = 320
EDGE = 44
COLOURS = ("#0b6e99", "#b5470f", "#3d7a35")


def picture(curves: Mapping[str, Sequence[Point]]) -> None:
    """Write `bench/results/abstention.svg`."""
    size = SIDE + 2 * EDGE
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size} {size}" font-family="sans-serif" font-size="11">']
    parts.append(f'<rect width="{size}" height="{size}" fill="#fff"/>')
    for step in range(6):
        share = step / 5
        x, y = _place(share, share / 2)
        parts.append(f'<line x1="{x}" y1="{EDGE}" x2="{x}" y2="{EDGE + SIDE}" stroke="#ddd"/>')
        parts.append(f'<line x1="{EDGE}" y1="{y}" x2="{EDGE + SIDE}" y2="{y}" stroke="#ddd"/>')
        parts.append(f'<text x="{x}" y="{EDGE + SIDE + 14}" text-anchor="middle">{share:.1f}</text>')
        parts.append(f'<text x="{EDGE - 6}" y="{y + 4}" text-anchor="end">{share / 2:.1f}</text>')
    for (name, points), colour, at in zip(curves.items(), COLOURS, range(len(curves)), strict=False):
        shown = " ".join("{},{}".format(*_place(p.coverage, p.risk)) for p in points if p.coverage)
        parts.append(f'<polyline points="{shown}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts.append(f'<text x="{EDGE + 8}" y="{EDGE + 16 + 15 * at}" fill="{colour}">{name}</text>')
    parts.append(f'<text x="{size / 2}" y="{size - 8}" text-anchor="middle">coverage: share of questions that are answered</text>')
    parts.append(f'<text x="{EDGE - 30}" y="{EDGE - 14}">risk: share of answered questions without an answer</text></svg>')
    (RESULTS / "abstention.svg").write_text("\n".join(parts) + "\n", encoding="utf-8")


def _place(coverage: float, risk: float) -> tuple[float, float]:
    return round(EDGE + coverage * SIDE, 1), round(EDGE + SIDE - min(risk, 0.5) * 2 * SIDE, 1)
