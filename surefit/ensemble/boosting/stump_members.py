"""Stumps as fitted trees: which members AdaBoost grows in its native loop, and what a tree says of rows."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from surefit.solvers.growing.tree import Tree
from surefit.tree.decision_tree_classifier import DecisionTreeClassifier

MOST_DENSE = 2**27
"""Sparse rows are written out for stumps if they hold at most so many numbers."""


def is_plain_stump(base: Any, X: Any) -> bool:
    """Whether `base` grows the stump that `solvers.boosting.stumps` does, and X is a matrix of numbers."""
    if type(base) is not DecisionTreeClassifier or len(X.shape) != 2 or X.dtype.kind not in "fiub":
        return False
    if sp.issparse(X) and X.shape[0] * X.shape[1] > MOST_DENSE:
        return False
    plain = DecisionTreeClassifier(max_depth=1, random_state=base.random_state)
    mine, theirs = base.get_params(), plain.get_params()
    return all(mine[name] is theirs[name] or mine[name] == theirs[name] for name in theirs)


def stump_member(template: Any, tree: Tree, seed: int) -> DecisionTreeClassifier:
    """A copy of a fitted tree that has another tree and another seed."""
    member = copy.copy(template)
    member.random_state, member.tree_ = seed, tree
    return member


def fitted_template(base: Any, rows: np.ndarray, classes: np.ndarray) -> DecisionTreeClassifier:
    """`base` as it is after a fit to such rows of all these classes; its tree is of no use."""
    some = np.repeat(rows[:1], len(classes), axis=0)
    return clone(base).set_params(random_state=0).fit(some, classes)


def tree_codes(member: Any, X: Any, classes: np.ndarray) -> np.ndarray | None:
    """What a fitted tree says of dense rows, as places in `classes`; None for other members and rows."""
    if type(member) is not DecisionTreeClassifier or not isinstance(X, np.ndarray) or X.dtype.kind != "f":
        return None
    if not np.array_equal(member.classes_, classes):
        return None
    return member.tree_.value[:, 0].argmax(axis=1)[member.tree_.apply(X)]
