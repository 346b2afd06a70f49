"""How a generated document looks: every choice of its layout, drawn from a seed."""

from dataclasses import dataclass
from random import Random

from crossing.prose import COMPOUNDS

PAPERS = {
    "A4": (595.28, 841.89),
    "Letter": (612.0, 792.0),
    "Legal": (612.0, 1008.0),
    "A5": (419.53, 595.28),
    "wide": (841.89, 595.28),
}
HEADS = ("none", "same", "sides", "section", "two lines", "with number", "with date", "letterhead", "only later", "large")
FEET = ("none", "same", "sides", "with date", "confidential", "two lines", "as large as the text")
NUMBERS = ("none", "plain", "dashes", "of all", "page of all", "roman", "prefix", "slash", "word", "outer", "brackets")
BATES = ("none", "none", "right", "middle", "top", "parts", "blank")
NOTES = ("none", "marked", "marked", "long", "star", "two", "unmarked", "later", "large")
HYPHENS = ("none", "none", "cut", "cut", "compound seen", "compound")
BETWEEN = ("none", "none", "none", "none", "figure", "table", "page")
WATERMARKS = ("none", "none", "none", "none", "slanted", "level")
TURNS = ("none", "none", "none", "none", "sideways", "upright", "back")
DRAWN = ("line", "line", "word", "blank")
ORDERS = ("first", "last", "mixed")


@dataclass(frozen=True)
class Design:
    """The choices. Lengths are in points; `page` is the page, counted from 0, at whose end the sentence is cut."""

    seed: int
    lang: str = "en"
    paper: str = "A4"
    margins: tuple[float, float, float, float] = (72, 80, 72, 84)
    columns: int = 1
    font: str = "Helvetica"
    size: float = 10
    leading: float = 1.25
    is_justified: bool = False
    indent: float = 0
    gap: float = 6
    pages: int = 3
    page: int = 0
    head: str = "same"
    foot: str = "none"
    number: str = "plain"
    number_from: int = 1
    bates: str = "none"
    note: str = "none"
    hyphen: str = "none"
    between: str = "none"
    watermark: str = "none"
    turn: str = "none"
    drawn: str = "line"
    order: str = "first"
    first_differs: bool = False
    hyphenates: bool = False
    head_font: str = ""
    head_size: float = 8
    head_place: str = "left"
    number_place: str = "middle"
    compound: str = "well-known"

    @property
    def size_of_paper(self) -> tuple[float, float]:
        """Width and height of a page as it is read."""
        return PAPERS[self.paper]


def draw_design(seed: int) -> Design:
    """Return the design of a seed: the same for ever."""
    random = Random(seed)
    paper = random.choice(("A4", "A4", "Letter", "Letter", "Legal", "A5", "wide"))
    size = random.choice((8.5, 9, 9.5, 10, 10, 10.5, 11, 12)) if paper != "A5" else random.choice((8, 8.5, 9))
    pages = random.choice((2, 2, 3, 3, 4, 5, 6))
    between = random.choice(BETWEEN)
    if between == "page":
        pages = max(pages, 3)
    last = pages - (3 if between == "page" else 2)
    family = random.choice(("Helvetica", "Times", "Times", "Vera", "Courier" if random.random() < 0.4 else "Helvetica"))
    return Design(
        seed=seed,
        lang=random.choice(("en", "en", "en", "en", "de", "fr")),
        paper=paper,
        margins=(random.uniform(45, 85), random.uniform(66, 110), random.uniform(45, 85), random.uniform(66, 115)),
        columns=2 if random.random() < 0.25 and paper != "A5" and family != "Courier" else 1,
        font=family,
        size=size,
        leading=random.choice((1.12, 1.2, 1.2, 1.3, 1.45, 1.6)),
        is_justified=random.random() < 0.4,
        indent=random.choice((0, 0, 12, 18)),
        gap=random.choice((0, 0, 4, 8, 12)),
        pages=pages,
        page=random.randrange(last + 1),
        head=random.choice(HEADS),
        foot=random.choice(FEET),
        number=random.choice(NUMBERS),
        number_from=random.choice((1, 1, 1, 2, 17, 118)),
        bates=random.choice(BATES),
        note=random.choice(NOTES),
        hyphen=random.choice(HYPHENS),
        between=between,
        watermark=random.choice(WATERMARKS),
        turn=random.choice(TURNS),
        drawn=random.choice(DRAWN),
        order=random.choice(ORDERS),
        first_differs=random.random() < 0.3,
        hyphenates=random.random() < 0.4,
        head_font=random.choice(("plain", "plain", "bold", "italic")),
        head_size=random.choice((0.75, 0.85, 0.9, 1.0, 1.0)) * size,
        head_place=random.choice(("left", "middle", "right")),
        compound=random.choice(COMPOUNDS),
        number_place=random.choice(("left", "middle", "right")),
    )
