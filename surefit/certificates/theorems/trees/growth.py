"""How a tree was grown, read from its public parameters.

scikit-learn's trees read rows in float32, take values within 1e-7 as equal, and call an impurity of 2.2e-16 pure. Ours
keep the rows' type. Parameters of few fits are not replayed, nor is anything that was drawn.
"""

from __future__ import annotations

import math

import numpy as np

from surefit.certificates.attributes import Attributes, real, whole
from surefit.certificates.blocks import BadData
from surefit.certificates.theorems.trees.examples import from_scikit_learn

CRITERIA = {True: ("gini", "entropy", "log_loss"), False: ("squared_error", "friedman_mse")}
RARE = ("splitter", "monotonic_cst", "min_weight_fraction_leaf", "min_impurity_decrease")
LIMITS = {"max_depth": math.inf, "max_leaf_nodes": math.inf, "min_samples_leaf": 1, "min_samples_split": 2}


class Growth:
    """The parameters of one tree; BadData for what is not replayed."""

    def __init__(self, attrs: Attributes, d: int, n_classes: int) -> None:
        known = CRITERIA[n_classes > 0]
        criterion, most = attrs.parameter("criterion", known[0]), attrs.parameter("max_features", d)
        rare = [name for name in RARE if getattr(attrs.model, name, None) not in (None, "best", 0)]
        if criterion not in known or rare:
            raise BadData(f"trees with {', '.join(rare) or criterion} are not replayed")
        if not isinstance(most, (int, np.integer)):
            most = {"sqrt": math.sqrt(d), "log2": math.log2(d)}[most] if isinstance(most, str) else real(most) * d
        if whole(attrs.model.max_features_) != max(1, int(most)):
            raise BadData("max_features_ is not what was asked for")
        self.theirs, self.entropy = from_scikit_learn(attrs.model), criterion in CRITERIA[True][1:]
        self.drawn = max(1, int(most)) < d  # candidates for each split
        self.categorical = np.reshape(attrs.parameter("is_categorical_", np.zeros(d)), d) == 1  # split by sets
        self.binned = attrs.has("bin_thresholds_")  # thresholds are those of bins, not midway between values
        limits = [real(attrs.parameter(name, usual)) for name, usual in LIMITS.items()]
        self.max_depth, self.max_leaves, self.min_rows, self.min_split = limits
        chosen = attrs.parameter("ccp_alpha", 0.0) == "cv"
        self.alpha = real(attrs.parameter("ccp_alpha_" if chosen else "ccp_alpha", 0.0))
        if not (np.min(limits) >= 1 and self.min_split >= 2 and self.alpha >= 0):
            raise BadData("a limit of the growth is a share of the rows, or no number: not replayed")
        if self.alpha and self.max_leaves < math.inf:
            raise BadData("trees with max_leaf_nodes that were pruned are not replayed")
