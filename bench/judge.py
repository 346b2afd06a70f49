"""A small real chat model as judge of claims: how its verdicts and what the product makes of them compare with those of people.

`python bench/judge.py [--base-url http://127.0.0.1:18090/v1] [--claims 40]`; needs `../shared/evals` and a server that
`../shared/tools/README.md` tells how to start. Half of the claims are true: those of AttributionBench that people judged, with
sources that a small model can read, and claims about tables that rules made.
"""

import argparse
import asyncio
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from report import keep, need_shared
from table_claims import table_claims
from verifier_data import citations, passages, rows

from pincite.adapters.models.e5_words import load_words
from pincite.adapters.models.openai_chat import OpenAIChatModel
from pincite.answering.chat_judge import ChatJudge
from pincite.answering.citing import cite
from pincite.answering.markers import Mark
from pincite.answering.reviewing import Review
from pincite.answering.verify import Verifier
from pincite.core.answers import Verdict
from pincite.core.evidence import Passage, Source
from pincite.core.ports.judging import Judge, Ruling

SEED = 11
LONGEST_SOURCE = 1_500
PATIENCE_S = 900.0
VERIFIER, ALONE, CHECKED = "the verifier alone", "the judge alone", "both, the judge asked of every claim"


@dataclass(frozen=True, slots=True)
class Question:
    """A claim with the text it cites, and whether people, or the rule that made it, call it true."""

    claim: str
    text: str
    is_true: bool
    set: str
    question: str = ""


@dataclass
class Listening:
    """A judge whose last ruling is kept."""

    inner: Judge
    last: Ruling = field(default_factory=lambda: Ruling(Verdict.NOT_CHECKED))

    @property
    def name(self) -> str:
        return self.inner.name

    @property
    def version(self) -> str:
        return self.inner.version

    async def rule(self, claim: str, texts: Sequence[str], *, question: str = "") -> Ruling:
        self.last = await self.inner.rule(claim, texts, question=question)
        return self.last


async def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--base-url", default="http://127.0.0.1:18090/v1")
    options.add_argument("--claims", type=int, default=40)
    given = options.parse_args()
    llm = OpenAIChatModel(
        "local",
        base_url=given.base_url,
        timeout_s=PATIENCE_S,
        first_token_timeout_s=PATIENCE_S,
        silence_timeout_s=PATIENCE_S,
        max_output_tokens=120,
    )
    judge = Listening(ChatJudge(llm))
    verifier = Verifier(load_words())
    found: list[tuple[Question, dict[str, Verdict], float, str]] = []
    for item in drawn(need_shared("evals", ""), given.claims):
        sources = [Source(1, (Passage(item.text, start=0, end=len(item.text)),))]
        text = f"{item.claim} [1]"
        marks = [Mark(1, len(item.claim) + 1, len(text))]
        before = cite(text, marks, sources, verifier=verifier, question=item.question)
        judge.last, started = Ruling(Verdict.NOT_CHECKED), time.perf_counter()
        after, _ = await Review(judge, every=True, most=100).of(before, text, marks, sources, question=item.question)
        said = {VERIFIER: before.claims[0].verdict, ALONE: judge.last.verdict, CHECKED: after.claims[0].verdict}
        found.append((item, said, time.perf_counter() - started, after.claims[0].reason))
        print(item.is_true, *said.values(), item.claim[:90], sep=" | ", flush=True)
    keep("judge", told(found))


def drawn(evals: Path, count: int) -> list[Question]:
    """Return the claims: half of each kind, half of them true."""
    random = Random(SEED)
    corpus = {row["id"]: row for row in rows(evals / "attributionbench/corpus.jsonl")}
    cited = citations(evals / "attributionbench/dev/qrels.tsv")
    people = [
        Question(row["text"], corpus[cited[row["id"]]]["text"], row["binary"] == "supported", "people", row.get("question", ""))
        for row in rows(evals / "attributionbench/dev/queries.jsonl")
    ]
    names = {name for text in passages(evals) if text.lang == "en" for name in text.names if name[:1].isupper() and " " in name}
    pairs = [pair for pair in table_claims(evals, sorted(names), seed=SEED) if pair.kind != "prose"]
    rules = [Question(pair.claim, pair.text, True, "tables", pair.question) for pair in pairs]
    rules += [Question(pair.tampered, pair.text, False, "tables", pair.question) for pair in pairs]
    found: list[Question] = []
    for items in (people, rules):
        for is_true in (True, False):
            fitting = [item for item in items if item.is_true is is_true and len(item.text) <= LONGEST_SOURCE and item.text]
            found += random.sample(fitting, count // 4)
    random.shuffle(found)
    return found


def told(found: Sequence[tuple[Question, dict[str, Verdict], float, str]]) -> list[str]:
    seconds = sorted(taken for *_, taken, _ in found)
    lines = [
        f"{len(found)} claims, half of them true; Qwen2.5-Coder-1.5B-Instruct (Q4_K_M) by llama.cpp. A call takes",
        f"{seconds[len(seconds) // 2]:.0f} s (median) on two processors that others use, too.",
        "",
        "| | claims | true: supported | partly | refused | not checked | false: supported | partly | refused | not checked |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for who in (VERIFIER, ALONE, CHECKED):
        for name in ("people", "tables"):
            cells = [
                Counter(_kind(said[who]) for item, said, *_ in found if item.set == name and item.is_true is is_true)
                for is_true in (True, False)
            ]
            shown = [str(count[kind]) for count in cells for kind in ("supported", "partly", "refused", "not checked")]
            lines.append(f"| {who} | {name} | {' | '.join(shown)} |")
    lines += ["", "“Refused”: contradicted or not found.", ""]
    for item, said, _, reason in found:
        verdicts = ", ".join(f"{who} {verdict.value}" for who, verdict in said.items())
        lines.append(f"- {'true' if item.is_true else 'false'} ({item.set}): “{item.claim[:160]}”: {verdicts}. {reason}")
    return lines


def _kind(verdict: Verdict) -> str:
    return "refused" if verdict in (Verdict.CONTRADICTED, Verdict.NOT_FOUND) else verdict.value.replace("_", " ")


if __name__ == "__main__":
    asyncio.run(main())
