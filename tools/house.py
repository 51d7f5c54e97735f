"""Figures of the house: sizes of files and functions, folders, edges between solvers, lines to read per checker.

.venv/bin/python tools/house.py [ROOT]
"""

from __future__ import annotations

import ast
import statistics
import sys
from collections import Counter
from pathlib import Path


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


def lines_to_read(root: Path, known: dict[str, Path]) -> list[tuple[int, int, str]]:
    """For the checker of every class: lines of the one file that `surefit checker` prints, and of all its modules."""
    sys.path.insert(0, str(root))
    from surefit.certificates.registry import CHECKERS
    from surefit.certificates.standalone import one_file

    rows = []
    for name in CHECKERS:
        file = one_file(name)
        rows.append((file.lines, sum(len(known[m].read_text().splitlines()) for m in file.modules), name))
    return sorted(rows, reverse=True)


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
    rows = lines_to_read(root, known)
    median, within = statistics.median(lines for lines, _, _ in rows), sum(lines <= 600 for lines, _, _ in rows)
    print(f"lines to read for a checker: median {median:.0f}, at most 600 for {within} of {len(rows)}")
    for lines, whole, name in rows:
        print(f"  {name:<34}{lines:>5}  (its modules have {whole})")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[1])
