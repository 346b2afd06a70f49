"""What every source file keeps to."""

import ast
from pathlib import Path

MAX_LINES = 400
MAX_FUNCTION_LINES = 40


def test_no_source_file_is_over_400_lines(modules: dict[str, Path]):
    long = {name: count for name, path in modules.items() if (count := len(path.read_text().splitlines())) > MAX_LINES}
    assert long == {}


def test_no_function_is_over_40_lines(modules: dict[str, Path]):
    long = {
        f"{name}.{node.name}": lines
        for name, path in modules.items()
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and (lines := _body_lines(node)) > MAX_FUNCTION_LINES
    }
    assert long == {}


def test_every_public_module_has_a_docstring(modules: dict[str, Path]):
    bare = [name for name, path in modules.items() if _is_public(name) and not ast.get_docstring(ast.parse(path.read_text()))]
    assert bare == []


def test_only_settings_reads_the_environment(modules: dict[str, Path]):
    readers = [name for name, path in modules.items() if name != "pincite.settings" and _reads_environment(path)]
    assert readers == []


def test_no_module_has_a_name_that_says_nothing(modules: dict[str, Path]):
    vague = {"util", "utils", "helper", "helpers", "common", "manager", "misc"}
    assert [name for name in modules if vague & set(name.split("."))] == []


def test_samples_are_data_alone(package: Path):
    assert list((package / "samples").rglob("*.py")) == []


def _is_public(name: str) -> bool:
    return not any(part.startswith("_") and not part.startswith("__") for part in name.split("."))


def _body_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines from `def` to the end, without the docstring."""
    first = node.body[0]
    documented = ast.get_docstring(node) is not None
    docstring = (first.end_lineno or first.lineno) - first.lineno + 1 if documented else 0
    return (node.end_lineno or node.lineno) - node.lineno + 1 - docstring


def _reads_environment(path: Path) -> bool:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "os":
            if node.attr in {"environ", "environb", "getenv"}:
                return True
        elif isinstance(node, ast.ImportFrom) and node.module == "os" and {"environ", "getenv"} & {n.name for n in node.names}:
            return True
    return False
