"""How a tree was grown, read from its public parameters.

scikit-learn's trees read rows in float32, take values within 1e-7 as equal, call an impurity of 2.2e-16 pure, and draw
candidates in a way that cannot be seen. Ours keep the rows' type, and draw from `seed_`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes, real, whole
from surefit.certificates.blocks import F64, BadData
from surefit.certificates.theorems.trees.splits import Rules

CLASSES = ("gini", "entropy", "log_loss")
NUMBERS = ("squared_error", "friedman_mse", "absolute_error", "poisson")


@dataclass(frozen=True)
class Growth:
    """The parameters of one tree."""

    criterion: str
    n_classes: int  # 0 for regression
    rules: Rules
    max_features: int
    max_depth: float
    min_split: int
    min_decrease: float
    least_impurity: float  # a node with no more is pure
    max_leaves: int | None
    alpha: float
    drawn: bool  # thresholds are drawn
    first_of_ties: bool  # of equal splits the feature looked at first, then the lowest threshold
    categorical: NDArray[np.bool_] | None  # the features that are split by subsets
    seed: int | None = None  # None: which features were candidates cannot be seen
    binned: bool = False  # values are numbers of bins, any threshold is on offer
    orders: Callable[..., tuple[F64, NDArray[np.intp], bool]] | None = None  # subsets of categories as orders

    def seen(self, n_features: int) -> bool:
        """Which splits were on offer is known: nothing was drawn, or the seed says what."""
        return self.seed is not None or (not self.drawn and self.max_features >= n_features)

    def known(self, X: F64) -> F64:
        """What is no category 0 … 255 is missing."""
        return X if self.categorical is None else np.where(self.categorical & ~((X >= 0) & (X < 256)), np.nan, X)


def read_growth(
    attrs: Attributes, shape: tuple[int, int], q: int, n_classes: int, weight: float, theirs: bool
) -> Growth:
    """The parameters of a tree (or of the trees of a forest), with the faults noted.

    shape: the number of rows that shares of rows are of, and of columns. q targets; weight: that of all rows.
    """
    (n, d), known = shape, CLASSES if n_classes else NUMBERS
    criterion, splitter = attrs.parameter("criterion", known[0]), attrs.parameter("splitter", "best")
    if str(criterion) not in known or str(splitter) not in ("best", "random"):
        attrs.faults.append(f"criterion={criterion!r} or splitter={splitter!r} is not known here")
    monotonic = getattr(attrs.model, "monotonic_cst", None)
    signs = None if monotonic is None else np.asarray(monotonic)
    if signs is not None and (signs.shape != (d,) or not np.isin(signs, (-1, 0, 1)).all()):
        attrs.faults.append("monotonic_cst is not one of −1, 0, 1 for each feature")
    sets = attrs.array("is_categorical_", (d,)) if attrs.has("is_categorical_") and not theirs else None
    sets = None if sets is None or not sets.any() else sets == 1
    if (signs is not None and criterion == "absolute_error") or (criterion == "poisson" and q > 1):
        raise BadData("constraints with the absolute error, and several Poisson targets, are not replayed")
    if splitter == "random" and sets is not None:
        raise BadData("subsets of categories that are drawn are not replayed")
    least, depth = _share(attrs, "min_samples_leaf", 1, n), getattr(attrs.model, "max_depth", None)
    min_weight = real(attrs.parameter("min_weight_fraction_leaf", 0.0)) * weight
    leaves = getattr(attrs.model, "max_leaf_nodes", None)
    growth = Growth(
        criterion="entropy" if criterion == "log_loss" else criterion,
        n_classes=n_classes,
        rules=Rules(least, min_weight, 1e-7 if theirs else 0.0, criterion == "poisson", signs),
        max_features=max_features_of(getattr(attrs.model, "max_features", None), d),
        max_depth=np.inf if depth is None else real(depth),
        min_split=max(2, 2 * least, _share(attrs, "min_samples_split", 2, n)),
        min_decrease=real(attrs.parameter("min_impurity_decrease", 0.0)),
        least_impurity=float(np.finfo(float).eps) if theirs else 0.0,
        max_leaves=None if leaves is None else whole(leaves),
        alpha=real(attrs.parameter("ccp_alpha_" if attrs.has("ccp_alpha_") else "ccp_alpha", 0.0)),
        drawn=splitter == "random",
        first_of_ties=not theirs,
        categorical=sets,
    )
    if not np.isfinite([min_weight, growth.min_decrease, growth.alpha]).all() or math.isnan(growth.max_depth):
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
    if value is None or isinstance(value, (int, np.integer)):
        return d if value is None else int(value)
    share = {"sqrt": math.sqrt(d), "log2": math.log2(d)}
    return max(1, int(share[value] if isinstance(value, str) else real(value) * d))
