"""What became of quotes, told against the store: by receipt, and for all answers of a collection."""

from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.answering.receipting import CHECKS, WORKSPACE, issued, record_of

from pincite import Pincite, Standing, check_receipt
from pincite.adapters.memory.store import MemoryStore
from pincite.answering.receipts import document_of
from pincite.answering.standings import Standings
from pincite.core.answers import FrozenQuote
from pincite.core.ids import DocumentId
from pincite.settings import load_settings

LEASE = "# Lease\n\nThe notice period is sixty days. The rent is 1,200 euros a month.\n\nPets are allowed in the garden.\n"


@pytest.fixture
async def client(tmp_path: Path) -> AsyncGenerator[Pincite]:
    async with Pincite(settings=load_settings({}, home=str(tmp_path / "home"), embedding="none")) as client:
        await client.add_text(LEASE, path="lease.md")
        yield client


async def receipt_of(client: Pincite, question: str = "What is the rent?", *, withhold: tuple[int, ...] = ()) -> bytes:
    return await client.receipt((await client.ask(question)).message_id, withhold=withhold)


async def told(client: Pincite, receipt: bytes) -> tuple[Standing, str, str]:
    [found] = await client.verify(check_receipt(receipt))
    return found.standing, found.quote.text or "", found.text


async def test_words_that_a_receipt_withholds_are_compared_where_the_store_has_them(client: Pincite) -> None:
    receipt = await receipt_of(client, withhold=(1,))
    assert (await told(client, receipt))[0] is Standing.UNCHANGED
    await client.add_text(LEASE.replace("1,200", "1,300"), path="lease.md")
    assert await told(client, receipt) == (
        Standing.CHANGED,
        "The rent is 1,200 euros a month.",
        "The rent is 1,300 euros a month.",
    )


async def test_a_document_that_comes_back_as_it_was_says_its_quotes_again(client: Pincite) -> None:
    receipt = await receipt_of(client)
    await client.add_text("# Lease\n\nNothing.", path="lease.md")
    assert (await told(client, receipt))[0] is Standing.GONE
    await client.add_text(LEASE, path="lease.md")
    assert (await told(client, receipt))[0] is Standing.UNCHANGED


async def test_a_removed_document_is_gone_and_its_twin_is_named(client: Pincite) -> None:
    receipt = await receipt_of(client)
    await client.add_text(LEASE, path="copy.md")
    await client.remove("lease.md")
    [found] = await client.verify(check_receipt(receipt))
    assert (found.standing, found.path) == (Standing.GONE, "lease.md")
    assert "copy.md has the same bytes" in found.reason


async def test_another_store_says_nothing_of_what_it_never_knew(client: Pincite, tmp_path: Path) -> None:
    receipt = await receipt_of(client)
    async with Pincite(settings=load_settings({}, home=str(tmp_path / "other"), embedding="none")) as other:
        assert (await told(other, receipt))[0] is Standing.NOT_COMPARED


async def test_drift_lists_answers_of_the_collection_alone(client: Pincite) -> None:
    await client.ask("What is the rent?")
    await client.ask("Are pets allowed?")
    async with Pincite(settings=client.settings, collection="other") as other:
        await other.add_text("# Fees\n\nThe fee is five percent. Late payment costs ten euros a day.", path="fees.md")
        await other.ask("What is the fee in percent?")
        await client.add_text(LEASE.replace("Pets are", "Cats are"), path="lease.md")
        assert [(each.question, each.has_drifted) async for each in client.drift()] == [
            ("What is the rent?", False),
            ("Are pets allowed?", True),
        ]
        assert [(each.question, each.has_drifted) async for each in other.drift()] == [("What is the fee in percent?", False)]
    await client.remove("lease.md")
    assert [[quote.standing for quote in each.quotes] async for each in client.drift()] == [[Standing.GONE], [Standing.GONE]]
    await client.erase("lease.md")
    assert [[quote.standing for quote in each.quotes] async for each in client.drift()] == [[Standing.ERASED], [Standing.ERASED]]


async def test_a_quote_of_a_retriever_of_ones_own_is_not_compared() -> None:
    record = record_of("A quote.")
    record = replace(record, evidence=tuple(map(_nowhere, record.evidence)))
    checked = CHECKS.check(document_of(issued(record), record))
    [found] = await Standings(MemoryStore(), WORKSPACE).of_receipt(checked)
    assert found.standing is Standing.NOT_COMPARED


def _nowhere(quote: FrozenQuote) -> FrozenQuote:
    return replace(quote, document_id=DocumentId(""))
