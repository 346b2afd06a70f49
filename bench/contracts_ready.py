"""How soon are many long contracts answerable? 200 PDF contracts of 30 pages, some with a page that can't be read.

python bench/contracts_ready.py [SLOTS] [CONTRACTS]

They are uploaded at once and read by one `pincite worker` with the local embedding model. What counts is the time from the first
upload until each contract is found by its words (`searchable`), and whether `scope` names every page that wasn't read.
"""

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from contract_files import contract_pages, pdf_of
from report import keep, table

from contracts import CLAUSES, QUESTIONS, parties
from pincite import Pincite
from pincite.core.evidence import Scope
from pincite.ingest.arrivals import Arrival

CONTRACTS = 200
PAGES = 30
UNREAD_EVERY = 20
BAR_S = 60.0
ASKED = 40
LONGEST_S = 1800.0


def files(count: int) -> dict[str, bytes]:
    """Return contracts by name; a page of every twentieth is a picture without text."""
    made: dict[str, bytes] = {}
    for number, party in enumerate(parties(count)):
        pages: list[list[str] | None] = [*contract_pages(party, CLAUSES, pages=PAGES, seed=number)]
        if number % UNREAD_EVERY == 0:
            pages[PAGES // 2] = None
        made[f"{party.lower().replace(' ', '-')}.pdf"] = pdf_of(pages, f"Services Agreement with {party}")
    return made


async def scope_of(client: Pincite) -> Scope:
    collection = await client.collection()
    async with client.services.store.open(client.services.workspace_id) as work:
        return await work.collections.scope(collection.id)


async def until_searchable(client: Pincite, count: int, began: float) -> tuple[list[float], Scope]:
    """Return when a quarter, half, three quarters and all were searchable, and the scope then."""
    marks, shares = list[float](), [count // 4, count // 2, count * 3 // 4, count]
    while time.monotonic() - began < LONGEST_S:
        scope = await scope_of(client)
        while len(marks) < len(shares) and scope.searchable >= shares[len(marks)]:
            marks.append(time.monotonic() - began)
        if len(marks) == len(shares):
            return marks, scope
        await asyncio.sleep(0.25)
    raise SystemExit("The contracts were not searchable in half an hour.")


async def found(client: Pincite, names: list[str]) -> int:
    """Count the questions by party that are answered with the clause of the right contract."""
    right = 0
    for number in range(ASKED):
        party = names[number * len(names) // ASKED]
        clause = sorted(QUESTIONS)[number % len(QUESTIONS)]
        hits = await client.search(QUESTIONS[clause].format(party=party), limit=6)
        right += any(party in hit.title for hit in hits)
    return right


def tree_cpu_s(pid: int) -> float:
    """Return the CPU seconds of a process and all below it, as Linux tells them; of ended ones as far as their parents know."""
    spent, ticks = 0.0, os.sysconf("SC_CLK_TCK")
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            spent += tree_cpu_s(int(child))
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return spent + sum(map(int, fields[11:15])) / ticks


async def main(slots: int, count: int) -> None:
    made = files(count)
    unread = sum(number % UNREAD_EVERY == 0 for number in range(count))
    with tempfile.TemporaryDirectory() as home:
        # What isn't read must be told, so nothing reads it.
        environment = {**os.environ, "PINCITE_HOME": home, "PINCITE_OCR": "off"}
        async with Pincite(home) as client:
            collection = await client.collection(create=True)
            pincite = Path(sys.executable).with_name("pincite")
            command = [str(pincite), "worker", "--slots", str(slots)]
            worker = await asyncio.create_subprocess_exec(*command, env=environment, stderr=subprocess.DEVNULL)
            try:
                began = time.monotonic()
                for name, data in made.items():
                    await client.services.ingestor.receive(collection, Arrival(name, name, data, is_queued=True))
                uploaded = time.monotonic() - began
                marks, scope = await until_searchable(client, count, began)
                load, spent_s = os.getloadavg()[0], tree_cpu_s(worker.pid)
                right = await found(client, parties(count))
            finally:
                worker.terminate()
                await worker.wait()
    told = [*(f"{mark:.0f} s" for mark in marks), f"{scope.pages_unread} of {unread}", f"{right} of {ASKED}"]
    size_mb = sum(map(len, made.values())) / 1e6
    header = ["a quarter", "half", "three quarters", "all searchable", "unread pages in `scope`", "right contract in the top 6"]
    lines = [
        f"{count} PDF contracts of {PAGES} pages ({size_mb:.0f} MB, one page in {unread} of them without a text layer), uploaded",
        f"in {uploaded:.1f} s, one worker with {slots} slots, local embedding model. Bar: all searchable in {BAR_S:.0f} s.",
        f"Others use this machine of two cores: its load was {load:.1f} at the end. The worker and its readers took",
        f"{spent_s:.0f} s of CPU until then: {spent_s / count:.2f} s a contract.",
        "",
        *table(header, [told]),
        "",
        f"Of them {scope.ready} were ready by then, that is with all of their vectors.",
    ]
    keep("contracts-ready", lines)


asyncio.run(main(*(int(word) for word in [*sys.argv[1:], *("2", str(CONTRACTS))[len(sys.argv) - 1 :]])))
