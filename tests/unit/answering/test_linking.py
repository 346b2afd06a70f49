"""Sentences of other documents than the best one's: those that something names count more, others less."""

from pincite.answering.naming import name_words
from pincite.answering.segments import Segment
from pincite.answering.selection import Candidate, linked, select
from pincite.core.evidence import Passage
from pincite.core.ids import DocumentId

ASKED = "Where is the publisher of her first novel based?"


def candidate(n: int, title: str, text: str, logit: float, *, literal: bool = False) -> Candidate:
    passage = Passage(text, DocumentId(title or str(n)), title=title, end=len(text))
    return Candidate(n, passage, Segment(0, len(text), text), 0.5, logit, literal)


NOVEL = candidate(1, "Grace Krilanovich", "Her first novel was published by Two Dollar Radio.", 2.0)
PUBLISHER = candidate(2, "Two Dollar Radio (publisher)", "It is a family-run house based in Columbus, Ohio.", 0.2)
OTHER = candidate(3, "Penguin Books", "The publisher is based in London.", 0.9)


def test_a_document_that_the_best_sentence_names_comes_before_one_that_nothing_names() -> None:
    assert [one.n for one in linked(ASKED, [NOVEL, OTHER, PUBLISHER])] == [1, 2, 3]
    assert [one.n for one in select(linked(ASKED, [NOVEL, OTHER, PUBLISHER]))] == [1, 2]


def test_a_document_that_the_question_names_counts_as_named() -> None:
    asked = "Is Penguin Books or her publisher based in Ohio?"
    assert [one.n for one in linked(asked, [NOVEL, OTHER])] == [1, 3]
    assert linked(asked, [NOVEL, OTHER])[1].logit > OTHER.logit


def test_the_same_document_and_documents_without_a_title_keep_their_weight() -> None:
    same = candidate(4, "Grace Krilanovich", "She lives in California.", 1.0)
    untitled = candidate(5, "", "The publisher is based in Leeds.", 0.8)
    assert linked(ASKED, [NOVEL, same, untitled]) == [NOVEL, same, untitled]


def test_a_literal_match_and_nothing_at_all_stay_as_they_are() -> None:
    literal = candidate(1, "Grace Krilanovich", "Her first novel.", 9.0, literal=True)
    assert linked(ASKED, [literal, OTHER]) == [literal, OTHER]
    assert linked(ASKED, []) == []


def test_what_stands_in_brackets_of_a_title_names_nothing() -> None:
    assert name_words("Alexandria International Airport (Louisiana)") == {"alexandria", "international", "airport"}
    assert name_words("(A) B") == frozenset()
