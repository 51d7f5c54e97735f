"""The best of the splits that a node has on offer."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from surefit.certificates.theorems.trees.criteria import Node
from surefit.certificates.theorems.trees.offers import best_on_offer


def node_of(criterion: str, y: Any, w: Any, n_classes: int = 0) -> Node:
    """A node with these targets or codes."""
    Y = np.asarray(y, dtype=float).reshape(len(w), -1)
    q = Y.shape[1]
    return Node((Y == np.arange(n_classes)).astype(float) if n_classes else Y, w, criterion == "entropy", q)


def best_decrease(here: Node, X: Any, **rules: Any) -> float:
    """The largest decrease on offer, where nothing is drawn and nothing else is asked for; −∞ where none is."""
    d = X.shape[1]
    free = {"theirs": False, "min_rows": 1, "drawn": False, "categorical": np.zeros(d, dtype=bool)}
    growth: Any = SimpleNamespace(**{**free, **rules})
    return best_on_offer(here, X, growth, None)


def decrease_of(here: Node, left: Any) -> float:
    """What the cut into the rows `left` and the others lowers the loss by."""
    return float(here.lowers(here.terms[left].sum(axis=0), here.terms[~left].sum(axis=0)))
