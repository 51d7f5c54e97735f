"""Figures of the house: sizes of files and functions, folders, edges between solvers, lines to read per checker.

python tools/house.py [ROOT]
"""

from __future__ import annotations

import ast
import statistics
import sys
from collections import Counter
from pathlib import Path

UNTRUSTED = ("presentation", "search", "registry")  # what a reader need not trust: layout, proposals, the list of names


def modules(root: Path) -> dict[str, Path]:
    """Every module of the package by its dotted name."""
    return {".".join(p.relative_to(root).with_suffix("").parts): p for p in sorted((root / "surefit").rglob("*.py"))}


def imported(name: str, path: Path, known: dict[str, Path]) -> set[str]:
    """The package's modules that a module imports."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            package = name.split(".")[: -node.level] if node.level else []
            base = ".".join([*package, *([node.module] if node.module else [])])
            found |= {base} | {f"{base}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found & known.keys()


MEMBERS = {"surefit.certificates.ensemble.members": "surefit.certificates.tree.decision_tree"}
"""Checkers that are reached by way of the registry: the trees of an ensemble are held against the checker of trees."""


def trusted_files(checker: str, known: dict[str, Path]) -> set[str]:
    """The checker's module and all it imports from certificates, without what nobody need trust."""
    seen, waiting = set(), [checker]
    while waiting:
        name = waiting.pop()
        waiting += [MEMBERS[name]] if name in MEMBERS else []
        if name in seen or not name.startswith("surefit.certificates.") or set(name.split(".")) & set(UNTRUSTED):
            continue
        seen.add(name)
        waiting += imported(name, known[name], known)
    return seen


def trusted_lines(root: Path) -> dict[str, tuple[int, int]]:
    """(files, lines) to read for the checker of every class."""
    known, read = modules(root), {}
    for name, path in known.items():
        if not name.startswith("surefit.certificates."):
            continue
        decorated = [
            node for node in ast.parse(path.read_text()).body
            if isinstance(node, ast.FunctionDef) and any("checker" in ast.unparse(d) for d in node.decorator_list)
        ]  # fmt: skip
        if decorated:
            files = trusted_files(name, known)
            read[name.rsplit(".", 1)[1]] = (len(files), sum(len(known[f].read_text().splitlines()) for f in files))
    return read


def function_lengths(known: dict[str, Path]) -> list[int]:
    return [
        (node.end_lineno or node.lineno) - node.lineno + 1
        for path in known.values()
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    ]


def main(root: Path) -> None:
    known = modules(root)
    lengths = sorted(len(p.read_text().splitlines()) for p in known.values() if p.name != "__init__.py")
    functions = sorted(function_lengths(known))
    folders = Counter(str(p.parent.relative_to(root)) for p in known.values() if p.name != "__init__.py")
    print(f"files {len(lengths)}, median {statistics.median(lengths):.0f} lines, longest {lengths[-1]}")
    print(f"functions {len(functions)}, p95 {functions[int(0.95 * len(functions))]} lines, longest {functions[-1]}")
    print("largest folders: " + ", ".join(f"{name} {count}" for name, count in folders.most_common(5)))
    solvers = {name: path for name, path in known.items() if name.startswith("surefit.solvers.")}
    edges = [(a, b) for a in solvers for b in imported(a, solvers[a], solvers) if b != a]
    across = sum(a.rsplit(".", 1)[0] != b.rsplit(".", 1)[0] for a, b in edges)
    print(f"edges between solver files {len(edges)}, of them between folders {across}")
    print("lines to read for a checker (files):")
    for name, (files, lines) in sorted(trusted_lines(root).items(), key=lambda row: -row[1][1]):
        print(f"  {name:<34}{lines:>5}  ({files})")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[1])
