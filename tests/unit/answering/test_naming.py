from pincite.answering.naming import named_sources
from pincite.core.evidence import Passage, Source


def left(question: str, *titles: str) -> list[str]:
    sources = [Source(n, (Passage("text", title=title),)) for n, title in enumerate(titles, 1)]
    return [source.title for source in named_sources(question, sources)]


LEASES = ("Lease of Elkhorn Logistics Inc", "Lease of Elkhorn Logistics BV", "Lease of Alder Foods Inc")


def test_documents_called_alike_that_the_question_names_less_fully_are_left_out() -> None:
    assert left("What ends the lease of Elkhorn Logistics Inc?", *LEASES) == [LEASES[0]]


def test_documents_named_equally_well_stay() -> None:
    assert left("Compare the leases of Elkhorn Logistics", *LEASES) == [*LEASES[:2]]
    assert left("What does a tenant pay?", *LEASES) == [*LEASES]


def test_a_document_of_another_name_stays() -> None:
    assert left("What does the lease of Alder Foods Inc say of rent?", *LEASES, "Rent guide") == [LEASES[2], "Rent guide"]


def test_documents_without_a_name_stay() -> None:
    assert left("What ends the lease?", "", "") == ["", ""]
