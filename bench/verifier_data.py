"""The data sets that verdicts are trained on and measured with."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pincite.evaluation.tampering import Material
from pincite.language.words import words


def passages(evals: Path) -> list[Material]:
    """Return the XQuAD paragraphs of the development half with the answers that are names."""
    corpus = {row["id"]: row for row in rows(evals / "xquad/corpus.jsonl")}
    cited = citations(evals / "xquad/dev/qrels.tsv")
    names: dict[str, set[str]] = {}
    for row in rows(evals / "xquad/dev/queries.jsonl"):
        plain = {answer for answer in row["answers"] if 2 <= len(answer) <= 25 and not any(map(str.isdigit, answer))}
        names.setdefault(cited[row["id"]], set()).update(plain)
    passages = ((*key.split("-")[:2], corpus[key]["text"], sorted(found)) for key, found in sorted(names.items()))
    return [Material(f"xquad {number}", lang, text, plain) for lang, number, text, plain in passages]


def questions(evals: Path) -> dict[str, list[str]]:
    """Return the questions that XQuAD asks of each paragraph, by the paragraph's text."""
    corpus = {row["id"]: row["text"] for row in rows(evals / "xquad/corpus.jsonl")}
    cited = citations(evals / "xquad/dev/qrels.tsv")
    found: dict[str, list[str]] = {}
    for row in rows(evals / "xquad/dev/queries.jsonl"):
        found.setdefault(corpus[cited[row["id"]]], []).append(row["text"])
    return found


def nearest(claim: str, asked: Sequence[str]) -> str:
    """Return the question that shares most words with a claim."""
    said = set(words(claim))
    return max(asked, key=lambda question: len(said.intersection(words(question))), default="")


def citations(path: Path) -> dict[str, str]:
    """Return the cited text of each claim."""
    lines = path.read_text(encoding="utf-8").splitlines()[1:]
    return {claim: text for claim, text, _ in (line.split("\t") for line in lines)}


def rows(path: Path) -> Sequence[dict[str, Any]]:
    """Read JSON lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]
