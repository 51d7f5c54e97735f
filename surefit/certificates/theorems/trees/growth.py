"""How a tree was grown, read from its public parameters.

scikit-learn's trees read rows in float32, take values within 1e-7 as equal, and call an impurity of 2.2e-16 pure. Ours
keep the rows' type. Parameters of few fits are not replayed, nor is anything that was drawn.
"""

from __future__ import annotations

import math

import numpy as np

from surefit.certificates.attributes import Attributes, real
from surefit.certificates.blocks import BadData
from surefit.certificates.theorems.trees.examples import from_scikit_learn

CRITERIA = {True: ("gini", "entropy", "log_loss"), False: ("squared_error", "friedman_mse")}
RARE = ("splitter", "monotonic_cst", "min_weight_fraction_leaf", "min_impurity_decrease")
LIMITS = {"max_depth": math.inf, "max_leaf_nodes": math.inf, "min_samples_leaf": 1, "min_samples_split": 2}


class Growth:
    """The parameters of one tree, or of the trees of a forest; BadData for what is not replayed."""

    binned = False  # thresholds are those of bins, not midway between values

    def __init__(self, attrs: Attributes, d: int, n_classes: int) -> None:
        known = CRITERIA[n_classes > 0]
        criterion, most = attrs.parameter("criterion", known[0]), attrs.parameter("max_features", d)
        rare = [name for name in RARE if getattr(attrs.model, name, None) not in (None, "best", 0)]
        if criterion not in known or rare:
            raise BadData(f"trees with {', '.join(rare) or criterion} are not replayed")
        if not isinstance(most, (int, np.integer)):
            most = {"sqrt": math.sqrt(d), "log2": math.log2(d)}[most] if isinstance(most, str) else real(most) * d
        self.theirs, self.n_classes = from_scikit_learn(attrs.model), n_classes
        self.entropy, self.max_features = criterion in CRITERIA[True][1:], max(1, int(most))
        self.categorical = np.reshape(attrs.parameter("is_categorical_", np.zeros(d)), d) == 1  # split by sets
        limits = [real(attrs.parameter(name, usual)) for name, usual in LIMITS.items()]
        self.max_depth, self.max_leaves, self.min_rows, self.min_split = limits
        self.alpha = real(attrs.parameter("ccp_alpha_" if attrs.has("ccp_alpha_") else "ccp_alpha", 0.0))
        if not (np.min(limits) >= 1 and self.min_split >= 2 and self.alpha >= 0):
            raise BadData("a limit of the growth is a share of the rows, or no number: not replayed")
