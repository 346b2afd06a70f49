"""BM25 search over a tantivy snapshot and the chunks laid over it in memory."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
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
    """What is published: a snapshot folder of a generation, and the languages that its chunks were stemmed for."""

    generation: str = ""
    snapshot: str = ""
    seq: int = 0
    base: int = 0
    langs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LaidWords:
    """Chunks indexed in memory, their languages, and the chunks below that no longer count."""

    index: tantivy.Index
    searcher: tantivy.Searcher
    langs: frozenset[str]
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
    def searchers(self) -> tuple[tantivy.Searcher, ...]:
        """Return what is searched: the snapshot, and what is laid over it."""
        return tuple(searcher for searcher in (self.searcher, self.laid and self.laid.searcher) if searcher)

    def search(self, text: str, *, limit: int, documents: Collection[DocumentId] | None) -> LexicalResult:
        """Return up to `limit` hits by falling BM25, and the question's idf mass. Raises `ValueError` for a damaged index."""
        present = {*self.state.langs, *(self.laid.langs if self.laid else ())}
        question = question_tokens(text, present)
        mass = sum(_idf(self.searchers, BODY, alternatives) for alternatives in question)
        if limit < 1 or not question or (documents is not None and not documents):
            return LexicalResult((), mass)
        hits: list[IndexHit] = []
        if self.searcher:
            hits += _hits(self.searcher, self._published_query(question, documents), limit)
        if self.laid:
            hits += _hits(self.laid.searcher, _among(self._laid_query(question, self.laid.searcher), documents), limit)
            hits.sort(key=lambda hit: -hit.score)
        return LexicalResult(tuple(hits[:limit]), mass)

    def _published_query(self, question: Sequence[Sequence[str]], documents: Collection[DocumentId] | None) -> Query:
        query = _among(_any_of(question, {}), documents)
        if not self.laid or not self.laid.hidden:
            return query
        hidden = Query.term_set_query(schema(), CHUNK, list(self.laid.hidden))
        return Query.boolean_query([(Occur.Must, query), (Occur.MustNot, hidden)])

    def _laid_query(self, question: Sequence[Sequence[str]], laid: tantivy.Searcher) -> Query:
        """Weigh words as in the whole collection: among a few chunks in memory every word looks common."""
        weights = {
            (field, token): _idf(self.searchers, field, (token,)) / _idf((laid,), field, (token,))
            for alternatives in question
            for token in alternatives
            for field in (TITLE, BODY)
        }
        return _any_of(question, weights)


def _idf(searchers: Sequence[tantivy.Searcher], field: str, alternatives: Sequence[str]) -> float:
    """Return the idf of the most frequent of a word's alternatives."""
    total = sum(searcher.num_docs for searcher in searchers)
    containing = max(sum(searcher.doc_freq(field, token) for searcher in searchers) for token in alternatives)
    return idf(min(containing, total), total)  # deleted chunks count among the containing until segments merge


def _any_of(question: Sequence[Sequence[str]], weights: Mapping[tuple[str, str], float]) -> Query:
    """Sum over the words, in the body and, for less, in title and headings; of a word's alternatives only the best counts."""
    clauses: list[tuple[Occur, Query]] = []
    for alternatives in question:
        for field, weight in ((BODY, 1.0), (TITLE, TITLE_WEIGHT)):
            terms = [_term(field, token, weight * weights.get((field, token), 1.0)) for token in alternatives]
            clauses.append((Occur.Should, terms[0] if len(terms) == 1 else Query.disjunction_max_query(terms)))
    return Query.boolean_query(clauses)


def _term(field: str, token: str, weight: float) -> Query:
    term = Query.term_query(schema(), field, token, "freq")
    return term if weight == 1.0 else Query.boost_query(term, weight)


def _among(query: Query, documents: Collection[DocumentId] | None) -> Query:
    if documents is None:
        return query
    chosen = Query.const_score_query(Query.term_set_query(schema(), DOCUMENT, list(documents)), 0.0)
    return Query.boolean_query([(Occur.Must, query), (Occur.Must, chosen)])


def _hits(searcher: tantivy.Searcher, query: Query, limit: int) -> list[IndexHit]:
    found = searcher.search(query, limit, count=False).hits
    return [IndexHit(ChunkId(str(searcher.doc(address).get_first(CHUNK))), float(score)) for score, address in found]
