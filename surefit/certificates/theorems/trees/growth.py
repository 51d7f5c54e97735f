"""How a tree was grown, read from its public parameters.

scikit-learn's trees read rows in float32, take values within 1e-7 as equal, call an impurity of 2.2e-16 pure, and draw
candidates in a way that cannot be seen. Ours keep the rows' type, draw from `seed_`, and of equal splits take the
feature looked at first, then the lowest threshold.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes, real, whole
from surefit.certificates.blocks import F64, BadData

CLASSES = ("gini", "entropy", "log_loss")
NUMBERS = ("squared_error", "friedman_mse", "absolute_error", "poisson")


@dataclass(frozen=True)
class Growth:
    """The parameters of one tree."""

    theirs: bool
    criterion: str
    n_classes: int  # 0 for regression
    min_rows: int
    min_weight: float
    monotonic: NDArray[np.intp] | None  # by feature: the mean on the right is no smaller (1), no larger (−1)
    max_features: int
    max_depth: float
    min_split: int
    min_decrease: float
    max_leaves: int | None
    alpha: float
    drawn: bool  # thresholds are drawn
    categorical: NDArray[np.bool_] | None  # the features that are split by subsets
    seed: int | None = None  # None: which features were candidates cannot be seen
    binned: bool = False  # values are numbers of bins, any threshold is on offer

    def seen(self, n_features: int) -> bool:
        """Which splits were on offer is known: nothing was drawn, or the seed says what."""
        return self.seed is not None or (not self.drawn and self.max_features >= n_features)

    def known(self, X: F64) -> F64:
        """What is no category 0 … 255 is missing."""
        return X if self.categorical is None else np.where(self.categorical & ~((X >= 0) & (X < 256)), np.nan, X)


def read_growth(attrs: Attributes, shape: tuple[int, int, int], n_classes: int, weight: float, theirs: bool) -> Growth:
    """The parameters of a tree (or of the trees of a forest), with the faults noted.

    shape: the number of rows that shares of rows are of, of columns, of targets. weight: that of all rows. The seed is
    that of one tree of ours, where something is drawn.
    """
    (n, d, q), known, model = shape, CLASSES if n_classes else NUMBERS, attrs.model
    criterion, splitter = attrs.parameter("criterion", known[0]), attrs.parameter("splitter", "best")
    if str(criterion) not in known or str(splitter) not in ("best", "random"):
        attrs.faults.append(f"criterion={criterion!r} or splitter={splitter!r} is not known here")
    signs = None if getattr(model, "monotonic_cst", None) is None else np.asarray(model.monotonic_cst)
    if signs is not None and (signs.shape != (d,) or not np.isin(signs, (-1, 0, 1)).all()):
        attrs.faults.append("monotonic_cst is not one of −1, 0, 1 for each feature")
    sets = attrs.array("is_categorical_", (d,)) if attrs.has("is_categorical_") and not theirs else None
    sets = None if sets is None or not sets.any() else sets == 1
    if (signs is not None and criterion == "absolute_error") or (criterion == "poisson" and q > 1):
        raise BadData("constraints with the absolute error, and several Poisson targets, are not replayed")
    if splitter == "random" and sets is not None:
        raise BadData("subsets of categories that are drawn are not replayed")
    least, depth, leaves = _share(attrs, "min_samples_leaf", 1, n), attrs.parameter("max_depth", np.inf), None
    numbers = [real(attrs.parameter(name, 0.0)) for name in ("min_weight_fraction_leaf", "min_impurity_decrease")]
    alpha = real(attrs.parameter("ccp_alpha_" if attrs.has("ccp_alpha_") else "ccp_alpha", 0.0))
    if not np.isfinite([*numbers, alpha]).all() or math.isnan(real(depth)):
        attrs.faults.append("a parameter of the growth is not a number")
    leaves = whole(model.max_leaf_nodes) if attrs.has("max_leaf_nodes") else None
    most, seed = max_features_of(getattr(model, "max_features", None), d), whole(getattr(model, "seed_", None))
    return Growth(
        theirs, "entropy" if criterion == "log_loss" else criterion, n_classes, least, numbers[0] * weight, signs, most,
        real(depth), max(2, 2 * least, _share(attrs, "min_samples_split", 2, n)), numbers[1], leaves, alpha,
        splitter == "random", sets, None if theirs or seed < 0 else seed,
    )  # fmt: skip


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
