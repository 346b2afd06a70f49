"""Of two workers one is killed at each stage: the other ends its document, and nothing is embedded or charged twice.

`bench/killed.py` does the same at many more moments, and with the product's own lease.
"""

from pathlib import Path

import pytest
from tests.e2e.killing import STAGES, killing


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("killed")


def test_whatever_a_killed_worker_was_at_is_ended_by_another_once(scratch: Path) -> None:
    with killing(scratch / "home") as house:
        for stage in STAGES:
            house.kill_at(stage, stage.value)
        house.kill_each_try("tries")
        house.assert_as_after_a_clean_run(scratch / "clean")
