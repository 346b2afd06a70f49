"""Which documents a question names, among documents that are called alike. Pure."""

import re
from collections.abc import Sequence

from pincite.core.evidence import Source
from pincite.language.words import words

LEAST_LETTERS = 3
LIKE_SHARE = 0.5
"""Share of the words of the shorter name that two names have in common when they are called alike."""


_IN_BRACKETS = re.compile(r"\([^)]*\)")


def named_sources(question: str, sources: Sequence[Source]) -> tuple[Source, ...]:
    """Leave out what a question that names a document doesn't mean: documents called alike whose name it matches less.

    Asked of the lease of Elkhorn Logistics Inc, the lease of Elkhorn Logistics BV is left out; a handbook of another name stays,
    and so does every document when none is named, or when several are named equally well.
    """
    asked = set(words(question))
    names = [_name(source) for source in sources]
    said = [name & asked for name in names]
    return tuple(
        source
        for source, name, matched in zip(sources, names, said, strict=True)
        if not any(other > matched and _alike(name, other_name) for other, other_name in zip(said, names, strict=True))
    )


def name_words(title: str) -> frozenset[str]:
    """Return the words by which a text names a document: those of its title, without what stands in brackets there."""
    return frozenset(word for word in words(_IN_BRACKETS.sub(" ", title)) if len(word) >= LEAST_LETTERS)


def _name(source: Source) -> frozenset[str]:
    file_name = source.best.path.rsplit("/", 1)[-1].rsplit(".", 1)[0]
    return frozenset(words(f"{source.title} {file_name.replace('_', ' ')}"))


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    return len(one & other) >= LIKE_SHARE * min(len(one), len(other))
