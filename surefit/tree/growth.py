"""What a decision tree's parameters mean for rows at hand: counts, weights, directions, seed."""

from __future__ import annotations

from math import ceil
from numbers import Integral
from typing import Any

import numpy as np

from surefit._core.errors import InvalidData, InvalidParameter
from surefit._core.random import random_stream


def counts_of(p: Any, n_rows: int, weight: float, d: int) -> dict[str, Any]:
    """The limits of growing, shares turned into numbers of rows, weight and columns."""
    leaf = p.min_samples_leaf
    leaf = int(leaf) if isinstance(leaf, Integral) else ceil(leaf * n_rows)
    split = p.min_samples_split
    split = int(split) if isinstance(split, Integral) else max(2, ceil(split * n_rows))
    return {
        "splitter": p.splitter,
        "max_depth": p.max_depth,
        "min_samples_leaf": leaf,
        "min_samples_split": max(split, 2 * leaf),
        "min_weight_leaf": p.min_weight_fraction_leaf * weight,
        "max_features": features_looked_at(p.max_features, d),
        "max_leaf_nodes": p.max_leaf_nodes,
        "min_impurity_decrease": p.min_impurity_decrease,
    }


def features_looked_at(max_features: Any, d: int) -> int:
    """How many of d columns a node looks at."""
    if max_features is None:
        return d
    if max_features == "sqrt":
        return max(1, int(np.sqrt(d)))
    if max_features == "log2":
        return max(1, int(np.log2(d)))
    return int(max_features) if isinstance(max_features, Integral) else max(1, int(max_features * d))


def seed_of(random_state: Any) -> int:
    """The seed of the draws: a whole number as it is, None is 0, else one number of the stream."""
    if random_state is None:
        return 0
    if isinstance(random_state, Integral) and int(random_state) >= 0:
        return int(random_state)
    return int(random_stream(random_state).integers(0, 2**31 - 1))


def directions_of(monotonic_cst: Any, d: int, n_outputs: int, n_classes: int) -> np.ndarray | None:
    """The directions, one for each column, or None."""
    if monotonic_cst is None:
        return None
    if n_outputs > 1:
        raise InvalidData("Monotonicity constraints are not supported with multiple outputs.")
    if n_classes > 2:
        raise InvalidData("Monotonicity constraints are not supported with multiclass classification")
    directions = np.asarray(monotonic_cst)
    if directions.shape != (d,):
        shape = len(directions) if directions.ndim == 1 else directions.shape
        raise InvalidData(f"monotonic_cst has shape {shape} but the input data X has {d} features.")
    if not np.isin(directions, (-1, 0, 1)).all():
        raise InvalidParameter(
            f"monotonic_cst must be None or an array-like of -1, 0 or 1, but got {np.unique(directions)}"
        )
    return directions.astype(np.int8)
