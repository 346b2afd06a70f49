"""A stranger that reads the OpenAPI document and tries what it says, and what it forbids: nothing breaks, all answers are in it."""

import asyncio
import re
import subprocess
import sys
from pathlib import Path

from tests.server.conftest import HANDBOOK, answering, filled
from tests.server.running import running

from pincite.bootstrap import Services
from pincite.server.app import create_app
from pincite.settings import load_settings
from pincite.workspaces.tokens import Tokens

CONFIG = Path(__file__).with_name("schemathesis.toml")
ARGUMENTS = ["--phases", "examples,coverage,fuzzing", "--max-examples", "3", "--seed", "7", "--workers", "1", "--no-color"]
LEAST_CASES = 200


async def test_nothing_that_the_document_allows_or_forbids_breaks_the_server(tmp_path: Path) -> None:
    app = create_app(load_settings({}, home=str(tmp_path / "home"), embedding="none", worker_slots=0), llm=answering())
    file = tmp_path / "handbook.md"
    file.write_text(HANDBOOK, encoding="utf-8")
    async with running(app) as port:
        services: Services = app.state.server.services
        await filled(services, file)
        token = await Tokens(services.store, services.workspace_id).issue("schemathesis")
        address = f"http://127.0.0.1:{port}/api/openapi.json"
        command = [sys.executable, "-m", "schemathesis.cli", "--config-file", str(CONFIG), "run", address, *ARGUMENTS]
        process = await asyncio.create_subprocess_exec(
            *command, "-H", f"Authorization: Bearer {token.text}", cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        told = (await process.communicate())[0].decode()
    assert process.returncode == 0, told
    cases = re.search(r"(\d+) generated", told)
    assert cases
    assert int(cases[1]) >= LEAST_CASES, told
