"""200 receipts over a collection that is edited afterwards: what each is told, what it costs, and whether a changed byte is missed.

python bench/receipts.py
"""

import asyncio
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import wrap

from clock import cpu_s
from contract_files import pdf_of
from report import keep, table

from pincite import CheckedReceipt, Pincite, PinciteError, QuoteStanding, Standing, check_receipt
from pincite.settings import load_settings

QUESTIONS = 4
THINGS = ("notice", "warranty", "licence", "deposit")
NUMBERS = ("twelve", "thirty", "forty", "sixty", "seventy", "eighty")
SYLLABLES = ("bar", "den", "fol", "gim", "hul", "kor", "lam", "mir", "nas", "pol")
FILLER = "Whoever signs below has read all of this and keeps a copy of it among the papers of the firm."


@dataclass(frozen=True)
class Contract:
    """A document of four pages, a sentence to be asked about on each."""

    number: int

    @property
    def party(self) -> str:
        return "".join(SYLLABLES[int(digit)] for digit in f"{self.number:03}").title()

    @property
    def path(self) -> str:
        return f"contract-{self.number:03}.pdf"

    def sentence(self, page: int, *, changed: bool = False) -> str:
        number = NUMBERS[(self.number + page + changed) % len(NUMBERS)]
        return f"For {self.party} the {THINGS[page]} lasts {number} days from the day on which a letter about it was received."

    def opening(self, page: int) -> str:
        rest = " ".join(f"point {NUMBERS[(page + at) % 6]} names the {THINGS[at - page]}," for at in range(page + 2))
        return f"What {self.party} agreed on stands here in part {page + 1}: {rest} and no more."

    def question(self, page: int) -> str:
        return f"For {self.party}, how many days does the {THINGS[page]} last?"

    def pages(self, *, width: int = 88, sentences: Callable[[int], str] | None = None) -> list[list[str]]:
        told = sentences or self.sentence
        return [wrap(f"{self.opening(page)} {told(page)} {FILLER}", width) for page in range(QUESTIONS)]


Edit = Callable[[Contract], list[list[str]] | None]
EDITS: dict[str, tuple[int, Standing, Edit]] = {
    "left as it is": (8, Standing.UNCHANGED, lambda each: each.pages()),
    "lines broken elsewhere": (7, Standing.UNCHANGED, lambda each: each.pages(width=61)),
    "a page put in front": (7, Standing.MOVED, lambda each: [wrap(FILLER, 88), *each.pages()]),
    "a word changed": (7, Standing.CHANGED, lambda each: each.pages(sentences=lambda page: each.sentence(page, changed=True))),
    "the sentence left out": (7, Standing.GONE, lambda each: each.pages(sentences=lambda page: "")),
    "the file deleted": (7, Standing.GONE, lambda each: None),
    "the document erased": (7, Standing.ERASED, lambda each: None),
}


@dataclass
class Row:
    """What came of one kind of edit."""

    wanted: Standing
    found: Counter[Standing] = field(default_factory=Counter[Standing])
    texts_right: int = 0


def plan() -> list[tuple[Contract, str]]:
    kinds = [kind for kind, (count, _, _) in EDITS.items() for _ in range(count)]
    return [(Contract(number), kind) for number, kind in enumerate(kinds)]


async def run(folder: Path) -> list[str]:
    files = folder / "files"
    files.mkdir()
    contracts = plan()
    for each, _ in contracts:
        (files / each.path).write_bytes(pdf_of(each.pages(), each.party))
    async with Pincite(settings=load_settings({}, home=str(folder / "home"), embedding="none")) as client:
        await client.sync_folders(files)
        messages = await asked(client, [each for each, _ in contracts])
        receipts = {message: await client.receipt(message) for message in messages}
        lines = [*away(folder, list(receipts.values())), *await withheld(client, messages)]
        lines += changed_bytes(
            {
                "a receipt": receipts[messages[0]],
                "one without its passages": await client.receipt(
                    messages[1], withhold=labels(check_receipt(receipts[messages[1]]))
                ),
                "one of a declined question": await client.receipt((await client.ask("Zxqv wvut?")).message_id),
            }
        )
        await edited(client, files, contracts)
        rows, found_s = await compared(client, contracts, messages, receipts)
        drift_s, drifted = await drift(client)
    told = [
        [kind, row.wanted.value, str(sum(row.found.values())), str(row.found[row.wanted]), str(row.texts_right)]
        for kind, row in rows.items()
    ]
    right = sum(row.found[row.wanted] for row in rows.values())
    return [
        f"{len(messages)} receipts: {right} told right after the edits.",
        "",
        *table(["edit", "wanted", "receipts", "told right", "both texts right"], told),
        "",
        *lines,
        f"Comparing a receipt's quotes took {found_s * 1000 / len(messages):.1f} ms of CPU.",
        f"`drift` looked at all answers in {drift_s:.1f} s of CPU and named {drifted}. Load {os.getloadavg()[0]:.1f}.",
    ]


async def asked(client: Pincite, contracts: Sequence[Contract]) -> list[str]:
    messages: list[str] = []
    for each in contracts:
        for page in range(QUESTIONS):
            answer = await client.ask(each.question(page))
            quotes = [quote.text for citation in answer.citations for quote in citation.quotes]
            if quotes[:1] != [each.sentence(page)] or not set(quotes) <= {each.sentence(at) for at in range(QUESTIONS)}:
                raise SystemExit(f"The bench is wrong: {each.question(page)} was answered with {quotes}.")
            messages.append(answer.message_id)
    return messages


def cpu_of(work: Callable[[], object]) -> float:
    began = cpu_s()
    work()
    return cpu_s() - began


def away(folder: Path, receipts: Sequence[bytes]) -> list[str]:
    """Check all of them as another installation does, without the key, in one process."""
    place = folder / "receipts"
    place.mkdir()
    names = [f"{number:03}.json" for number in range(len(receipts))]
    for name, data in zip(names, receipts, strict=True):
        (place / name).write_bytes(data)
    environment = os.environ | {"PINCITE_HOME": str(folder / "elsewhere")}
    done = subprocess.run(
        [sys.executable, "-m", "pincite", "verify", *names], cwd=place, env=environment, capture_output=True, text=True, check=False
    )
    lines = done.stdout.splitlines()
    verified = sum(line.startswith("verified") for line in lines)
    follow = sum("follows receipt" in line for line in lines)
    check_s = cpu_of(lambda: [check_receipt(data) for data in receipts])
    size = sum(map(len, receipts)) / len(receipts)
    return [
        f"Another installation, without key and store: {verified} of {len(receipts)} verified, {follow} follow the one before.",
        f"Its exit code was {done.returncode}, and it left {'something' if (folder / 'elsewhere').exists() else 'nothing'} behind.",
        f"A receipt has {size:,.0f} bytes, and takes {check_s * 1000 / len(receipts):.2f} ms of CPU to check.",
    ]


async def withheld(client: Pincite, messages: Iterable[str]) -> list[str]:
    sound = silent = count = 0
    for message in messages:
        whole = check_receipt(await client.receipt(message))
        data = await client.receipt(message, withhold=labels(whole))
        checked = check_receipt(data)
        texts = [whole.text(f"passages/{at}") or "" for at in range(len(whole.passages))]
        count += 1
        sound += not checked.faults and checked.id == whole.id and checked.text("passages/0") is None
        silent += all(text.encode() not in data for text in texts)
    return [f"Without their passages: {sound} of {count} verify, and {silent} hold none of their words."]


def labels(receipt: CheckedReceipt) -> list[int]:
    return sorted({int(passage["n"]) for passage in receipt.passages})


def changed_bytes(receipts: dict[str, bytes]) -> list[str]:
    """Change every byte of some receipts: each of its bits, and to signs that mean something in JSON."""
    lines: list[str] = []
    for name, data in receipts.items():
        tried = missed = 0
        for at, byte in enumerate(data):
            for other in {*(byte ^ 1 << bit for bit in range(8)), 0x00, 0x20, 0x22, 0x5C, 0x7B, 0xFF} - {byte}:
                tried += 1
                missed += is_sound(data[:at] + bytes([other]) + data[at + 1 :])
        lines.append(f"Every byte of {name} ({len(data):,} bytes): {tried:,} changes, {missed} missed.")
    return lines


def is_sound(data: bytes) -> bool:
    try:
        return not check_receipt(data).faults
    except PinciteError:
        return False


async def edited(client: Pincite, files: Path, contracts: Sequence[tuple[Contract, str]]) -> None:
    for each, kind in contracts:
        pages = EDITS[kind][2](each)
        if pages is None:
            (files / each.path).unlink()
        else:
            (files / each.path).write_bytes(pdf_of(pages, each.party))
    for each, kind in contracts:
        if EDITS[kind][1] is Standing.ERASED:
            await client.erase(f"files/{each.path}")
    report = await client.sync_folders(files, prune="all")
    failed = [change.path for change in report.changes if change.reason]
    if failed:
        raise SystemExit(f"The bench is wrong: {failed} failed.")


async def compared(
    client: Pincite, contracts: Sequence[tuple[Contract, str]], messages: Sequence[str], receipts: dict[str, bytes]
) -> tuple[dict[str, Row], float]:
    rows = {kind: Row(wanted) for kind, (_, wanted, _) in EDITS.items()}
    asked_for = [(each, kind, page) for each, kind in contracts for page in range(QUESTIONS)]
    spent = 0.0
    for (each, kind, page), message in zip(asked_for, messages, strict=True):
        checked: CheckedReceipt = check_receipt(receipts[message])
        began = cpu_s()
        quotes = await client.verify(checked)
        spent += cpu_s() - began
        standings = {quote.standing for quote in quotes}
        rows[kind].found[standings.pop() if len(standings) == 1 else Standing.NOT_COMPARED] += 1
        rows[kind].texts_right += quotes[0].quote.text == each.sentence(page) and all(right_text(each, quote) for quote in quotes)
    return rows, spent


def right_text(contract: Contract, found: QuoteStanding) -> bool:
    """Say whether the words of now are those that the edit left in the place of the words of then."""
    if not found.text:
        return found.standing in (Standing.GONE, Standing.ERASED)
    is_changed = found.standing is Standing.CHANGED
    return (found.quote.text, " ".join(found.text.split())) in {
        (contract.sentence(page), contract.sentence(page, changed=is_changed)) for page in range(QUESTIONS)
    }


async def drift(client: Pincite) -> tuple[float, int]:
    began, drifted = cpu_s(), 0
    async for each in client.drift():
        drifted += each.has_drifted
    return cpu_s() - began, drifted


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        keep("receipts", asyncio.run(run(Path(scratch))))
