"""The definitions of the certificates' modules, and which of them each mentions."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PACKAGE = "surefit.certificates"
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)

Place = tuple[str, str]  # (module, name)
Definition = ast.FunctionDef | ast.ClassDef | ast.Assign | ast.AnnAssign
Imports = dict[str, tuple[str, str | None]]  # a name here: the module it comes from, and its name there


class Module:
    """A source file: its definitions, and what its imported names stand for. Modules from elsewhere are empty."""

    def __init__(self, name: str) -> None:
        path = ROOT.joinpath(*name.split(".")).with_suffix(".py")
        text = path.read_text("utf-8") if name.startswith(f"{PACKAGE}.") and path.is_file() else ""
        self.name, self.tree, self.lines = name, ast.parse(text), text.encode().split(b"\n")
        self.definitions, self.imports = dict[str, Definition](), Imports()
        for node in self.tree.body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                self.definitions[node.name] = node
            elif isinstance(node, (ast.Assign, ast.AnnAssign)):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                names = [n for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)]
                if not all(isinstance(n.ctx, ast.Store) for n in names):
                    raise ValueError(f"{path}:{node.lineno}: what a module assigns must be names")
                self.definitions |= {n.id: node for n in names}
            elif isinstance(node, ast.ImportFrom):
                self.imports |= {a.asname or a.name: (node.module or "", a.name) for a in node.names}
            elif isinstance(node, ast.Import):
                self.imports |= {a.asname or a.name: (a.name, None) for a in node.names}


module = cache(Module)


def node_at(place: Place) -> Definition:
    return module(place[0]).definitions[place[1]]


@cache
def links(place: Place) -> tuple[list[tuple[ast.expr, Place]], Imports]:
    """The names (and attributes of modules) in a definition with the definitions that they stand for, and what it
    needs from elsewhere."""
    here, found, elsewhere = module(place[0]), list[tuple[ast.expr, Place]](), Imports()
    for name, parent in _free_names(node_at(place)):
        origin, own = here.imports.get(name.id, (here.name, name.id))
        if isinstance(parent, ast.Attribute) and module(f"{origin}.{own}").definitions:
            found.append((parent, (f"{origin}.{own}", parent.attr)))
        elif own is not None and (there := _place(origin, own)):
            found.append((name, there))
        elif name.id in here.imports:
            elsewhere[name.id] = origin, own
    return found, elsewhere


def _place(origin: str, own: str) -> Place | None:
    """Where a name of a module is defined, also through modules that only pass it on."""
    here = module(origin)
    if own in here.definitions:
        return origin, own
    further, name = here.imports.get(own, ("", None))
    return _place(further, name) if name else None


def _free_names(
    node: ast.AST, local: frozenset[str] = frozenset(), parent: ast.AST | None = None
) -> Iterator[tuple[ast.Name, ast.AST | None]]:
    """The names in a definition that are no variables of its own, each with the node above it."""
    if isinstance(node, ast.Name):
        if node.id not in local:
            yield node, parent
        return
    inner = local
    if isinstance(node, (ast.FunctionDef, ast.Lambda)):
        inner = local | {arg.arg for arg in ast.walk(node.args) if isinstance(arg, ast.arg)} | set(_set_in(node))
    elif isinstance(node, COMPREHENSIONS):
        inner = local | {n.id for g in node.generators for n in ast.walk(g.target) if isinstance(n, ast.Name)}
    around = [getattr(node, "args", None), *getattr(node, "decorator_list", [])]  # read outside a function
    for child in ast.iter_child_nodes(node):
        yield from _free_names(child, local if child in around else inner, node)


def _set_in(node: ast.AST) -> Iterator[str]:
    """The variables that a function sets, without those of functions and comprehensions inside it."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.ClassDef)):
            yield child.name
        elif isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store):
            yield child.id
        if not isinstance(child, (ast.FunctionDef, ast.Lambda, ast.ClassDef, *COMPREHENSIONS)):
            yield from _set_in(child)
