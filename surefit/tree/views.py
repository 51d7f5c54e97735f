"""A tree in words: indented text, and one rule for each leaf."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from surefit._core.errors import InvalidData
from surefit.solvers.growing.tree import MOST_CATEGORIES, NO_CHILD, Tree


@dataclass(frozen=True)
class Names:
    """What columns, classes and categories are called; `classes` is None for numbers."""

    features: list[str]
    classes: list[list[str]] | None
    categories: dict[int, list[str]]
    digits: int

    @classmethod
    def of(cls, model: Any, feature_names: Any, class_names: Any, digits: int) -> Names:
        """From a fitted tree, with names that a user may give."""
        d = model.tree_.n_features
        if feature_names is None:
            feature_names = getattr(model, "feature_names_in_", [f"x{j}" for j in range(d)])
        if len(feature_names) != d:
            raise InvalidData(f"feature_names must hold {d} names, one for each column; got {len(feature_names)}")
        classes = getattr(model, "classes_", None)
        if classes is not None:
            classes = [classes] if isinstance(classes, np.ndarray) else classes
            if class_names is not None and len(class_names) != len(classes[0]):
                raise InvalidData(f"class_names must hold {len(classes[0])} names; got {len(class_names)}")
            classes = [[str(c) for c in (classes[0] if class_names is None else class_names)]] + [
                [str(c) for c in more] for more in classes[1:]
            ]
        known = {str(name): values for name, values in getattr(model, "categories_", {}).items()}
        by_column = {j: [str(v) for v in known[str(n)]] for j, n in enumerate(feature_names) if str(n) in known}
        return cls([str(name) for name in feature_names], classes, by_column, digits)

    def condition(self, tree: Tree, node: int, left: bool) -> str:
        """What the rows of a node that go to one side have in common; scikit-learn's trees know no categories."""
        j = int(tree.feature[node])
        name = self.features[j]
        if not hasattr(tree, "category_row") or tree.category_row[node] < 0:
            words = f"{name} {'≤' if left else '>'} {tree.threshold[node]:.{self.digits}g}"
        else:
            words = f"{name} {'in' if left else 'not in'} {{{', '.join(self._members(tree, node, j))}}}"
        return words

    def _members(self, tree: Tree, node: int, j: int) -> list[str]:
        words = tree.categories[tree.category_row[node]]
        codes = [c for c in range(MOST_CATEGORIES) if int(words[c // 64]) >> (c % 64) & 1]
        names = self.categories.get(j)
        return [names[c] if names and c < len(names) else str(c) for c in codes if not names or c < len(names)]

    def answer(self, tree: Tree, node: int) -> str:
        """What a node predicts, for how many rows."""
        rows = f"{tree.n_node_samples[node]} row{'s' if tree.n_node_samples[node] != 1 else ''}"
        value = tree.value[node]
        if self.classes is None:
            return f"{', '.join(f'{v:.{self.digits}g}' for v in value[:, 0])} ({rows})"
        best = value.argmax(axis=1)
        labels = ", ".join(names[k] for names, k in zip(self.classes, best, strict=True))
        shares = ", ".join(f"{100 * value[o, k]:.0f} %" for o, k in enumerate(best))
        return f"{labels} ({rows}, {shares})"


def text_lines(tree: Tree, names: Names) -> Iterator[str]:
    """One line a node, children indented."""
    if tree.node_count == 1:
        yield names.answer(tree, 0)
        return
    stack = [(0, False, 0), (0, True, 0)]
    while stack:
        node, left, depth = stack.pop()
        child = int((tree.children_left if left else tree.children_right)[node])
        line = "|   " * depth + names.condition(tree, node, left)
        if tree.children_left[child] == NO_CHILD:
            yield f"{line}: {names.answer(tree, child)}"
        else:
            yield line
            stack += [(child, False, depth + 1), (child, True, depth + 1)]


def rule_lines(tree: Tree, names: Names) -> list[str]:
    """For each leaf, from left to right: if its conditions, then its answer.

    Of several thresholds on a column the tightest of each side stays.
    """
    lines = []
    stack: list[tuple[int, list[tuple[int, bool]]]] = [(0, [])]
    while stack:
        node, steps = stack.pop()
        if tree.children_left[node] != NO_CHILD:
            stack.append((int(tree.children_right[node]), [*steps, (node, False)]))
            stack.append((int(tree.children_left[node]), [*steps, (node, True)]))
            continue
        tightest: dict[Any, tuple[int, bool]] = {}
        for at, left in steps:  # the deeper of two thresholds on one side is the tighter
            by_set = tree.category_row[at] >= 0
            tightest[(at,) if by_set else (int(tree.feature[at]), left)] = (at, left)
        conditions = " and ".join(names.condition(tree, at, left) for at, left in tightest.values())
        lines.append(f"if {conditions} then {names.answer(tree, node)}" if conditions else names.answer(tree, node))
    return lines
