"""Contracts of one wording: is the clause found and quoted from the party that the question names?

200 contracts whose party stands only in title and preamble, 400 questions; and 50 documents that differ in one number.
"""

import asyncio
import itertools
import random
import tempfile

from report import keep

from pincite import Pincite

FIRST = ["Alder", "Borealis", "Cobalt", "Dunmore", "Elkhorn", "Fairwind", "Granite", "Harrow", "Ironbridge", "Juniper"]
SECOND = ["Logistics", "Analytics", "Foods", "Textiles", "Robotics", "Pharma", "Shipping", "Energy", "Media", "Ceramics"]
FORM = ["Ltd", "GmbH", "Inc", "BV", "SA"]

CLAUSES = {
    "Term": "This Agreement starts on the Effective Date and runs for an initial period of two years; then it renews each year.",
    "Fees": "The Customer pays the fees set out in Annex A within thirty days of the date of each invoice, without deduction.",
    "Confidentiality": "Each party keeps the other party's information secret and uses it only for the purposes of this Agreement.",
    "Termination": "Either party may terminate this Agreement by giving sixty days' written notice to the other party.",
    "Liability": "The total liability of either party in a year is limited to the fees paid in the twelve months before the event.",
    "Data protection": "The Supplier processes personal data only on instruction and deletes them when the Agreement ends.",
    "Insurance": "The Supplier maintains professional indemnity insurance of at least five million euros for each claim.",
    "Governing law": "This Agreement is governed by the laws of the Netherlands and disputes go to the courts of Amsterdam.",
    "Assignment": "Neither party may assign this Agreement without the prior written consent of the other party.",
    "Force majeure": "A party is not liable for a failure caused by events beyond its reasonable control, as long as they last.",
}

QUESTIONS = {
    "Term": "How long is the initial period of the agreement with {party}?",
    "Fees": "Within how many days does the customer pay invoices under the {party} contract?",
    "Confidentiality": "What may {party} use our confidential information for?",
    "Termination": "What notice is needed to terminate the agreement with {party}?",
    "Liability": "To what amount is liability limited in the {party} agreement?",
    "Data protection": "When does {party} delete personal data?",
    "Insurance": "How much professional indemnity insurance must {party} maintain?",
    "Governing law": "Which law governs the contract with {party}?",
    "Assignment": "May the agreement with {party} be assigned?",
    "Force majeure": "Is {party} liable for events beyond its control?",
}


def parties(count: int) -> list[str]:
    names = [f"{first} {second} {form}" for first, second, form in itertools.product(FIRST, SECOND, FORM)]
    return random.Random(7).sample(names, count)


def contract(party: str) -> str:
    lines = [f"# Services Agreement with {party}", "", f"This Agreement is made between Northgate Holdings plc and {party}.", ""]
    for number, (name, text) in enumerate(CLAUSES.items(), 1):
        lines += [f"## {number} {name}", "", text, ""]
    return "\n".join(lines)


async def named_parties() -> list[str]:
    rng = random.Random(11)
    names = parties(200)
    top = first = asked = 0
    with tempfile.TemporaryDirectory() as home:
        async with Pincite(home) as client:
            for party in names:
                await client.add_text(contract(party), path=f"contracts/{party.lower().replace(' ', '-')}.md")
            for party in names:
                for clause in rng.sample(sorted(CLAUSES), 2):
                    sources = await client.search(QUESTIONS[clause].format(party=party), limit=6)
                    right = [party in s.title and any(CLAUSES[clause] in p.text for p in s.passages) for s in sources]
                    asked += 1
                    top += any(right)
                    passages = [p for s in sources for p in s.passages]
                    best = max(passages, key=lambda p: p.scores.fused)
                    first += party in best.title and CLAUSES[clause] in best.text
    return [
        f"named party, {asked} questions: right clause in the top 6 {top / asked:.3f} (bar .98)",
        f"the right clause first {first / asked:.3f} (bar .70)",
    ]


async def one_number() -> list[str]:
    names = parties(50)
    right = 0
    with tempfile.TemporaryDirectory() as home:
        async with Pincite(home) as client:
            for number, party in enumerate(names):
                text = (
                    f"# Lease of {party}\n\n## 4 Notice\n\nThe tenant may end the lease with {number + 31} days' written notice.\n"
                )
                await client.add_text(text, path=f"leases/{number}.md")
            for number, party in enumerate(names):
                answer = await client.ask(f"How many days' notice ends the lease of {party}?")
                quotes = [quote.text for citation in answer.citations for quote in citation.quotes]
                right += bool(quotes) and all(f"{number + 31} days" in quote for quote in quotes)
    return [f"one clause that differs in one number, asked by name: quote from the named document {right} of 50 (bar 50)"]


async def main() -> None:
    keep("contracts", [*(await named_parties()), *(await one_number())])


if __name__ == "__main__":
    asyncio.run(main())
