"""Writes docs/settings.md from the settings themselves.

python tools/make_settings_page.py
"""

from dataclasses import Field, fields
from pathlib import Path
from typing import Any

from pincite.settings import Settings

PAGE = Path(__file__).parent.parent / "docs" / "settings.md"
HEAD = """# Settings

Nothing needs to be set. Settings come from the environment; a value that can't be is refused at the start, by name. Numbers may be
written with `_` between digits. This page is made by `tools/make_settings_page.py`.

| Variable | Default | Unit | From, to | What it does |
|---|---|---|---|---|
"""


def page() -> str:
    """Return the page."""
    return HEAD + "".join(_row(setting) for setting in fields(Settings))


def _row(setting: Field[Any]) -> str:
    told = setting.metadata
    default = f"`{_plain(setting.default)}`" if setting.default != "" else ""
    bounds = f"{_plain(told['least'])}, {_plain(told['most'])}" if "least" in told else ""
    return f"| `{told['variable']}` | {default} | {told.get('unit', '')} | {bounds} | {told['doc']} |\n"


def _plain(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
