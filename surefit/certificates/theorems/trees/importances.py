"""Importances of features: what splits by each lower the impurity by, as a share."""

from __future__ import annotations

import numpy as np

from surefit.certificates.attributes import Attributes
from surefit.certificates.claim import Claim, Grade, at_most
from surefit.certificates.rounding import UNIT
from surefit.certificates.theorems.trees.nodes import Nodes


def importances_claim(attrs: Attributes, trees: list[Nodes]) -> Claim:
    """feature_importances_: the mean over the trees that have a split of the shares of what their splits lower."""
    total, rounding = np.zeros(trees[0].n_features), 1e-15
    for nodes in trees:
        inner, loss = np.flatnonzero(nodes.inner), nodes.weight * nodes.impurity
        gains = loss[inner] - loss[nodes.left[inner]] - loss[nodes.right[inner]]
        shares = np.bincount(nodes.feature[inner], weights=gains, minlength=nodes.n_features)
        if shares.sum() > 0:
            total += shares / shares.sum()
            rounding = max(rounding, 64 * UNIT * (len(inner) + 4) * float(loss[inner].sum() / shares.sum()))
    given, expected = attrs.array("feature_importances_", total.shape), total / (total.sum() or 1.0)
    off = np.inf if given is None else float(np.abs(given - expected).max())
    what = "what splits by each feature lower the impurity by, as a share"
    sentence, failure = f"feature_importances_ is {what}; largest difference.", f"feature_importances_ is not {what}."
    return at_most("importances", sentence, Grade.EXACT, off, 4 * rounding, failure=failure)
