"""Every definition that a checker reaches, in the order in which to read them, as one file that needs NumPy alone.

What only proposes (`search/`) comes last, below a line that says so: nobody need trust it, so nobody need read it.
"""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterable
from dataclasses import dataclass

from surefit.certificates.registry import CHECKERS
from surefit.certificates.standalone.definitions import (
    PACKAGE,
    Definition,
    Imports,
    Module,
    Place,
    links,
    module,
    node_at,
)

SEARCH, REGISTRY = f"{PACKAGE}.search", f"{PACKAGE}.registry"
DATA = (f"{PACKAGE}.array_blocks", "ArrayBlocks")
AS_IT_IS = (f"{PACKAGE}.inputs", "Inputs")  # for checkers of any input

HEADING = "# ══════ "
HEADER = '''"""How surefit checks a fitted {name}. All that its verdict rests on: {lines} lines, blank ones not counted.

    claims, cost = {function}(model, {data}, 1e-6)
    for claim in claims:
        print(claim.holds, claim.grade, claim.name, claim.value, claim.limit, claim.sentence)
{notes}"""
'''
SPARSE = """
X of compressed sparse rows is Rows(X.data, X.indices, X.indptr, X.shape).
"""
MEMBERS = """
Members are checked too where this file has the checker of their class: surefit checker {name} CLASS.
"""
PROPOSALS = f"""{HEADING * 8}
# Nothing below need be trusted: it only proposes. A bad proposal loosens a bound, no claim becomes false.
"""
LOOKUP = """CHECKERS = {{{own}}}


def checker_for(model):
    return next(CHECKERS[base.__name__] for base in type(model).__mro__ if base.__name__ in CHECKERS)
"""


@dataclass(frozen=True)
class OneFile:
    text: str
    lines: int  # to read: of what must be trusted, blank ones not counted
    modules: tuple[str, ...]  # that these are taken from


def one_file(name: str, *members: str) -> OneFile:
    """The checker of a class; for an ensemble also those of its members' classes, which it looks up."""
    for own in (name, *members):
        if own not in CHECKERS:
            near = difflib.get_close_matches(own, CHECKERS, 1)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(sorted(CHECKERS))}"
            raise ValueError(f"no checker is known for {own!r}; {hint}")
    return _Assembly((name, *members)).file()


class _Assembly:
    """The parts of the file. A name that two modules have gets the stem of its module in front."""

    def __init__(self, classes: Iterable[str]) -> None:
        self.classes = dict.fromkeys(classes)
        self.data = AS_IT_IS if _takes_any_input(next(iter(self.classes))) else DATA
        self.trusted = self._reached([self.data, *map(_checker_of, classes)], stop=SEARCH)
        searched = [place for place in _mentioned(self.trusted) if place[0].startswith(SEARCH)]
        self.proposals = [place for place in self._reached(searched) if place not in self.trusted]
        self.names, taken = dict[Place, str](), dict[str, Place]()
        for place in (*self.trusted, *self.proposals):
            stem, own = place[0].rpartition(".")[2], place[1]
            self.names[place] = own if taken.setdefault(own, place) == place else f"_{stem}_{own.lstrip('_')}"
        self.used = _used_attributes(map(node_at, self.names))

    def file(self) -> OneFile:
        trusted, proposals = self._sections(self.trusted), self._sections(self.proposals)
        name, looks_up = next(iter(self.classes)), any(place[0] == REGISTRY for place in _mentioned(self.trusted))
        if looks_up:
            own = ", ".join(f'"{name}": {self.names[_checker_of(name)]}' for name in self.classes)
            trusted.append(LOOKUP.format(own=own))
        body = "\n\n".join([_imports(self.names, "\n".join([*trusted, *proposals])), *trusted])
        lines = sum(bool(line.strip()) for line in body.splitlines())
        header = HEADER.format(
            name=name,
            lines=lines,
            function=self.names[_checker_of(name)],
            data=f"{self.names[self.data]}(X, y)",
            notes=SPARSE * (self.data == DATA) + MEMBERS.format(name=name) * looks_up,
        )
        text = "\n\n".join([header + body, *([PROPOSALS, *proposals] if proposals else [])])
        return OneFile(text, lines, tuple(sorted({origin for origin, _ in self.trusted})))

    def _reached(self, start: list[Place], stop: str | None = None) -> dict[Place, None]:
        """All that these places mention, directly or not, but for what is in the modules `stop`."""
        found, waiting = dict[Place, None](), list(start)
        while waiting:
            place = waiting.pop()
            if place in found or place[0] == REGISTRY or (stop and place[0].startswith(stop)):
                continue
            found[place] = None
            waiting += _mentioned([place])
        return found

    def _sections(self, places: Iterable[Place]) -> list[str]:
        """Module by module, lower ones first: what it is about, and its definitions in their order."""
        order, sections, chosen = dict[str, None](), list[str](), set(places)
        for origin, _ in places:
            _below(origin, order)
        for here in map(module, order):
            own = {node: name for name, node in here.definitions.items() if (here.name, name) in chosen}
            if own:
                about = f"{here.name.removeprefix(f'{PACKAGE}.')}: {ast.get_docstring(here.tree)}".splitlines()
                sections.append("\n".join([HEADING + about[0], *(f"# {line}".rstrip() for line in about[1:]), ""]))
                sections += [self._text(here, name, node) for node, name in own.items()]
        return sections

    def _text(self, here: Module, name: str, node: Definition) -> str:
        """A definition in the names of this file: with the comment above it and the string below it, without methods
        that nothing here uses."""
        found = {
            (n.lineno, n.col_offset, n.end_col_offset, self.names.get(p, p[1])) for n, p in links((here.name, name))[0]
        }
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            start = node.col_offset + len("def " if isinstance(node, ast.FunctionDef) else "class ")
            found.add((node.lineno, start, start + len(name), self.names[here.name, name]))
        lines = dict(enumerate(here.lines, 1))
        for row, start, end, new in sorted(found, key=lambda change: change[:2], reverse=True):
            lines[row] = lines[row][:start] + new.encode() + lines[row][end:]
        first, last = _span(node)
        while lines[first - 1].startswith(b"#"):
            first -= 1
        after = here.tree.body[here.tree.body.index(node) + 1 :][:1]
        last = _span(after[0])[1] if after and isinstance(after[0], ast.Expr) else last
        left_out = set[int]()
        for method in node.body if isinstance(node, ast.ClassDef) else ():
            if (
                isinstance(method, ast.FunctionDef)
                and method.name not in self.used
                and not method.name.startswith("__")
            ):
                start, end = _span(method)
                left_out |= set(range(start, end + 1 + (not lines[end + 1])))
        return b"\n".join(lines[row] for row in range(first, last + 1) if row not in left_out).decode().rstrip() + "\n"


def _used_attributes(nodes: Iterable[ast.stmt]) -> set[str]:
    """The names of attributes that are used, other than by methods that nothing uses."""
    found, waiting = set[str](), list[ast.AST]()
    methods = dict[str, list[ast.AST]]()
    for node in nodes:
        for part in ast.iter_child_nodes(node) if isinstance(node, ast.ClassDef) else (node,):
            own = isinstance(node, ast.ClassDef) and isinstance(part, ast.FunctionDef)
            name = part.name if own and isinstance(part, ast.FunctionDef) else "__"
            (waiting if name.startswith("__") else methods.setdefault(name, [])).append(part)
    while waiting:
        here = [n for n in ast.walk(waiting.pop()) if isinstance(n, ast.Attribute)]
        names = {n.attr for n in here if not (isinstance(n.value, ast.Name) and n.value.id == "np")}
        waiting += [method for name in names - found for method in methods.get(name, [])]
        found |= names
    return found


def _mentioned(places: Iterable[Place]) -> dict[Place, None]:
    return dict.fromkeys(there for place in places for _, there in links(place)[0])


def _below(name: str, order: dict[str, None]) -> None:
    """The module, after all that it imports."""
    if name not in order:
        for origin, own in module(name).imports.values():
            _below(origin, order)
            _below(f"{origin}.{own}", order)
        order[name] = None


def _imports(places: Iterable[Place], text: str) -> str:
    """What the definitions need from NumPy and the standard library: of the names that the text still has."""
    elsewhere: Imports = {}
    for place in places:
        elsewhere |= links(place)[1]
    there = {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
    elsewhere = {alias: origin for alias, origin in elsewhere.items() if alias in there}
    whole = [f"import {m}" + (f" as {alias}" if alias != m else "") for alias, (m, own) in elsewhere.items() if not own]
    parts: dict[str, list[str]] = {}
    for alias, (origin, own) in sorted(elsewhere.items()):
        if own and not origin.startswith(PACKAGE):
            parts.setdefault(origin, []).append(own if own == alias else f"{own} as {alias}")
    some = [f"from {origin} import {', '.join(names)}" for origin, names in sorted(parts.items())]
    return "\n".join(["from __future__ import annotations\n", *sorted(whole), *some, ""])


def _checker_of(name: str) -> Place:
    origin, function = CHECKERS[name].split(":")
    return f"{PACKAGE}.{origin}", function


def _takes_any_input(name: str) -> bool:
    """Whether the checker of the class is one that is handed the data as they are."""
    node = node_at(_checker_of(name))
    asked = [word for one in getattr(node, "decorator_list", []) for word in getattr(one, "keywords", [])]
    return any(word.arg == "any_input" and ast.literal_eval(word.value) for word in asked)


def _span(node: ast.stmt) -> tuple[int, int]:
    """First and last line, with decorators."""
    return min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))]), node.end_lineno or node.lineno
