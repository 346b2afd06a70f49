"""BM25 search over a tantivy snapshot and the chunks laid over it in memory."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

import tantivy
from tantivy import Occur, Query

from pincite.adapters.index.publication import Stamp
from pincite.core.ids import ChunkId, DocumentId
from pincite.core.ports.index import IndexHit, LexicalResult
from pincite.language.bm25 import TITLE_WEIGHT, idf, question_tokens

CHUNK, DOCUMENT, TITLE, BODY = "chunk", "document", "title", "body"


@cache
def schema() -> tantivy.Schema:
    """Return the fields: ids as they are, tokens made by us and parted at blanks, with counts but without positions."""
    builder = tantivy.SchemaBuilder()
    builder.add_text_field(CHUNK, stored=True, tokenizer_name="raw", index_option="basic")
    builder.add_text_field(DOCUMENT, tokenizer_name="raw", index_option="basic")
    builder.add_text_field(TITLE, tokenizer_name="whitespace", index_option="freq")
    builder.add_text_field(BODY, tokenizer_name="whitespace", index_option="freq")
    return builder.build()


@dataclass(frozen=True, slots=True)
class WordState:
    """What is published: a snapshot folder of a generation, and how many chunks were stemmed for each language, gone ones too.

    `files` holds size and time of each file of the snapshot. They are never changed once written.
    """

    generation: str = ""
    snapshot: str = ""
    seq: int = 0
    base: int = 0
    langs: Mapping[str, int] = field(default_factory=dict[str, int])
    files: Mapping[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])


@dataclass(frozen=True, slots=True)
class LaidWords:
    """Chunks indexed in memory, the languages of these and of the chunks below, and those below that no longer count."""

    index: tantivy.Index
    searcher: tantivy.Searcher
    langs: Mapping[str, int]
    hidden: frozenset[ChunkId]


@dataclass(frozen=True, slots=True)
class WordView:
    """One moment of a lexical mirror. `searcher` is None while nothing is published."""

    seq: int
    base: int
    state: WordState
    stamp: Stamp | None
    searcher: tantivy.Searcher | None = None
    laid: LaidWords | None = None

    @property
    def langs(self) -> Mapping[str, int]:
        """Return how many chunks were stemmed for each language."""
        return self.laid.langs if self.laid else self.state.langs

    @property
    def searchers(self) -> tuple[tantivy.Searcher, ...]:
        """Return what is searched: the snapshot, and what is laid over it."""
        return tuple(searcher for searcher in (self.searcher, self.laid and self.laid.searcher) if searcher)

    def search(self, text: str, *, limit: int, documents: Collection[DocumentId] | None) -> LexicalResult:
        """Return up to `limit` hits by falling BM25, and the question's idf mass. Raises `ValueError` for a damaged index."""
        question = question_tokens(text, self.langs.keys())
        counts = _Counts(self.searchers)
        mass = sum(counts.idf(BODY, alternatives) for alternatives in question)
        if limit < 1 or not question or (documents is not None and not documents):
            return LexicalResult((), mass)
        hits: list[IndexHit] = []
        if self.searcher:
            query = _among(self._query(question, self.searcher, counts), documents)
            hits += _hits(self.searcher, self._without_hidden(query), limit)
        if self.laid:
            query = _among(self._query(question, self.laid.searcher, counts), documents)
            hits += _hits(self.laid.searcher, query, limit)
            hits.sort(key=lambda hit: -hit.score)
        return LexicalResult(tuple(hits[:limit]), mass)

    def _query(self, question: Sequence[Sequence[str]], searcher: tantivy.Searcher, counts: "_Counts") -> Query:
        """Sum over the words, in the body and, for less, in title and headings; of a word's alternatives only the best counts.

        Each alternative weighs by the rarity of the word in the whole collection: a stem of a language that few passages
        are in looks rare, and every word looks common among a few passages in memory.
        """
        clauses: list[tuple[Occur, Query]] = []
        for alternatives in question:
            for name, weight in ((BODY, 1.0), (TITLE, TITLE_WEIGHT)):
                if len(alternatives) > 1 or self.laid:
                    weight *= counts.idf(name, alternatives)
                    own = counts if len(counts.searchers) == 1 else _Counts((searcher,))
                    present = [token for token in alternatives if own.of(name, token)]
                    terms = [_term(name, token, weight / own.idf(name, (token,))) for token in present]
                else:
                    terms = [_term(name, token, weight) for token in alternatives]
                if terms:
                    clauses.append((Occur.Should, terms[0] if len(terms) == 1 else Query.disjunction_max_query(terms)))
        return Query.boolean_query(clauses)

    def _without_hidden(self, query: Query) -> Query:
        if not self.laid or not self.laid.hidden:
            return query
        hidden = Query.term_set_query(schema(), CHUNK, list(self.laid.hidden))
        return Query.boolean_query([(Occur.Must, query), (Occur.MustNot, hidden)])


class _Counts:
    """How many chunks of some searchers have a word, each looked up once for a question."""

    def __init__(self, searchers: Sequence[tantivy.Searcher]) -> None:
        self.searchers = searchers
        self._total = sum(searcher.num_docs for searcher in searchers)
        self._known: dict[tuple[str, str], int] = {}

    def of(self, name: str, token: str) -> int:
        """Return how many chunks have a token in a field, gone ones too until segments merge."""
        found = self._known.get((name, token))
        if found is None:
            found = self._known[name, token] = sum(searcher.doc_freq(name, token) for searcher in self.searchers)
        return found

    def idf(self, name: str, alternatives: Sequence[str]) -> float:
        """Return the idf of a word, which a passage has by one of its alternatives."""
        containing = sum(self.of(name, token) for token in alternatives)
        return idf(min(containing, self._total), self._total)


def _term(name: str, token: str, weight: float) -> Query:
    term = Query.term_query(schema(), name, token, "freq")
    return term if weight == 1.0 else Query.boost_query(term, weight)


def _among(query: Query, documents: Collection[DocumentId] | None) -> Query:
    if documents is None:
        return query
    chosen = Query.const_score_query(Query.term_set_query(schema(), DOCUMENT, list(documents)), 0.0)
    return Query.boolean_query([(Occur.Must, query), (Occur.Must, chosen)])


def _hits(searcher: tantivy.Searcher, query: Query, limit: int) -> list[IndexHit]:
    found = searcher.search(query, limit, count=False).hits
    return [IndexHit(ChunkId(str(searcher.doc(address).get_first(CHUNK))), float(score)) for score, address in found]
