"""Compare the claims that the verifier's weights are trained on with their sources, then have the weights made.

    make verifier

Reads the development halves of `../shared/evals`: pairs of claims and cited texts that people judged, and sentences of XQuAD in
twelve languages, tampered with by rule beside their twins. `bench/peers/training.py`, which needs scikit-learn, does the rest.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

from table_claims import table_claims
from verifier_data import citations, nearest, passages, questions, rows

from pincite.adapters.models.e5_words import load_words
from pincite.answering.alignment import Side
from pincite.answering.contrast import compare
from pincite.evaluation.tampering import languages, suite
from pincite.language.detect import detect

ROOT = Path(__file__).parent.parent
EVALS = ROOT.parent / "shared/evals"
JUDGED = ("attributionbench", "scifact-verify", "summedits", "begin-wow")
FOLDS = 5
DRAWS = 4
"""Folds are drawn so many times: what one drawing tells may be chance."""
SEED = 7
VERBATIM_SHARE = 3
"""One in so many of the pairs that stand word for word: the verifier sees to those without weights."""

SENSE = load_words()


def main(python: str, *options: str) -> None:
    """Write the features to a scratch file and have the weights fitted with an interpreter that has scikit-learn.

    With the option `--report` the folds are measured alone, and the weights stay as they are.
    """
    if not EVALS.is_dir():
        sys.exit("The data sets of ../shared/evals are missing: there is nothing to train on.")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pairs.jsonl"
        with path.open("w", encoding="utf-8") as file:
            for row in (*judged(), *tampered(), *tabled()):
                file.write(json.dumps(row) + "\n")
        subprocess.run([python, str(ROOT / "bench/peers/training.py"), str(path), *options], check=True)


def judged() -> Iterator[dict[str, Any]]:
    """Yield the claims that people judged."""
    for name in JUDGED:
        corpus = {row["id"]: row for row in rows(EVALS / name / "corpus.jsonl")}
        cited = citations(EVALS / name / "dev/qrels.tsv")
        for row in rows(EVALS / name / "dev/queries.jsonl"):
            text = corpus[cited[row["id"]]]
            side = Side(f"{text['title']}\n{text['text']}".strip(), detect(text["text"]))
            yield entry(
                name,
                f"{name} {text['id']}",
                row["text"],
                side,
                is_true=row["binary"] == "supported",
                question=row.get("question", ""),
                src=row.get("src", ""),
            )


def tampered() -> Iterator[dict[str, Any]]:
    """Yield sentences and what rules made of them; every other pair answers a question, as claims of an answer do."""
    material, asked = passages(EVALS), questions(EVALS)
    for lang in languages():
        sides: dict[str, Side] = {}
        for at, item in enumerate(suite(material, lang, seed=SEED)):
            side = sides.setdefault(item.material.group, Side(item.material.text, lang))
            pair = item.rewritten or (item.pair if at % VERBATIM_SHARE == 0 else None)
            if pair:
                name = "rewritten" if item.rewritten else "verbatim"
                question = nearest(pair.claim, asked[item.material.text]) if at % 2 else ""
                yield entry(name, item.material.group, pair.claim, side, is_true=True, pair=pair, question=question)
                yield entry(name, item.material.group, pair.tampered, side, is_true=False, pair=pair, question=question)


def tabled() -> Iterator[dict[str, Any]]:
    """Yield claims about tables and forms, true and false."""
    names = {name for text in passages(EVALS) if text.lang == "en" for name in text.names if name[:1].isupper() and " " in name}
    for pair in table_claims(EVALS, sorted(names), seed=SEED):
        side = Side(pair.text, "en")
        yield entry("tables", pair.group, pair.claim, side, is_true=True, pair=pair, question=pair.question)
        yield entry("tables", pair.group, pair.tampered, side, is_true=False, pair=pair, question=pair.question)


def entry(
    name: str, group: str, claim: str, side: Side, *, is_true: bool, pair: Any = None, question: str = "", src: str = ""
) -> dict[str, Any]:
    """Return what the fit needs of one claim."""
    compared = compare(claim, [side], side.lang, SENSE, question=question)
    folds = [int(sha256(f"{draw} {group}".encode() if draw else group.encode()).hexdigest(), 16) % FOLDS for draw in range(DRAWS)]
    kind = {"kind": pair.kind, "lang": side.lang, "asked": bool(question)} if pair else {}
    return {"set": name, "folds": folds, "true": is_true, "features": compared.features if compared else {}, "src": src, **kind}


if __name__ == "__main__":
    main(*sys.argv[1:])
