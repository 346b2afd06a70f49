"""A chat model without a language model: it answers by quoting the sentences that answer the question."""

import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass

from pincite.answering.choice import holds_for, weighed
from pincite.answering.conflicts import Disputes
from pincite.answering.cues import lacks_what_is_asked
from pincite.answering.fragments import is_asked
from pincite.answering.marker_grammar import CLOSERS, Scan, scan
from pincite.answering.naming import named_sources
from pincite.answering.prompts import INSUFFICIENT_CONTEXT, numeric_label
from pincite.answering.segments import Segment, SegmentKind, language_of
from pincite.answering.selection import MAX_SENTENCES, MIN_COVERAGE, Candidate, candidates, in_reading_order, linked, nearer, select
from pincite.core.errors import ConfigurationError
from pincite.core.evidence import Source
from pincite.core.messages import ChatMessage, Grounding, ModelUsage
from pincite.core.ports.models import EmbeddingModel, Vector
from pincite.language.detect import detect

SHORT_LIST = 12
"""Sentences that are compared by meaning when words found something."""
LONG_LIST = 32
"""And when they found nothing, as between languages."""
JOINER = "\u2060"
"""Word joiner: takes no room on the page and keeps what stands beside it from being read as markup."""

_PIECE = re.compile(r"\s*\S+")
_SENTENCE_END = re.compile(r"[.!?…。！？।॥؟۔։።][\"'”’»)\]]*$")
# Links, images, math and HTML as Markdown reads them: broken behind their first character.
_MARKUP = re.compile(r"\](?=[(\[])|\\(?=[\[(]|begin\{)|\$(?=\$)|<(?=[A-Za-z/!?])|!(?=\[)")
# Behind an operator or a command a bracket is an array or an argument, not a label.
_OPEN_END = re.compile(r"(?:[^\w.!?\s)\]\"'”’»。！？।]|\\[A-Za-z]+)$")
_BLOCK_START = re.compile(r"[#>|~=+*\[-]|\d{1,9}[.)]\s")


@dataclass(frozen=True, slots=True)
class CosineFloors:
    """How near in meaning some sentence must be to count as evidence: its cosine plus `coverage_share` times its coverage.

    With a model whose floors aren't known, words alone decide. `across_languages` is for a question in another language than
    the sentence, where words can't speak.
    """

    same_language: float
    across_languages: float
    coverage_share: float = 0.05


KNOWN_FLOORS: Mapping[str, CosineFloors] = {"intfloat/multilingual-e5-small": CosineFloors(0.85, 0.765)}
"""Measured on samples of dev halves: 150 questions of CLAP NQ, 80 of MTRAG-UN, 120 of XQuAD, 40 of HotpotQA. In the same language
it declines 9%, 2%, 3% and 0% of the answerable questions, and 54% and 29% of the unanswerable ones of the first two, whose
near-miss passages are at hand. Across languages (XQuAD to English) it declines none that the passage answers, 87% of the rest."""


class ExtractiveChatModel:
    """Implements `ChatModel` by picking one to four sentences, written word for word, each with its label ` [n]`.

    It reads the `Grounding` of the last message, not its prose, so nothing that a document says can instruct it. It replies with
    `INSUFFICIENT_CONTEXT` when no sentence comes near the question. With an embedding model a short list of sentences is also
    compared by meaning, which is what finds paraphrases and sources in another language.
    Usage is reported as no tokens, not estimated: no language model runs.
    """

    def __init__(self, embedding: EmbeddingModel | None = None, *, floors: CosineFloors | None = None) -> None:
        self._embedding = embedding
        self._floors = floors or (KNOWN_FLOORS.get(embedding.spec.name) if embedding else None)

    @property
    def name(self) -> str:
        """Return `extractive`."""
        return "extractive"

    async def invoke(self, messages: Sequence[ChatMessage]) -> str:
        """Return the whole reply. Raises `ConfigurationError` when the last message carries no grounding."""
        return "".join([piece async for piece in self.stream(messages) if isinstance(piece, str)])

    async def stream(self, messages: Sequence[ChatMessage]) -> AsyncGenerator[str | ModelUsage, None]:
        """Yield the reply word by word, then the usage. Raises `ConfigurationError` as `invoke`, `UpstreamError` from embedding."""
        grounding = messages[-1].grounding if messages else None
        if grounding is None:
            raise ConfigurationError(
                "The extractive model answers from a prompt made by PromptTemplate. Render the question with one."
            )
        for piece in _PIECE.findall(await self._reply(grounding)):
            yield piece
        yield ModelUsage()

    async def _reply(self, grounding: Grounding) -> str:
        if not is_asked(grounding.question):
            return INSUFFICIENT_CONTEXT
        meant = named_sources(grounding.question, grounding.sources)
        short = await self.short_list(grounding.question, meant)
        if short is None:
            return INSUFFICIENT_CONTEXT
        ranked = self._ranked(grounding.question, short)
        return written(with_rival(select(ranked), ranked, meant))

    async def short_list(self, question: str, sources: Sequence[Source]) -> "ShortList | None":
        """Return the sentences that may answer, with vectors where meaning counts; None where none comes near the question."""
        found = candidates(question, sources)
        if not found or _lacks(question, found[:SHORT_LIST]):
            return None
        said = found[0].literal or max(candidate.coverage for candidate in found) >= MIN_COVERAGE
        if self._embedding is None or found[0].literal:
            return ShortList(found) if said else None
        found = found[: SHORT_LIST if said else LONG_LIST]
        vectors = await self._embedding.embed_passages([candidate.segment.text for candidate in found])
        short = ShortList(found, await self._embedding.embed_query(question), vectors)
        said = _is_near(self._floors, question, short=found, cosines=short.cosines) if self._floors else said
        return short if said else None

    def _ranked(self, question: str, short: "ShortList") -> list[Candidate]:
        """Return the sentences, likeliest first.

        The trees weigh sentences alone, by the model that they were trained with: where a row of a table would be quoted it stays.
        """
        ranked = linked(question, nearer(short.found, short.cosines) if short.vectors else short.found)
        is_weighed = self._embedding is not None and bool(short.vectors) and holds_for(self._embedding.spec)
        if not is_weighed or not all(map(_is_sentence, select(ranked))):
            return ranked
        prose = [at for at, candidate in enumerate(short.found) if _is_sentence(candidate)]
        return weighed(question, [short.found[at] for at in prose], short.asked, [short.vectors[at] for at in prose])


@dataclass(frozen=True, slots=True)
class ShortList:
    """Sentences that may answer a question, likeliest by words first; the vectors of the question and of each, if compared."""

    found: Sequence[Candidate]
    asked: Vector = ()
    vectors: Sequence[Vector] = ()

    @property
    def cosines(self) -> list[float]:
        """Return how near each sentence is to the question."""
        return [sum(a * b for a, b in zip(self.asked, vector, strict=True)) for vector in self.vectors]


def _is_sentence(candidate: Candidate) -> bool:
    return candidate.segment.kind is SegmentKind.SENTENCE


def with_rival(chosen: Sequence[Candidate], ranked: Sequence[Candidate], sources: Sequence[Source]) -> list[Candidate]:
    """Return the chosen sentences; if another source gives another figure where the best one gives one, with that sentence."""
    best = max(chosen, key=lambda candidate: candidate.logit, default=None)
    rivals = Disputes(sources).rival_of(best.n, best.passage, best.segment) if best else None
    if best is None or rivals is None:
        return list(chosen)
    other = rivals.other
    found = next((one for one in ranked if (one.n, one.passage, one.segment) == (other.n, other.passage, other.segment)), None)
    if found is None or found in chosen:
        return list(chosen)
    kept = [candidate for candidate in chosen if candidate is not best]
    return in_reading_order([best, found, *kept[: MAX_SENTENCES - 2]])


def _lacks(question: str, short: Sequence[Candidate]) -> bool:
    """Say whether the likeliest sentences, with title and headings, lack the very thing that is asked about."""
    texts = [" ".join((c.passage.title, *c.passage.heading_path, *(head.text for head in c.heads), c.segment.text)) for c in short]
    return not short[0].literal and lacks_what_is_asked(question, texts)


def _is_near(floors: CosineFloors, question: str, *, short: Sequence[Candidate], cosines: Sequence[float]) -> bool:
    """Say whether some sentence is near enough to the question."""
    asked_in = detect(question)
    for candidate, cosine in zip(short, cosines, strict=True):
        said_in = language_of(candidate.passage)
        across = asked_in and said_in and asked_in != said_in
        floor = floors.across_languages if across else floors.same_language
        if cosine + floors.coverage_share * candidate.coverage >= floor:
            return True
    return False


def written(chosen: Sequence[Candidate]) -> str:
    """Return the sentences as an answer, each with its label. What isn't prose, or is of another source, gets a paragraph.

    A row of a table comes behind the rows that head it, without which its numbers say nothing.
    """
    lines: list[str] = []
    shown: set[tuple[int, int]] = set()
    before = None
    for candidate in chosen:
        for part in (*candidate.heads, candidate.segment):
            place = (candidate.n, candidate.passage.start + part.start)
            if place not in shown:
                shown.add(place)
                lines.append(("" if not lines else _joint(before, candidate)) + _labelled(part, candidate.n))
        before = candidate
    return "".join(lines)


def _labelled(segment: Segment, n: int) -> str:
    cells = re.sub(r"\s*[|\t]\s*", " | ", segment.text).strip(" |") if segment.kind is SegmentKind.ROW else segment.text
    return f"{plain(cells)} {numeric_label(n)}"


def _joint(before: Candidate | None, after: Candidate) -> str:
    return " " if before is not None and _flows(before, after) else "\n\n"


def _flows(before: Candidate, after: Candidate) -> bool:
    """Say whether a sentence may go on in the same paragraph. Dollars may not: what stands between two could be read as math."""
    prose = before.segment.kind is after.segment.kind is SegmentKind.SENTENCE
    money = "$" in before.segment.text or "$" in after.segment.text
    return prose and not money and before.n == after.n and bool(_SENTENCE_END.search(before.segment.text))


def plain(text: str) -> str:
    """Return a sentence for display: one line that reads as it stands, in which nothing is taken for markup or for a citation.

    A reference mark of the source such as `[3]` gets an invisible joiner behind its bracket, so that it never counts as label 3;
    likewise links, images, HTML, math, list marks and the word that declines. Backticks become quotation marks. Folding undoes it.
    """
    line = " ".join(text.split()).replace("``", "“").replace("`", "‘")
    line = _MARKUP.sub(lambda match: match[0] + JOINER, _without_labels(line))
    lead = JOINER if _BLOCK_START.match(line) else ""
    line = line.replace(INSUFFICIENT_CONTEXT, INSUFFICIENT_CONTEXT[:1] + JOINER + INSUFFICIENT_CONTEXT[1:])
    return lead + line + (JOINER if _OPEN_END.search(line) else "")


def _without_labels(line: str) -> str:
    """Break every bracket that would be read as a citation, from the end so that offsets stay."""
    for at in range(len(line) - 1, -1, -1):
        if line[at] in CLOSERS and not isinstance(scan(line, at, final=True), Scan):
            line = line[: at + 1] + JOINER + line[at + 1 :]
    return line
