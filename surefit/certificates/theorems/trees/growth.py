"""How a tree was grown, read from its public parameters.

scikit-learn's trees read rows in float32, take values within 1e-7 as equal, call an impurity of 2.2e-16 pure, and draw
candidates in a way that cannot be seen. Ours keep the rows' type, draw from `seed_`, and of equal splits take the
feature looked at first.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes, real, whole
from surefit.certificates.blocks import BadData
from surefit.certificates.theorems.trees.examples import from_scikit_learn

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
    monotonic: NDArray[np.intp]  # by feature: the mean on the right is no smaller (1), no larger (−1), any (0)
    max_features: int
    max_depth: float
    min_split: int
    min_decrease: float
    max_leaves: float
    alpha: float
    drawn: bool  # thresholds are drawn
    categorical: NDArray[np.bool_]  # the features that are split by subsets
    seed: int  # of one tree of ours; −1: which features were candidates cannot be seen
    binned: bool = False  # values are numbers of bins: any threshold is on offer
    gaps: bool = True  # values may be missing: also where none is, a split says where one goes

    @property
    def seen(self) -> bool:
        """Which splits were on offer is known: nothing was drawn, or the seed says what."""
        return self.seed >= 0 or (not self.drawn and self.max_features >= len(self.monotonic))


def read_growth(attrs: Attributes, shape: tuple[int, int, int], n_classes: int, weight: float) -> Growth:
    """The parameters of a tree or of the trees of a forest; BadData for what is not replayed.

    shape: the number of rows that shares of rows are of, of columns, of targets. weight: that of all rows.
    """
    (n, d, q), known, theirs = shape, CLASSES if n_classes else NUMBERS, from_scikit_learn(attrs.model)
    criterion, splitter = attrs.parameter("criterion", known[0]), attrs.parameter("splitter", "best")
    signs = np.asarray(attrs.parameter("monotonic_cst", np.zeros(d, dtype=np.intp)))
    sets = np.asarray(attrs.parameter("is_categorical_", np.zeros(d))) == 1
    if criterion not in known or splitter not in ("best", "random") or not signs.shape == sets.shape == (d,):
        raise BadData("criterion, splitter, monotonic_cst or is_categorical_ is not what is known here")
    if (signs.any() and criterion == "absolute_error") or (criterion == "poisson" and q > 1):
        raise BadData("constraints with the absolute error, and several Poisson targets, are not replayed")
    if (splitter == "random" and sets.any()) or not np.isin(signs, (-1, 0, 1)).all():
        raise BadData("drawn subsets of categories, and constraints other than −1, 0, 1, are not replayed")
    least, depth = _rows(attrs.parameter("min_samples_leaf", 1), n), real(attrs.parameter("max_depth", math.inf))
    most: Any = attrs.parameter("max_features", d)
    if not isinstance(most, (int, np.integer)):
        named = {"sqrt": math.sqrt(d), "log2": math.log2(d)}
        most = max(1, int(named[most] if isinstance(most, str) else real(most) * d))
    light, decrease = (
        real(attrs.parameter(name, 0.0)) for name in ("min_weight_fraction_leaf", "min_impurity_decrease")
    )
    alpha = real(attrs.parameter("ccp_alpha_" if attrs.has("ccp_alpha_") else "ccp_alpha", 0.0))
    if not np.isfinite([light, decrease, alpha, least]).all() or math.isnan(depth):
        raise BadData("a parameter of the growth is not a number")
    return Growth(theirs, "entropy" if criterion == "log_loss" else criterion, n_classes, least, light * weight, signs,
                  int(most), depth, max(2, 2 * least, _rows(attrs.parameter("min_samples_split", 2), n)), decrease,
                  real(attrs.parameter("max_leaf_nodes", math.inf)), alpha, splitter == "random", sets,
                  -1 if theirs else whole(getattr(attrs.model, "seed_", None)))  # fmt: skip


def _rows(value: Any, n: int) -> int:
    """A number of rows, or a share of all rows rounded up."""
    return int(value) if isinstance(value, (int, np.integer)) else math.ceil(real(value) * n)
