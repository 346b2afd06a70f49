"""The import contracts of pyproject.toml name every package that exists. `lint-imports` checks the imports themselves."""

import ast
import re
import sys
from pathlib import Path
from typing import Any

import pytest

FEATURES = ("ingest", "retrieval", "workspaces", "billing", "upkeep", "answering", "chats", "flows")

MEMBERS = [
    ("adapters", "source_modules", ("adapters",)),
    ("adapters", "forbidden_modules", FEATURES),
    ("features", "source_modules", ("answering", "chats", "flows")),
    ("features", "forbidden_modules", ("ingest", "workspaces", "billing")),
    ("wiring", "protected_modules", ("adapters",)),
    ("settings", "protected_modules", ("settings",)),
    ("plain-core", "source_modules", ("core", "language", *FEATURES)),
    ("words", "source_modules", ("core", "adapters", *FEATURES)),
    ("stdlib-core", "source_modules", ("core",)),
]
"""Contract, list, and who belongs in it as soon as it exists."""


@pytest.fixture(scope="module")
def contracts(project: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {contract["id"]: contract for contract in project["tool"]["importlinter"]["contracts"]}


@pytest.fixture(scope="module")
def top_level(modules: dict[str, Path]) -> set[str]:
    return {name.split(".")[1] for name in modules if "." in name}


def test_every_package_has_a_floor(contracts: dict[str, dict[str, Any]], top_level: set[str]):
    floors = {name.strip(" ()") for line in contracts["floors"]["layers"] for name in re.split(r"[|:]", line)}
    assert contracts["floors"]["exhaustive"] is True
    assert top_level - floors == set()


@pytest.mark.parametrize(("contract", "key", "names"), MEMBERS, ids=[f"{contract}-{key}" for contract, key, _ in MEMBERS])
def test_every_package_stands_in_the_contracts_where_it_belongs(
    contracts: dict[str, dict[str, Any]], top_level: set[str], contract: str, key: str, names: tuple[str, ...]
):
    belongs = {f"pincite.{name}" for name in names if name in top_level}
    assert belongs - set(contracts[contract][key]) == set()


def test_adapters_and_settings_are_open_to_the_wiring_and_the_doors_alone(contracts: dict[str, dict[str, Any]]):
    doors = {"pincite.bootstrap", "pincite.client", "pincite.cli", "pincite.server.app"}
    assert set(contracts["wiring"]["allowed_importers"]) <= {"pincite.bootstrap"}
    assert set(contracts["settings"]["allowed_importers"]) <= doors


def test_adapter_families_are_independent_without_being_listed(contracts: dict[str, dict[str, Any]]):
    assert contracts["vendors"]["modules"] == ["pincite.adapters.*"]


def test_core_imports_the_standard_library_and_itself_alone(modules: dict[str, Path]):
    foreign = {
        f"{name} imports {imported}"
        for name, path in modules.items()
        if name == "pincite.core" or name.startswith("pincite.core.")
        for imported in _imports(path)
        if imported.split(".")[0] not in sys.stdlib_module_names and not imported.startswith("pincite.core")
    }
    assert foreign == set()


def _imports(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return found
