"""Importances of features: what splits by each lower the impurity by, as a share."""

from __future__ import annotations

import numpy as np

from surefit.certificates.blocks import F64
from surefit.certificates.claim import Claim, Grade, at_most, refuted
from surefit.certificates.rounding import UNIT
from surefit.certificates.theorems.trees.nodes import Nodes


def importances(nodes: Nodes) -> tuple[F64, float]:
    """By feature: what the splits lower the weighted impurity by, as shares of the sum; and the rounding of a share."""
    inner = np.flatnonzero(nodes.inner)
    loss = nodes.weight * nodes.impurity
    gains = loss[inner] - loss[nodes.left[inner]] - loss[nodes.right[inner]]
    shares, total = np.bincount(nodes.feature[inner], weights=gains, minlength=nodes.n_features), float(gains.sum())
    rounding = 16 * UNIT * (len(inner) + 4) * float(loss[inner].sum())
    return (shares / total, 4 * rounding / total) if total > 0 else (shares * 0.0, float(inner.size > 0))


def importances_claim(given: F64 | None, shares: F64, rounding: float) -> Claim:
    if given is None:
        return refuted("importances", "feature_importances_ is not a number for each feature.")
    what = "what splits by each feature lower the impurity by, as a share"
    sentence, failure = f"feature_importances_ is {what}; largest difference.", f"feature_importances_ is not {what}."
    return at_most("importances", sentence, Grade.EXACT, float(np.abs(given - shares).max()), rounding, failure=failure)
