"""Data sets in the JSONL form: corpus.jsonl, queries.jsonl, qrels.tsv."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from pincite.core.errors import NotFoundError, UsageError
from pincite.core.evidence import Turn
from pincite.language.detect import detect
from pincite.language.sentences import sentence_spans


@dataclass(frozen=True, slots=True)
class Entry:
    """A passage of the corpus."""

    id: str
    title: str
    text: str
    group: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """A query; `answerable` is None where the set doesn't say, `relevant` holds the gain of each right passage.

    `history` is what was said before it.
    """

    id: str
    text: str
    answerable: bool | None
    relevant: Mapping[str, float]
    group: str = ""
    history: tuple[Turn, ...] = ()


@dataclass(frozen=True, slots=True)
class JudgedClaim:
    """A claim, the texts it cites, and whether people found that they support it. `group` is where it came from, if known."""

    id: str
    text: str
    question: str
    supported: bool
    cited: tuple[Entry, ...]
    group: str = ""


Sentence = tuple[str, int]
"""A sentence of a passage: the passage's id and the sentence's place."""


@dataclass(frozen=True, slots=True)
class GoldSet:
    """A data set whose queries say which sentences of its passages they rest on.

    `spans` holds the sentences of each passage as `[start, end)` of its text, `gold` those of each query, in the alternatives that
    people gave: any one of them is enough. With `claims` the queries are claims that cite their passages, else questions.
    """

    dataset: "Dataset"
    spans: Mapping[str, tuple[tuple[int, int], ...]]
    gold: Mapping[str, tuple[frozenset[Sentence], ...]]
    claims: bool


@dataclass(frozen=True, slots=True)
class Dataset:
    """A corpus and its queries."""

    entries: tuple[Entry, ...]
    questions: tuple[Question, ...]

    def groups(self) -> dict[str, "Dataset"]:
        """Return one data set per value of the field it was loaded by."""
        values = dict.fromkeys(question.group for question in self.questions)
        return {value: self._only(value) for value in values}

    def _only(self, value: str) -> "Dataset":
        return Dataset(
            tuple(entry for entry in self.entries if entry.group == value),
            tuple(question for question in self.questions if question.group == value),
        )


def load_dataset(corpus: Path, queries: Path, qrels: Path, *, limit: int = 0, by_field: str = "") -> Dataset:
    """Read a data set. With `limit`, only the first queries (of each value of `by_field`).

    Raises `NotFoundError` for a missing file, `UsageError` for a line that isn't of the form.
    """
    relevant = _judgements(qrels)
    entries = tuple(
        Entry(_text(row, "id", where), str(row.get("title") or ""), _text(row, "text", where), str(row.get(by_field, "")))
        for where, row in _rows(corpus)
    )
    questions: list[Question] = []
    counts: dict[str, int] = {}
    for where, row in _rows(queries):
        group = str(row.get(by_field, "")) if by_field else ""
        counts[group] = counts.get(group, 0) + 1
        if limit and counts[group] > limit:
            continue
        identifier = _text(row, "id", where)
        answerable = row.get("answerable")
        questions.append(
            Question(
                identifier,
                _text(row, "text", where),
                answerable if isinstance(answerable, bool) else None,
                relevant.get(identifier, {}),
                group,
                _history(row.get("history") or [], where),
            )
        )
    return Dataset(entries, tuple(questions))


def load_claims(corpus: Path, queries: Path, qrels: Path, *, limit: int = 0) -> tuple[JudgedClaim, ...]:
    """Read judged claims: `binary` says `supported` or anything else, `qrels` name what a claim cites. With `limit`, the first.

    Raises `NotFoundError` for a missing file, `UsageError` for a line that isn't of the form.
    """
    entries = {entry.id: entry for entry in load_dataset(corpus, queries, qrels).entries}
    cited = _judgements(qrels)
    claims: list[JudgedClaim] = []
    for where, row in _rows(queries):
        identifier = _text(row, "id", where)
        texts = tuple(entries[key] for key in cited.get(identifier, {}) if key in entries)
        if not texts:
            raise UsageError(f"{where} cites no text of {corpus.name}.", code="dataset")
        group = str(row.get("src") or row.get("domain") or row.get("lang") or "")
        supported = _text(row, "binary", where) == "supported"
        claims.append(JudgedClaim(identifier, _text(row, "text", where), str(row.get("question") or ""), supported, texts, group))
    return tuple(claims[: limit or None])


def load_gold(corpus: Path, queries: Path, qrels: Path, *, limit: int = 0) -> GoldSet:
    """Read a data set with gold sentences, leaving out queries without any. With `limit`, the first of the rest.

    A query has `supporting_facts` ([passage, place] of each), `evidence_sentences` (their texts) or, as a claim, `rationales`
    (alternatives, each a list of places). Raises `NotFoundError`, and `UsageError` for a line that isn't of the form.
    """
    whole = load_dataset(corpus, queries, qrels)
    texts = {entry.id: entry.text for entry in whole.entries}
    spans = {str(row["id"]): _spans(texts[row["id"]], row.get("sentences"), where) for where, row in _rows(corpus)}
    cited = {question.id: list(question.relevant) for question in whole.questions}
    rows = dict(_rows(queries))
    gold: dict[str, tuple[frozenset[Sentence], ...]] = {}
    for where, row in rows.items():
        try:
            found = _alternatives(row, cited[row["id"]], spans, texts)
        except (TypeError, ValueError, KeyError) as error:
            raise UsageError(f"{where} names gold sentences that aren't there, or in another form.", code="dataset") from error
        if found and cited[row["id"]]:
            gold[row["id"]] = found
    chosen = [question for question in whole.questions if question.id in gold][: limit or None]
    if not chosen:
        raise UsageError("No query of the set names gold sentences.", code="dataset")
    claims = all("rationales" in row for row in rows.values())
    return GoldSet(Dataset(whole.entries, tuple(chosen)), spans, gold, claims)


def _spans(text: str, sentences: Any, where: str) -> tuple[tuple[int, int], ...]:
    """Return where the sentences of a passage stand: as the set parts them, else as the product does."""
    if sentences is None:
        return tuple(sentence_spans(text, detect(text)))
    found: list[tuple[int, int]] = []
    end = 0
    for sentence in map(str, sentences):
        start = text.find(sentence.strip(), end)
        if start < 0:
            raise UsageError(f"{where} has a sentence that isn't in its text.", code="dataset")
        end = start + len(sentence.strip())
        found.append((start, end))
    return tuple(found)


def _alternatives(
    row: Mapping[str, Any], cited: Sequence[str], spans: Mapping[str, Sequence[tuple[int, int]]], texts: Mapping[str, str]
) -> tuple[frozenset[Sentence], ...]:
    """Return the gold sentences of a query. Raises `TypeError`, `ValueError` or `KeyError` where they can't be read."""
    if "rationales" in row:
        found = [[(cited[0], int(at)) for at in rationale] for rationale in row["rationales"]]
    elif "supporting_facts" in row:
        found = [[(str(entry), int(at)) for entry, at in row["supporting_facts"]]]
    else:
        wanted = {str(text).strip() for text in row.get("evidence_sentences") or ()}
        found = [[(entry, at) for entry in cited for at, (a, b) in enumerate(spans[entry]) if texts[entry][a:b] in wanted]]
    if any(not 0 <= at < len(spans[entry]) for sentences in found for entry, at in sentences):
        raise ValueError
    return tuple(frozenset(sentences) for sentences in found if sentences)


def _rows(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    for number, line in enumerate(_lines(path), 1):
        if not line.strip():
            continue
        where = f"{path.name}, line {number}"
        try:
            row: Any = json.loads(line)
        except ValueError as error:
            raise UsageError(f"{where} is not JSON: {error}", code="dataset") from error
        if not isinstance(row, dict):
            raise UsageError(f"{where} is not a JSON object.", code="dataset")
        yield where, cast(dict[str, Any], row)


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").split("\n")
    except FileNotFoundError as error:
        raise NotFoundError(f"There is no file {str(path)!r}.") from error
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path.name} can't be read: {error}", code="dataset") from error


def _text(row: Mapping[str, Any], name: str, where: str) -> str:
    value = row.get(name)
    if not isinstance(value, str):
        raise UsageError(f"{where} has no text field {name!r}.", code="dataset")
    return value


def _history(value: Any, where: str) -> tuple[Turn, ...]:
    """Return the exchanges of a list of [role, text]: what a user asked, and what anybody else replied."""
    try:
        said = [(str(role), str(text)) for role, text in value]
    except (TypeError, ValueError) as error:
        raise UsageError(f"{where} has a history that isn't a list of [role, text].", code="dataset") from error
    turns: list[Turn] = []
    for role, text in said:
        if role == "user":
            turns.append(Turn(text, ""))
        elif turns:
            turns[-1] = Turn(turns[-1].question, f"{turns[-1].answer}\n{text}".strip())
    return tuple(turns)


def _judgements(path: Path) -> dict[str, dict[str, float]]:
    """Read query-id, corpus-id, score; a header line is skipped, scores of 0 don't count."""
    found: dict[str, dict[str, float]] = {}
    for number, line in enumerate(_lines(path), 1):
        parts = line.rstrip("\r").split("\t")
        if not line.strip() or (number == 1 and parts[-1].strip() == "score"):
            continue
        try:
            query, entry, score = parts
            gain = float(score)
        except ValueError as error:
            raise UsageError(f"{path.name}, line {number} is not `query-id<TAB>corpus-id<TAB>score`.", code="dataset") from error
        if gain > 0:
            found.setdefault(query, {})[entry] = gain
    return found
