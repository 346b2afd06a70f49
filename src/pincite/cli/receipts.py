"""Commands about receipts: hand them out, check them, find answers whose support changed, and show the key."""

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pincite.cli.options import collection_option, json_option, with_client
from pincite.cli.render import EXIT_PARTIAL, EXIT_REFUSED, error_dict, exit_code, note, print_json
from pincite.core.errors import PinciteError, UsageError
from pincite.core.standings import QuoteStanding, Standing
from pincite.ingest.naming import printable

if TYPE_CHECKING:
    from pincite.answering.receipt_checks import CheckedReceipt
    from pincite.answering.standings import AnswerStandings
    from pincite.client import Pincite
    from pincite.settings import Settings

_COLOURS = {"unchanged": "green", "moved": "cyan", "changed": "yellow", "gone": "red", "erased": "red", "not_compared": None}
_SHOWN = 300


@dataclass(frozen=True, slots=True)
class Verified:
    """What was found out about one file: the receipt with its quotes' standings, or why it is none."""

    file: str
    receipt: "CheckedReceipt | None" = None
    quotes: Sequence[QuoteStanding] | None = None
    error: PinciteError | None = None
    is_own: bool = False

    @property
    def exit_code(self) -> int:
        """Return how the command ends for it."""
        if self.error:
            return exit_code(self.error)
        if self.receipt is None or self.receipt.faults:
            return EXIT_REFUSED
        return EXIT_PARTIAL if any(each.standing.is_lost for each in self.quotes or ()) else 0


@click.command()
@click.argument("message", default="last")
@click.option("-o", "--out", type=click.Path(dir_okay=False, path_type=Path), help="Write it to this file.")
@click.option("--withhold", multiple=True, help="Don't show a passage (its label: 2) or `question`. It verifies all the same.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, as without: a receipt is JSON.")
def receipt(message: str, out: Path | None, withhold: tuple[str, ...], as_json: bool) -> None:
    """Print the signed receipt of an answer, named by its message_id; without one, of the last answer.

    Keep it byte for byte: `pincite verify` finds any change.
    """

    async def work(client: "Pincite") -> bytes:
        message_id = await client.services.receipts.last() if message == "last" else message
        return await client.receipt(message_id, withhold=withhold)

    data = with_client("default", work)
    if out is None:
        click.echo(data, nl=False)
        return
    try:
        out.write_bytes(data)
    except OSError as error:
        raise UsageError(f"{printable(str(out))} can't be written ({error.strerror}). Name another file.") from error
    note(f"{printable(str(out))}: {len(data):,} bytes. `pincite verify {printable(str(out))}` checks it.")


@click.command()
@click.argument("files", nargs=-1, required=True)
@click.option("--key", default="", help="The key (hex, or a file with it) that they must be signed with; see `pincite key`.")
@click.option("--offline", is_flag=True, help="Don't compare the quotes with the documents here.")
@json_option
def verify(files: tuple[str, ...], key: str, offline: bool, as_json: bool) -> None:
    """Check receipts: signature, contents, chain, time stamp, and what became of their quotes.

    Nothing but the file is needed. Where PINCITE_HOME holds a store, each quote is compared with the document as it is now. Of
    several receipts those that follow each other are checked as a chain.

    Ends with 4 when a receipt isn't as it was issued, with 1 when a quote was changed, erased, or is gone, else with 0.
    """
    from pincite.settings import load_settings

    settings = load_settings()
    found = _compared(_checked(files, _key(key), settings), settings, offline=offline)
    if as_json:
        print_json({"receipts": [_verified_dict(each) for each in found]})
    else:
        for each in found:
            _tell(each)
        if not key and any(each.receipt and not each.is_own and not each.receipt.faults for each in found):
            note("A receipt can't say whose key it was signed with: compare it with what `pincite key` prints there (--key).")
    if worst := max(each.exit_code for each in found):
        raise click.exceptions.Exit(worst)


@click.command()
@collection_option
@json_option
def drift(collection: str, as_json: bool) -> None:
    """Compare the quotes of all stored answers with the documents as they are now; list the answers whose support changed.

    Ends with 1 when a quote was changed, erased, or is gone, else with 0: what only moved to another page still stands.
    """

    async def work(client: "Pincite") -> "tuple[int, list[AnswerStandings]]":
        count, drifted = 0, list["AnswerStandings"]()
        async for each in client.drift():
            count += 1
            drifted += [each] if each.has_drifted else []
        return count, drifted

    count, drifted = with_client(collection, work)
    if as_json:
        print_json({"answers": count, "drifted": [_answer_dict(each) for each in drifted]})
    else:
        for each in drifted:
            click.echo(click.style(f"{each.message_id}  {_short(each.question)}", bold=True))
            _tell_quotes(each.quotes)
        click.echo(f"{len(drifted)} of {count} answers with quotes have some that aren't where they were, as they were.")
    if any(quote.standing.is_lost for each in drifted for quote in each.quotes):
        raise click.exceptions.Exit(EXIT_PARTIAL)


@click.command("key")
@click.option("--new", is_flag=True, help="Make another key; the old one is kept beside. Receipts that it signed stay valid.")
@json_option
def key_command(new: bool, as_json: bool) -> None:
    """Print the public key with which this installation signs receipts. Give it to whoever is to verify them."""
    from pincite.bootstrap import receipt_key
    from pincite.settings import load_settings

    key_file = receipt_key(load_settings())
    public, aside = key_file.renew() if new else (key_file.public_key(), None)
    if as_json:
        print_json({"public_key": public, "algorithm": "Ed25519", "kept_old_key": str(aside) if aside else None})
        return
    click.echo(public)
    if aside:
        note(f"The old key was kept as {printable(str(aside))}. Start servers again: they sign with the one that they began with.")


def _standard_input() -> bytes:
    from pincite.answering.receipt_checks import MOST_BYTES

    return sys.stdin.buffer.read(MOST_BYTES + 1)


def _key(named: str) -> str:
    """Return the key that `--key` means. Raises `UsageError`."""
    text = named.strip()
    if text and not _is_key(text):
        try:
            text = Path(text).read_text(encoding="ascii").strip()
        except (OSError, ValueError):
            text = ""
        if not _is_key(text):
            raise UsageError("--key takes 64 hex digits, as `pincite key` prints them, or a file that holds them.", code="key")
    return text.lower()


def _is_key(text: str) -> bool:
    return len(text) == 64 and all(character in "0123456789abcdefABCDEF" for character in text)


def _checked(files: Sequence[str], key: str, settings: "Settings") -> list[Verified]:
    """Check each file by itself, and those that follow each other once more as that."""
    from pincite.client import check_receipt

    data: dict[str, bytes | str] = {file: _standard_input() if file == "-" else file for file in files}
    alone: dict[str, Verified] = {}
    for file, given in data.items():
        try:
            alone[file] = Verified(file, check_receipt(given, key=key, settings=settings))
        except PinciteError as error:
            alone[file] = Verified(file, error=error)
    chains = {(each.receipt.chain["workspace_id"], each.receipt.number): each.receipt for each in alone.values() if each.receipt}
    for file, found in alone.items():
        before = chains.get((found.receipt.chain["workspace_id"], found.receipt.number - 1)) if found.receipt else None
        if before:
            alone[file] = Verified(file, check_receipt(data[file], key=key, previous=before, settings=settings))
    return list(alone.values())


def _compared(found: Sequence[Verified], settings: "Settings", *, offline: bool) -> list[Verified]:
    """Compare the quotes of those that are sound with the store, if there is one."""
    from pincite.bootstrap import receipt_key
    from pincite.upkeep.manifest import DATABASE

    if offline or not (settings.home_path / DATABASE).exists():
        return list(found)
    own = receipt_key(settings).told()

    async def work(client: "Pincite") -> list[Verified]:
        return [
            Verified(each.file, each.receipt, await client.verify(each.receipt), None, each.receipt.public_key == own)
            if each.receipt and not each.receipt.faults
            else each
            for each in found
        ]

    try:
        return with_client("default", work)
    except PinciteError as error:
        note(f"The quotes were not compared with the documents here. {error.message}")
        return list(found)


def _tell(found: Verified) -> None:
    name = printable(os.path.basename(found.file))
    if found.error or found.receipt is None:
        if found.error:
            click.echo(click.style("refused", fg="red") + f"   {name}: {found.error.message}")
        return
    receipt = found.receipt
    if receipt.faults:
        click.echo(click.style("failed", fg="red") + f"    {name}: {' '.join(fault.message for fault in receipt.faults)}")
        return
    click.echo(click.style("verified", fg="green") + f"  {name}: {_summary(found, receipt)}")
    _tell_quotes(found.quotes or ())


def _summary(found: Verified, receipt: "CheckedReceipt") -> str:
    shown = sum(receipt.text(f"passages/{at}") is not None for at in range(len(receipt.passages)))
    signer = "this installation" if found.is_own else f"key {receipt.public_key[:16]}…"
    parts = [
        f"receipt {receipt.number}, issued {receipt.statement.get('issued_at')}, signed by {signer}",
        f"{shown} of {len(receipt.passages)} quotes shown" if receipt.passages else "no quotes",
    ]
    if receipt.follows:
        parts.append(f"follows receipt {receipt.number - 1}")
    if stamp := receipt.time_stamp:
        told = f"stamped {stamp.at:%Y-%m-%d %H:%M:%S} UTC by {printable(stamp.by)}" if stamp.at else ""
        parts.append(" ".join(filter(None, (told, f"({stamp.remark})" if stamp.remark else ""))))
    if found.quotes:
        counts = [(each, sum(quote.standing is each for quote in found.quotes)) for each in Standing]
        parts.append("now " + ", ".join(f"{count} {each.value.replace('_', ' ')}" for each, count in counts if count))
    return "; ".join(parts) + "."


def _tell_quotes(quotes: Sequence[QuoteStanding]) -> None:
    """Print what became of quotes, those that are unchanged apart."""
    for each in quotes:
        if each.standing is Standing.UNCHANGED:
            continue
        word = click.style(f"{each.standing.value.replace('_', ' '):<9}", fg=_COLOURS[each.standing.value])
        pages = f", page {_pages(each.quote.pages)} → {_pages(each.pages)}" if each.standing is Standing.MOVED else ""
        click.echo(f"  {word} [{each.quote.n}] {printable(each.path or each.quote.document_id)}{pages}  {each.reason}".rstrip())
        if each.standing.is_lost and each.quote.text:
            click.echo(f"            was: “{_short(each.quote.text)}”")
        if each.standing is Standing.CHANGED:
            click.echo(f"            now: “{_short(each.text)}”")


def _pages(pages: Sequence[int]) -> str:
    return "–".join(str(page) for page in dict.fromkeys((pages[0], pages[-1]))) if pages else "?"


def _short(text: str) -> str:
    line = printable(text)
    return line if len(line) <= _SHOWN else line[: _SHOWN - 1].rstrip() + "…"


def _verified_dict(found: Verified) -> dict[str, Any]:
    if found.error or found.receipt is None:
        return {"file": found.file, "verified": False, "error": error_dict(found.error) if found.error else None}
    receipt = found.receipt
    stamp = receipt.time_stamp
    return {
        "file": found.file,
        "verified": not receipt.faults,
        "faults": [{"code": fault.code.value, "message": fault.message} for fault in receipt.faults],
        "receipt_id": receipt.id,
        "public_key": receipt.public_key,
        "is_own": found.is_own,
        "number": receipt.number,
        "follows": receipt.follows or None,
        "time_stamp": {"at": stamp.at.isoformat() if stamp.at else None, "by": stamp.by, "remark": stamp.remark} if stamp else None,
        "withheld": list(receipt.withheld),
        "statement": dict(receipt.statement),
        "opened": dict(receipt.opened),
        "quotes": [each.as_dict() for each in found.quotes] if found.quotes is not None else None,
    }


def _answer_dict(found: "AnswerStandings") -> dict[str, Any]:
    return {
        "message_id": found.message_id,
        "question": found.question,
        "quotes": [each.as_dict() for each in found.quotes if each.standing is not Standing.UNCHANGED],
    }
