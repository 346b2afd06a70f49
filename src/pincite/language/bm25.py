"""What every lexical index must agree on: fields, BM25's figures, and the words of a question.

BM25 as in Robertson and Zaragoza 2009, "The Probabilistic Relevance Framework", with the idf that stays positive.
"""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping

from pincite.language.detect import detect
from pincite.language.stems import index_tokens, query_tokens

K1 = 1.2
B = 0.75
TITLE_WEIGHT = 0.3
"""What a word in title or headings counts beside its count in the body, which holds them too. Chosen on four sets."""


def idf(containing: int, total: int) -> float:
    """Return the inverse document frequency of a word that `containing` of `total` chunks have."""
    return math.log(1 + (total - containing + 0.5) / (containing + 0.5))


def chunk_languages(chunks: Iterable[tuple[str, str]], known: Mapping[str, int]) -> list[str]:
    """Return for each chunk, given as (declared language, text), the language that it is stemmed for.

    Where none is declared it is detected; where that is unsure (tables, lists of names) the chunk is taken for the most
    frequent language among these chunks and those `known`, given as counts. "" when there is none.
    """
    found = [declared.split("-")[0].lower() or detect(text) for declared, text in chunks]
    counts = Counter(known)
    counts.update(found)
    counts.pop("", None)
    usual = min(counts, key=lambda code: (-counts[code], code), default="")
    return [code or usual for code in found]


def title_tokens(title: str, heading_path: tuple[str, ...], lang: str) -> list[str]:
    """Return the tokens of a chunk's title and headings."""
    return index_tokens(_trail(title, heading_path), lang)


def body_tokens(title: str, heading_path: tuple[str, ...], text: str, *, lang: str) -> list[str]:
    """Return the tokens of a chunk after those of its title and headings, also where the text repeats them."""
    return index_tokens(f"{_trail(title, heading_path)}\n{text}", lang)


def _trail(title: str, heading_path: tuple[str, ...]) -> str:
    return " › ".join(dict.fromkeys((title, *heading_path)))


def question_tokens(text: str, present: Collection[str]) -> list[tuple[str, ...]]:
    """Return for each word of a question the tokens that stand for it in an index that has the languages `present`.

    Each language of the index gives an alternative, also when the question's own is known: a name has another stem in a
    passage of another language. ("" is there when some chunks were of no known language, and so not stemmed.)
    """
    named = sorted(code for code in present if code)
    asked = detect(text) or detect(text, among=named)
    return query_tokens(text, [*named, ""] if "" in present else named, asked=asked)
