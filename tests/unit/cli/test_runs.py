"""A run of searches through the library: numbers stay what they were."""

from pathlib import Path

import pytest

from pincite import Pincite
from pincite.core.errors import UsageError
from pincite.settings import load_settings

TEXTS = {
    "lease.md": "# Lease\n\nThe notice period is sixty days. The rent is 1,200 euros a month.",
    "fees.md": "# Fees\n\nThe late fee is five percent of the rent.",
}


async def test_a_run_numbers_its_sources_once(tmp_path: Path) -> None:
    async with Pincite(settings=load_settings({}, home=str(tmp_path), embedding="none")) as client:
        for path, text in TEXTS.items():
            await client.add_text(text, path=path)
        run, other = client.run(), client.run()
        [notice] = await run.search("notice period")
        rent = await run.search("late fee of the rent")
        assert (notice.n, notice.best.path) == (1, "lease.md")
        assert {source.best.path: source.n for source in rent} == {"fees.md": 2, "lease.md": 1}
        assert [source.best.path for source in run.sources] == ["lease.md", "fees.md"]
        assert [source.n for source in await other.search("late fee")] == [1]
        with pytest.raises(UsageError):
            await run.search(" ")


def test_a_run_is_had_without_async_too(tmp_path: Path) -> None:
    with Pincite.sync(settings=load_settings({}, home=str(tmp_path), embedding="none")) as client:
        for path, text in TEXTS.items():
            client.add_text(text, path=path)
        run = client.run()
        assert [source.n for source in run.search("notice period")] == [1]
        assert [source.n for source in run.search("late fee")] == [2]
        assert len(run.sources) == 2


async def test_numbers_keep_their_meaning_when_a_search_is_repeated_and_when_documents_go_or_change(tmp_path: Path) -> None:
    async with Pincite(settings=load_settings({}, home=str(tmp_path), embedding="none")) as client:
        for path, text in TEXTS.items():
            await client.add_text(text, path=path)
        run = client.run()
        first = [(source.n, source.text) for source in await run.search("late fee of the rent")]
        assert [(source.n, source.text) for source in await run.search("late fee of the rent")] == first
        await client.remove("fees.md")
        await client.add_text(TEXTS["lease.md"].replace("1,200", "1,300"), path="lease.md")
        later = await run.search("rent a month")
        assert [source.n for source in later] == [3]
        assert "1,300" in later[0].text
        await client.erase("lease.md")
        assert await run.search("rent a month") == []
        assert [(source.n, source.text) for source in run.sources][:2] == sorted(first)
