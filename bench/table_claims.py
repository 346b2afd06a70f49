"""Claims about tables and forms, true and false, made by rule from the tables of TAT-QA's development half.

A true claim names a value by its row and column, in one of several wordings; its false twin takes the value of another row or of
another column, or changes a digit. Forms are columns of such tables as `label: value`, and lines with names. Sentences of the
prose beside a table are tampered with as those of XQuAD are: a table that shares their words must not decide over them.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from verifier_data import citations, rows

from pincite.evaluation.tampering import Material, suite

KINDS = ("other row", "other column", "digit", "label alone", "head alone", "form", "named", "prose")
WITH_HEAD = (
    "{L} was {V} in {H}.",
    "In {H}, {l} amounted to {V}.",
    "The {l} for {H} was {V}.",
    "The company reported {l} of {V} for {H}.",
    "{V} is the {l} ({H}).",
    "For {H} the table shows {l} of {V}.",
)
WITHOUT_HEAD = ("{L}: {V}.", "The {l} is {V}.", "The company reported {l} of {V}.", "{V} is the {l}.", "It had {l} of {V}.")
NAMED = ("The {l} is {V}.", "{V} is the {l}.", "{L} is {V}.", "{V} is given as the {l}.", "As {l} it names {V}.")
LABELS = (
    "Contact", "Primary Contact", "Billing Contact", "Customer", "Supplier", "Prepared by", "Approved by", "Representative",
    "Location", "Region", "Project", "Product", "Landlord", "Tenant", "Author", "Publisher", "Venue", "Insurer", "Account manager",
)  # fmt: skip
MOST_A_TABLE = 8
MOST_PROSE = 3
FORM_ROWS = 7

_VALUE = re.compile(r"[$€£]?\s?\(?[$€£]?\s?\d[\d,.]*\)?\s?%?")
_YEAR = re.compile(r"(?:19|20)\d\d")
_HEAD = re.compile(r"(?:19|20)\d\d|[^\W\d]{4}")
_NOTES = re.compile(r"(?:\s*(?:\(\d\)|[.:*,]+|(?<=\d\d\d\d)\s\d))+\s*$")


@dataclass(frozen=True, slots=True)
class TableClaim:
    """A claim about a text, and its false twin; `group` holds together what is made of one table with its prose."""

    kind: str
    group: str
    text: str
    claim: str
    tampered: str
    question: str


def table_claims(evals: Path, names: Sequence[str], *, seed: int) -> Iterator[TableClaim]:
    """Yield pairs from all tables that a question of the development half is about."""
    corpus = rows(evals / "tatqa/corpus.jsonl")
    context_of = {row["id"]: row["context"] for row in corpus}
    wanted = {context_of[text] for text in citations(evals / "tatqa/dev/qrels.tsv").values() if text in context_of}
    for context in sorted(wanted):
        random = Random(f"{seed} {context}")
        mine = [row for row in corpus if row["context"] == context]
        prose = [row["text"] for row in mine if row["kind"] == "paragraph"]
        for table in (row["text"] for row in mine if row["kind"] == "table"):
            parts = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in table.split("\n")]
            beside = "\n\n".join([table, *prose]) if random.random() < 0.5 else table
            yield from _of_cells(context, beside, parts, random)
            yield from _of_one_part(context, parts, random)
            yield from _of_forms(context, parts, random)
            yield from _of_prose(context, table, prose, seed)
        yield from _of_names(context, names, random)


def _of_cells(context: str, text: str, parts: Sequence[Sequence[str]], random: Random) -> Iterator[TableClaim]:
    heads = next((at for at, row in enumerate(parts) if any(map(_is_amount, row[1:]))), 1)
    head = [_head(parts[:heads], column) for column in range(len(parts[0]))]
    places = [
        (at, column)
        for at, row in enumerate(parts[heads:], heads)
        for column, cell in enumerate(row[1:], 1)
        if _is_value(cell)
        and _plain(row[0])
        and column < len(head)
        and _HEAD.search(head[column])
        and head.count(head[column]) == 1
    ]
    for at, column in random.sample(places, min(MOST_A_TABLE, len(places))):
        value, label = parts[at][column], _label(parts, at, random)
        beside = {
            "other row": [row[column] for row in parts[1:] if column < len(row) and _differs(row[column], value)],
            "other column": [cell for cell in parts[at][1:] if _differs(cell, value)],
            "digit": [_other_digit(value, text, random)],
        }
        kind = random.choice([kind for kind, found in beside.items() if found and found[0]])
        other = random.choice(beside[kind])
        wording = random.choice(WITH_HEAD)
        question = f"What was the {_low(label)} in {_plain(head[column])}?" if random.random() < 0.5 else ""
        said, told = _written(value, random), _written(other, random)
        if said != told:
            yield TableClaim(
                kind,
                context,
                text,
                _filled(wording, label, said, head[column]),
                _filled(wording, label, told, head[column]),
                question,
            )


def _of_one_part(context: str, parts: Sequence[Sequence[str]], random: Random) -> Iterator[TableClaim]:
    """Yield claims that name a row without a column, and a column of a table that has a single row."""
    rows_ = [row for row in parts[1:] if _plain(row[0]) and not row[0].startswith("(") and sum(map(_is_amount, row[1:])) > 1]
    if len(rows_) < 3:
        return
    row, other = random.sample(rows_, 2)
    value, wrong = next(filter(_is_amount, row[1:])), next(filter(_is_amount, other[1:]))
    text = "\n".join(f"| {' | '.join(cells)} |" for cells in parts)
    wording = random.choice(WITHOUT_HEAD)
    if _plain(row[0]) != _plain(other[0]) and not any(_digits(cell) == _digits(wrong) for cell in row):
        yield TableClaim(
            "label alone", context, text, _filled(wording, _plain(row[0]), value), _filled(wording, _plain(row[0]), wrong), ""
        )
    # Turned by a quarter, labels are heads.
    few = random.sample(rows_, min(5, len(rows_)))
    labels, column = [_plain(one[0]) for one in few], random.choice(("Q1", "2019", "12/20/24", "Total", "1", "Main office"))
    values = [next(filter(_is_amount, one[1:])) for one in few]
    table = f"| Period | {' | '.join(labels)} |\n| {column} | {' | '.join(values)} |"
    if len(set(map(_digits, values))) == len(values) and len(set(labels)) == len(labels):
        wording = random.choice(WITHOUT_HEAD)
        yield TableClaim(
            "head alone", context, table, _filled(wording, labels[0], values[0]), _filled(wording, labels[0], values[1]), ""
        )


def _of_forms(context: str, parts: Sequence[Sequence[str]], random: Random) -> Iterator[TableClaim]:
    column = random.randrange(1, max(2, len(parts[0])))
    lines = [(_plain(row[0]), row[column]) for row in parts[1:] if column < len(row) and _plain(row[0]) and _is_value(row[column])]
    labels = [label for label, _ in lines]
    lines = [line for line in lines if labels.count(line[0]) == 1][:FORM_ROWS]
    if len(lines) < 3:
        return
    text = _form(lines, random)
    for label, value in random.sample(lines, 2):
        others = [other for _, other in lines if _differs(other, value)]
        other = random.choice(others) if others and random.random() < 0.6 else _other_digit(value, text, random)
        wording = random.choice(WITHOUT_HEAD)
        question = f"What is the {_low(label)}?" if random.random() < 0.5 else ""
        if other:
            yield TableClaim("form", context, text, _filled(wording, label, value), _filled(wording, label, other), question)


def _of_names(context: str, names: Sequence[str], random: Random) -> Iterator[TableClaim]:
    labels, values = random.sample(LABELS, 5), random.sample(list(names), 6)
    lines = list(zip(labels, values, strict=False))
    text = _form(lines, random)
    label, value = random.choice(lines)
    other = random.choice([name for name in values if name != value])
    wording = random.choice(NAMED)
    question = f"Who or what is the {_low(label)}?" if random.random() < 0.5 else ""
    yield TableClaim("named", context, text, _filled(wording, label, value), _filled(wording, label, other), question)


def _of_prose(context: str, table: str, prose: Sequence[str], seed: int) -> Iterator[TableClaim]:
    found = [item for text in prose for item in suite([Material(context, "en", text)], "en", seed=seed)]
    random = Random(f"{seed} prose {context}")
    for item in random.sample(found, min(MOST_PROSE, len(found))):
        pair = item.rewritten or item.pair
        yield TableClaim("prose", context, f"{table}\n\n{item.material.text}", pair.claim, pair.tampered, "")


def _form(lines: Sequence[tuple[str, str]], random: Random) -> str:
    match random.randrange(3):
        case 0:
            return "\n\n".join(f"{label}: {value}" for label, value in lines)
        case 1:
            return "\n".join(f"| {label}: | {value} |" for label, value in lines)
        case _:
            two = [lines[at : at + 2] for at in range(0, len(lines), 2)]
            return "\n".join("| " + " | ".join(f"{label}: | {value}" for label, value in row) + " |" for row in two)


def _label(parts: Sequence[Sequence[str]], at: int, random: Random) -> str:
    """Return a row's label, sometimes only as far as its first comma, where no other row could be meant then."""
    whole = _plain(parts[at][0])
    short = re.split(r"[,(;–—]", whole)[0].strip()
    others = [_plain(row[0]).casefold() for number, row in enumerate(parts) if number != at]
    may_cut = len(short) > 5 and not any(short.casefold() in other for other in others)
    return short if may_cut and random.random() < 0.6 else whole


def _filled(wording: str, label: str, value: str, head: str = "") -> str:
    text = wording.format(L=label, l=_low(label), V=value, H=_plain(head))
    return text[:1].upper() + text[1:]


def _low(label: str) -> str:
    return label if label[1:2].isupper() else label[:1].lower() + label[1:]


def _plain(cell: str) -> str:
    return _NOTES.sub("", cell).strip()


def _head(heads: Sequence[Sequence[str]], column: int) -> str:
    """Return what stands above a column: the lowest that isn't empty or in brackets."""
    found = [row[column] for row in heads if column < len(row) and row[column] and not row[column].startswith("(")]
    return found[-1] if found else ""


def _is_amount(cell: str) -> bool:
    return _is_value(cell) and not _YEAR.fullmatch(cell)


def _is_value(cell: str) -> bool:
    return bool(_VALUE.fullmatch(cell)) and any(map(str.isdigit, cell))


def _differs(cell: str, value: str) -> bool:
    return _is_value(cell) and _digits(cell) != _digits(value)


def _digits(cell: str) -> str:
    return "".join(filter(str.isdigit, cell))


def _other_digit(value: str, text: str, random: Random) -> str:
    """Return a value with another digit that the text doesn't give, empty when there is none."""
    places = [at for at, char in enumerate(value) if char.isdigit()]
    at = random.choice(places[:2])
    made = value[:at] + random.choice([d for d in "123456789" if d != value[at]]) + value[at + 1 :]
    return "" if made.strip("$()% ") in text else made


def _written(value: str, random: Random) -> str:
    """Write a value as people do: in brackets or not, with or without commas, percent in a word."""
    plain = value.strip("() ")
    if plain.endswith("%") and random.random() < 0.4:
        return f"{plain.rstrip('% ')} percent"
    return plain.replace(",", "") if random.random() < 0.2 else plain
