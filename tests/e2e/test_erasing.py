"""After an erasure no file of the home holds a word of the document: not the database and its log, no index, no bytes."""

import zlib
from pathlib import Path

import pytest

from pincite.adapters.sql.connections import connect
from pincite.client import Pincite
from pincite.core.ids import DocumentId, MessageId
from pincite.settings import load_settings

CANARIES = [f"qxcanary{number:02}zw" for number in range(30)]
SURVIVOR = "plovercanary"


def report(*canaries: str) -> str:
    """Return a Markdown file with a canary in each place where text can stand."""
    title, table, *rest = canaries
    body = "\n\n".join(f"The secret code of section {number} is {canary}." for number, canary in enumerate(rest))
    return f"# Report {title}\n\n{body}\n\n| Name | Code |\n|---|---|\n| Zebra | {table} |\n"


def holding(home: Path, word: str) -> list[str]:
    """Return the files of a home that hold a word, also where pages and texts are deflated."""
    found: list[str] = []
    for path in sorted(home.rglob("*")):
        if path.is_file():
            data = path.read_bytes()
            if word.encode() in data.lower() or word.encode("utf-16-le") in data.lower():
                found.append(str(path.relative_to(home)))
    with connect(home / "pincite.db") as connection:
        for (data,) in connection.execute("SELECT data FROM canonical_texts UNION ALL SELECT data FROM removed_versions"):
            if word.encode() in zlib.decompress(data).lower():
                found.append("a canonical text")
    connection.close()
    return found


async def cited(client: Pincite, canary: str) -> MessageId:
    answer = await client.ask(f"Which section has the secret code {canary}?")
    assert answer.citations
    return answer.message_id


@pytest.mark.parametrize("is_removed_before", [False, True])
async def test_no_file_of_the_home_holds_a_canary_of_an_erased_document(tmp_path: Path, is_removed_before: bool) -> None:
    home = tmp_path / "home"
    # Another process has indexes and log open all the while, and its deleted pages behind it.
    async with Pincite(settings=load_settings({}, home=str(home), embedding="none")) as other:
        await other.add_text(report(*[SURVIVOR] * 4), path="kept.md")
        async with Pincite(settings=load_settings({}, home=str(home), embedding="none")) as client:
            await client.add_text(report(*CANARIES[:10]), path=f"{CANARIES[29]}.md")
            messages = [await cited(client, CANARIES[3])]
            await client.add_text(report(*CANARIES[10:20]), path=f"{CANARIES[29]}.md")
            messages += [await cited(client, canary) for canary in (CANARIES[12], CANARIES[11])]
            row = (await client.add_text(report(*CANARIES[20:29]), path=f"{CANARIES[29]}.md")).document_id
            messages.append(await cited(other, CANARIES[22]))
            survivor = await cited(client, SURVIVOR)
            assert row
            if is_removed_before:
                await client.remove(row)
            assert holding(home, CANARIES[3])
            mirrors = {path.name for path in home.rglob("generation-*")}
            erased = await client.erase(row)
            assert mirrors.isdisjoint(path.name for path in home.rglob("generation-*"))
            assert (erased.left, erased.messages) == ((), 4 + 1)
            assert {canary: where for canary in CANARIES if (where := holding(home, canary))} == {}
            for message_id in messages:
                record = await client.answer(message_id)
                assert all(quote.erased and not quote.text and quote.commitment for quote in record.evidence)
                assert any(citation.as_dict().get("status") == "erased" for citation in record.answer.citations)
            record = await client.answer(survivor)
            assert SURVIVOR in record.answer.text
            assert not any(quote.erased for quote in record.evidence)
        for client in (other,):
            assert {source.best.path for source in await client.search("secret code")} == {"kept.md"}
            assert holding(home, CANARIES[3]) == []
            assert holding(home, SURVIVOR)


async def test_an_erasure_that_was_killed_is_finished_by_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    async with Pincite(settings=load_settings({}, home=str(home), embedding="none")) as client:
        row = (await client.add_text(report(*CANARIES[:4]), path="a.md")).document_id
        await cited(client, CANARIES[2])
        assert row
        with monkeypatch.context() as patched:
            patched.setattr("pincite.ingest.erasing.Eraser.finish", _killed)
            with pytest.raises(KeyboardInterrupt):
                await client.erase(row)
        assert await client.search(CANARIES[2]) == []
        assert holding(home, CANARIES[2])
    async with Pincite(settings=load_settings({}, home=str(home), embedding="none")) as client:
        erased = await client.erase(DocumentId(row))
        assert (erased.document_ids, erased.left) == ((row,), ())
        assert holding(home, CANARIES[2]) == []


async def _killed(self: object) -> list[str]:
    raise KeyboardInterrupt


async def test_backups_that_may_hold_it_are_named(tmp_path: Path) -> None:
    async with Pincite(settings=load_settings({}, home=str(tmp_path / "home"), embedding="none")) as client:
        await client.add_text("Before.", path="b.md")
        await client.backup(tmp_path / "before.tar")
        row = (await client.add_text(report(*CANARIES[:4]), path="a.md")).document_id
        await client.backup(tmp_path / "with.tar")
        assert row
        assert (await client.erase(row)).copies == (str(tmp_path / "with.tar"),)
