"""Which of scikit-learn's tests speak of a private name: read from their source."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path


@cache
def tests_of(module: Path) -> dict[str, str]:
    """The source of each test function of a module, its decorators included."""
    text = module.read_text("utf-8")
    lines = text.splitlines()
    found = {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            found[node.name] = "\n".join(lines[first - 1 : node.end_lineno])
    return found


@cache
def imports_of(module: Path) -> dict[str, str]:
    """For each name that a module imports: where from."""
    tree = ast.parse(module.read_text("utf-8"))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    return {alias.asname or alias.name: node.module or "" for node in imports for alias in node.names}


def speaks_of(folder: Path, case: str, name: str) -> bool:
    """Whether the test of this case (module.py::test[parameters]) uses `name`, or what a private module `name` has."""
    module, _, test = case.partition("::")
    source = tests_of(folder / module).get(test.split("::")[-1].partition("[")[0], "")
    imported = [one for one, place in imports_of(folder / module).items() if name in place.split(".")]
    return name.startswith("_") and any(
        re.search(rf"(?<!\w){re.escape(one)}(?!\w)", source) for one in (name, *imported)
    )
