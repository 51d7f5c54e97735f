"""How a tree was grown, read from its public parameters; and the rows that it was grown on.

scikit-learn's trees read rows in float32, take values within 1e-7 as equal, call an impurity of 2.2e-16 pure, and draw
candidates in a way that cannot be seen. Ours keep the rows' type, and draw from `seed_`.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, real, whole
from surefit.certificates.blocks import F64, BadData
from surefit.certificates.theorems.trees.examples import Examples
from surefit.certificates.theorems.trees.replay import Growth
from surefit.certificates.theorems.trees.splits import Rules

CLASSES = ("gini", "entropy", "log_loss")
NUMBERS = ("squared_error", "friedman_mse", "absolute_error", "poisson")


def class_factors(attrs: Attributes, counts: F64, named: str = "balanced") -> F64:
    """The factor of every class by `class_weight`: None, a dictionary, or Σ / (K · the count of the class)."""
    given, K = getattr(attrs.model, "class_weight", None), len(counts)
    if given is None:
        return np.ones(K)
    if isinstance(given, str) and given == named:
        return counts.sum() / (K * np.where(counts > 0, counts, 1.0))
    if isinstance(given, dict):
        return np.array([real(given.get(label, 1.0)) for label in np.asarray(attrs.model.classes_).tolist()])
    attrs.faults.append(f"class_weight={given!r} is not known here")
    return np.ones(K)


def read_growth(
    attrs: Attributes, data: Examples, n_classes: int, total: float, theirs: bool, n_rows: int | None = None
) -> Growth:
    """The parameters of a tree (or of the trees of a forest), with the faults noted; total: the weight of its rows.

    Shares of rows are of n_rows, by default of all rows (scikit-learn) or of those of positive weight.
    """
    n, d = len(data.w) if theirs else n_rows or int(np.count_nonzero(data.w)), data.X.shape[1]
    criterion = attrs.parameter("criterion", CLASSES[0] if n_classes else NUMBERS[0])
    if not isinstance(criterion, str) or criterion not in (CLASSES if n_classes else NUMBERS):
        attrs.faults.append(f"criterion={criterion!r} is not known here")
    if attrs.parameter("splitter", "best") not in ("best", "random"):
        attrs.faults.append("splitter is neither best nor random")
    least = _share(attrs, "min_samples_leaf", 1, n)
    monotonic = getattr(attrs.model, "monotonic_cst", None)
    signs = None if monotonic is None else np.asarray(monotonic)
    if signs is not None and (signs.shape != (d,) or not np.isin(signs, (-1, 0, 1)).all()):
        attrs.faults.append("monotonic_cst is not one of −1, 0, 1 for each feature")
        signs = None
    if (signs is not None and criterion == "absolute_error") or (criterion == "poisson" and data.Y.shape[1] > 1):
        raise BadData("constraints with the absolute error, and several Poisson targets, are not replayed")
    min_weight = real(attrs.parameter("min_weight_fraction_leaf", 0.0)) * total
    rules = Rules(least, min_weight, 1e-7 if theirs else 0.0, criterion == "poisson", signs)
    alpha = real(attrs.parameter("ccp_alpha_" if attrs.has("ccp_alpha_") else "ccp_alpha", 0.0))
    depth, leaves = getattr(attrs.model, "max_depth", None), getattr(attrs.model, "max_leaf_nodes", None)
    growth = Growth(
        criterion="entropy" if criterion == "log_loss" else criterion,
        n_classes=n_classes,
        rules=rules,
        max_features=max_features_of(getattr(attrs.model, "max_features", None), d),
        max_depth=np.inf if depth is None else real(depth),
        min_split=max(2, 2 * least, _share(attrs, "min_samples_split", 2, n)),
        min_decrease=real(attrs.parameter("min_impurity_decrease", 0.0)),
        least_impurity=float(np.finfo(float).eps) if theirs else 0.0,
        max_leaves=None if leaves is None else whole(leaves),
        alpha=alpha,
        drawn=attrs.text("splitter", "best") == "random",
        first_of_ties=not theirs,
    )
    if attrs.has("is_categorical_") and not theirs:
        sets = attrs.array("is_categorical_", (d,))
        growth = replace(growth, categorical=None if sets is None or not sets.any() else sets == 1)
    if growth.drawn and growth.categorical is not None:
        raise BadData("subsets of categories that are drawn are not replayed")
    if not all(np.isfinite([min_weight, growth.min_decrease, alpha])) or math.isnan(growth.max_depth):
        attrs.faults.append("a parameter of the growth is not a number")
    return growth


def _share(attrs: Attributes, name: str, default: int, n: int) -> int:
    """A number of rows, or a share of all rows rounded up."""
    value = attrs.parameter(name, default)
    if isinstance(value, (int, np.integer)):
        return int(value)
    if not 0 < real(value) <= 1:
        attrs.faults.append(f"{name}={value!r} is neither a number of rows nor a share")
        return default
    return math.ceil(real(value) * n)


def max_features_of(value: Any, d: int) -> int:
    if value == "sqrt":
        return max(1, int(math.sqrt(d)))
    if value == "log2":
        return max(1, int(math.log2(d)))
    if value is None:
        return d
    return int(value) if isinstance(value, (int, np.integer)) else max(1, int(real(value) * d))
