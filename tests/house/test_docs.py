"""Every command and every setting is documented."""

import runpy
from dataclasses import fields
from pathlib import Path

import click
import pytest

from pincite.cli.main import cli
from pincite.settings import Settings


@pytest.fixture(scope="module")
def docs(root: Path) -> str:
    pages = [path for path in (root / "docs").rglob("*.md") if "decisions" not in path.parts]
    return "\n".join(path.read_text() for path in [root / "README.md", *sorted(pages)])


def test_every_command_is_documented(docs: str):
    assert [command for command in _commands(cli, "pincite") if command not in docs] == []


def test_every_setting_is_documented(docs: str):
    variables = [setting.metadata["variable"] for setting in fields(Settings)]
    assert [variable for variable in variables if f"`{variable}`" not in docs] == []


def test_the_settings_page_is_made_of_the_settings(root: Path):
    made = runpy.run_path(str(root / "tools" / "make_settings_page.py"))["page"]()
    assert (root / "docs" / "settings.md").read_text() == made, "Run: .venv/bin/python tools/make_settings_page.py"


def test_every_number_has_a_unit_and_bounds_that_hold_its_default():
    numbers = [setting for setting in fields(Settings) if not isinstance(setting.default, str)]
    loose = [setting.name for setting in numbers if not {"unit", "least", "most"} <= set(setting.metadata)]
    assert loose == []
    assert [each.name for each in numbers if not each.metadata["least"] <= each.default <= each.metadata["most"]] == []


def test_every_setting_says_what_it_does():
    assert [setting.name for setting in fields(Settings) if not setting.metadata["doc"].endswith(".")] == []


def test_every_command_and_option_has_help():
    silent = [
        f"{path} {parameter.name}"
        for path, command in _tree(cli, "pincite")
        for parameter in [command, *command.params]
        if not isinstance(parameter, click.Argument) and not parameter.help
    ]
    assert silent == []


def _tree(command: click.Command, path: str) -> list[tuple[str, click.Command]]:
    children = command.commands.items() if isinstance(command, click.Group) else ()
    return [(path, command), *(entry for name, child in children if not child.hidden for entry in _tree(child, f"{path} {name}"))]


def _commands(command: click.Command, path: str) -> list[str]:
    return [name for name, entry in _tree(command, path) if not isinstance(entry, click.Group)]
