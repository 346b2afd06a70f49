"""The HTTP reference in a browser: whole without a network, and within the policy that its own head names."""

import re

from tests.server.conftest import House
from tests.server.contract import problem_of

from pincite.server.routes.docs import FILES, FOLDER

LINKED = re.compile(r'(?:src|href)="([^"]+)"')


async def test_all_that_the_page_loads_comes_from_here(house: House) -> None:
    page = await house.client.get("/docs")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    linked = [link.removeprefix("/api") for link in LINKED.findall(page.text)]
    assert {link.removeprefix("/docs/") for link in linked} == set(FILES)
    for link in linked:
        part = await house.client.get(link)
        assert (part.status_code, part.headers["content-type"].partition(";")[0]) == (200, FILES[link.removeprefix("/docs/")])


async def test_the_page_needs_no_script_that_its_policy_forbids(house: House) -> None:
    page = await house.client.get("/docs")
    assert "default-src 'self'" in page.headers["content-security-policy"]
    assert re.findall(r"<script(?![^>]*src=)|\bon\w+=|javascript:", page.text) == []
    assert "http" not in (FOLDER / "start.js").read_text()


async def test_no_other_file_is_looked_up(house: House) -> None:
    for name in ("LICENSE", "index.html", "..%2fapp.py", "../app.py", "%2e%2e%2fapp.py", "%00"):
        problem_of(await house.client.get(f"/docs/{name}"), 404)
