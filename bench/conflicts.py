"""Sources that disagree, and sources that an answer leaves out: what is noticed, and what is told for nothing.

python bench/conflicts.py        (part of make bench-citations)
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from report import keep, need_shared, table
from verifier_data import passages, rows

from pincite.answering.conflicts import Disputes
from pincite.answering.coverage import uncited_sources
from pincite.answering.rivals import Rivals
from pincite.answering.selection import candidates, select
from pincite.answering.sources import group_sources
from pincite.core.answers import Citation
from pincite.core.evidence import Passage, Scores, Source
from pincite.core.ids import ChunkId, DocumentId, VersionId
from pincite.evaluation.tampering import Material, suite
from pincite.language.stems import index_tokens

SEED = 2026
PAIRS = 60
LIMIT = 6
LANGUAGES = ("en", "de", "es", "ru", "zh", "hi")
ASKED = ("hop-hotpot", "clapnq", "mtrag-un")
LISTED = ("hop-hotpot", "hop-2wiki", "hop-musique", "mtrag-un")


def main() -> None:
    """Measure and keep."""
    evals = need_shared("evals")
    sets = {name: Searched(evals / name) for name in dict.fromkeys((*ASKED, *LISTED))}
    lines = [
        "Sentences of XQuAD's development half of which one amount or date was changed, put beside themselves: alone, and",
        "each in its paragraph.",
        "",
        *noticed(passages(evals)),
        "",
        "Pairs found for nothing: every sentence with a figure of the best six passages by words of each question was compared",
        "with those of the others, not only what an answer cites. All that was found is listed.",
        "",
        *alarms({name: sets[name] for name in ASKED}),
        "",
        "Sources that the extractive model's choice of sentences doesn't cite, among the best six by words, and which of these",
        "are listed as `uncited`; `gold` are those that people marked as evidence.",
        "",
        *left_out({name: sets[name] for name in LISTED}),
    ]
    keep("conflicts", lines)


def noticed(material: Sequence[Material]) -> list[str]:
    """Return a table of how many changed figures are found, by language."""
    found: list[list[str]] = []
    for lang in LANGUAGES:
        items = [item for item in suite(material, lang, seed=SEED) if item.pair.kind in ("number", "date")]
        Random(SEED).shuffle(items)
        alone = whole = 0
        for item in items[:PAIRS]:
            text, pair = item.material.text, item.pair
            alone += disagree(pair.claim, pair.tampered, lang)
            whole += disagree(text, text.replace(pair.claim, pair.tampered), lang)
        count = len(items[:PAIRS])
        found.append([lang, str(count), f"{alone}", f"{whole}"])
    return table(["Language", "Pairs", "Found alone", "Found in paragraphs"], found)


def disagree(one: str, other: str, lang: str) -> bool:
    sources = group_sources([passage("one", "", one, lang=lang), passage("two", "", other, lang=lang)])
    return any(rivals.said.n == 1 for rivals in every_rival(sources))


def every_rival(sources: Sequence[Source]) -> Iterator[Rivals]:
    """Yield what disagrees with any sentence of the sources."""
    disputes = Disputes(sources)
    for n, text, segment, _ in disputes.sentences:
        if rivals := disputes.rival_of(n, text, segment):
            yield rivals


def passage(name: str, title: str, text: str, *, lang: str = "en", score: float = 0.0) -> Passage:
    ids = (VersionId(name), ChunkId(name))
    scores = Scores(score)
    return Passage(text, DocumentId(name), title, name, ids[1], ids[0], end=len(text), lang=lang, scores=scores)


@dataclass
class Searched:
    """A data set that is searched by words."""

    folder: Path
    corpus: Sequence[dict[str, Any]] = field(init=False)
    questions: Sequence[dict[str, Any]] = field(init=False)

    def __post_init__(self) -> None:
        self.corpus = rows(self.folder / "corpus.jsonl")
        self.questions = rows(self.folder / "dev/queries.jsonl")
        self._counts = [Counter(index_tokens(f"{row.get('title', '')} {row['text']}", "en")) for row in self.corpus]
        self._containing = Counter(token for counts in self._counts for token in counts)
        self._mean = sum(counts.total() for counts in self._counts) / len(self._counts)

    @property
    def gold(self) -> dict[str, set[str]]:
        """Return the passages that people marked, by question."""
        found: dict[str, set[str]] = defaultdict(set)
        for line in (self.folder / "dev/qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]:
            question, text, score = line.split("\t")
            if float(score) > 0:
                found[question].add(text)
        return found

    def sources(self, question: str) -> list[Source]:
        """Return the best passages by words (BM25)."""
        asked = set(index_tokens(question, "en"))
        scores = [(self._score(asked, counts), at) for at, counts in enumerate(self._counts)]
        best = [(score, at) for score, at in sorted(scores, reverse=True)[:LIMIT] if score]
        return group_sources(
            [
                passage(self.corpus[at]["id"], self.corpus[at].get("title", ""), self.corpus[at]["text"], score=score / best[0][0])
                for score, at in best
            ]
        )

    def _score(self, asked: set[str], counts: Counter[str]) -> float:
        length, total = counts.total() / self._mean, len(self._counts)
        return sum(
            math.log(1 + (total - self._containing[token] + 0.5) / (self._containing[token] + 0.5))
            * counts[token]
            * 2.2
            / (counts[token] + 1.2 * (0.25 + 0.75 * length))
            for token in asked
            if token in counts
        )


def alarms(sets: dict[str, Searched]) -> list[str]:
    """Return a table of what was found among passages of public sets, and the pairs themselves."""
    found: list[list[str]] = []
    pairs: dict[frozenset[str], Rivals] = {}
    for name, searched in sets.items():
        hit = 0
        for question in searched.questions:
            rivals = list(every_rival(searched.sources(question["text"])))
            hit += bool(rivals)
            pairs.update({frozenset((each.said.segment.text, each.other.segment.text)): each for each in rivals})
        found.append([name, str(len(searched.questions)), str(hit)])
    listed = [f"- {' / '.join(' '.join(line.segment.text.split())[:150] for line in (r.said, r.other))}" for r in pairs.values()]
    return [*table(["Set", "Questions", "With a pair"], found), "", *listed]


def left_out(sets: dict[str, Searched]) -> list[str]:
    """Return a table of the sources that aren't cited, and those that are listed."""
    found: list[list[str]] = []
    for name, searched in sets.items():
        gold, left, evidence, listed, right = searched.gold, 0, 0, 0, 0
        questions = [question for question in searched.questions if gold[question["id"]]]
        for question in questions:
            sources = searched.sources(question["text"])
            chosen = select(candidates(question["text"], sources))
            cited = [Citation(one.n, one.passage.document_id, one.passage.version_id, ChunkId(""), ()) for one in chosen]
            numbers = {each.n for each in cited}
            marked = {each.n for each in sources if each.best.document_id in gold[question["id"]]} - numbers
            told = set(uncited_sources(question["text"], cited, sources))
            left, evidence = left + len({each.n for each in sources} - numbers), evidence + len(marked)
            listed, right = listed + len(told), right + len(told & marked)
        share = [evidence / left, right / max(1, listed), right / max(1, evidence)]
        found.append([name, str(len(questions)), str(left), str(listed), *(f"{each:.2f}" for each in share)])
    return table(
        ["Set", "Questions", "Not cited", "Listed", "Gold among not cited", "Gold among listed", "Gold that is listed"], found
    )


if __name__ == "__main__":
    main()
