"""Who may import what, for the rules that floors (import-linter, `make contracts`) do not say.

Read from the syntax tree, so an import inside a function counts like one at the top.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "surefit"
FILES = sorted(PACKAGE.rglob("*.py"))


def imported(text: str, package: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """(module, names) of every import in a module of `package`, relative ones in full.

    `require("x")` and `import_module("x")` count too.
    """
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from ((alias.name, ()) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join((*base, *([node.module] if node.module else [])))
            yield module, tuple(alias.name for alias in node.names)
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if name in ("require", "import_module", "__import__") and isinstance(node.args[0].value, str):
                yield node.args[0].value, ()


def imports_of(path: Path) -> Iterator[tuple[str, tuple[str, ...]]]:
    return imported(path.read_text("utf-8"), ("surefit", *path.relative_to(PACKAGE).parent.parts))


def importers(package: str) -> set[str]:
    """The files of surefit that import `package` or a part of it."""
    return {
        path.relative_to(PACKAGE).as_posix()
        for path in FILES
        for module, _ in imports_of(path)
        if module.partition(".")[0] == package
    }


def test_checkers_import_numpy_and_the_standard_library_only():
    allowed = set(sys.stdlib_module_names) | {"numpy"}
    for path in (PACKAGE / "certificates").rglob("*.py"):
        for module, _ in imports_of(path):
            own = module == "surefit.certificates" or module.startswith("surefit.certificates.")
            assert own or module.startswith(".") or module.partition(".")[0] in allowed, f"{path.name}: {module}"


@pytest.mark.parametrize(
    ("package", "homes"),
    [
        ("dask", {"engine/sources/dask.py"}),
        ("distributed", {"engine/sources/dask.py"}),
        ("pyarrow", {"engine/sources/parquet.py"}),
    ],
)
def test_an_optional_package_has_one_home(package, homes):
    assert importers(package) <= homes


def test_matplotlib_is_imported_in_plot_only():
    assert all(name.startswith("plot/") for name in importers("matplotlib"))


def test_scikit_learn_is_used_through_its_public_names():
    for path in FILES:
        for module, names in imports_of(path):
            if module.partition(".")[0] == "sklearn":
                private = [part for part in (*module.split("."), *names) if part.startswith("_")]
                assert not private, f"{path.relative_to(PACKAGE)} imports {module} {names}"


def test_the_reader_of_imports_sees_them_all():
    """The tests above are worth what `imported` finds."""
    text = (
        "import dask.array as da\nfrom sklearn.utils import _private\nfrom . import claim\n"
        "def f():\n    from ..engine import step\n    require('pyarrow', 'parquet')\n"
    )
    assert set(imported(text, ("surefit", "certificates"))) == {
        ("dask.array", ()),
        ("sklearn.utils", ("_private",)),
        ("surefit.certificates", ("claim",)),
        ("surefit.engine", ("step",)),
        ("pyarrow", ()),
    }


def test_every_solver_and_summary_is_tested_by_its_name():
    """Each file of solvers/ and summaries/ is imported by a test, not only reached through an estimator."""
    named = set()
    for path in Path(__file__).parent.rglob("test_*.py"):
        for module, names in imported(path.read_text(), ("tests",)):
            named |= {module, *(f"{module}.{name}" for name in names)}
    modules = {
        ".".join(("surefit", *path.relative_to(PACKAGE).with_suffix("").parts))
        for folder in ("solvers", "summaries")
        for path in (PACKAGE / folder).rglob("*.py")
        if path.stem != "__init__"
    }
    assert not modules - named
