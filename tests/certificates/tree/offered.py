"""The best of the splits that a node has on offer."""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.certificates.theorems.trees.growth import Growth
from surefit.certificates.theorems.trees.place import Place


def place_of(criterion: str, X: Any, Y: Any, w: Any, n_classes: int = 0, **rules: Any) -> Place:
    """A place with these rows, where nothing is drawn and nothing else is asked for."""
    d = X.shape[1]
    free: dict[str, Any] = {"theirs": False, "criterion": criterion, "n_classes": n_classes, "min_rows": 1,
                            "min_weight": 0.0, "monotonic": np.zeros(d, dtype=int), "max_features": d,
                            "max_depth": np.inf, "min_split": 2, "min_decrease": 0.0, "max_leaves": np.inf,
                            "alpha": 0.0, "drawn": False, "categorical": np.zeros(d, dtype=bool),
                            "seed": -1}  # fmt: skip
    return Place(Growth(**{**free, **rules}), X, Y, w, np.uint64(0))


def best_decrease(place: Place) -> float:
    """The largest decrease on offer; −∞ where no split is admissible."""
    return float(place.best(place.candidates()).max(initial=-np.inf))


def decrease_of(place: Place, left: Any) -> float:
    """What the cut into the rows `left` and the others lowers the loss by."""
    order = np.argsort(~left, kind="stable")[:, None]
    return float(place.node.cut(order)[2][np.count_nonzero(left) - 1, 0])
