"""The usual region of practical equivalence: how large a difference of mean scores must be to matter.

It is 0.01 for scores on a scale from 0 to 1 (one correct answer in a hundred) and for R². Errors are on the scale of
the target: 1 % of its standard deviation, for squared errors 1 % of its variance, which is 0.01 of R². The log-loss is
on the scale of the entropy of the class shares, which is the log-loss of the baseline. A score that is none of these
has no usual region, and nothing is said about practical equivalence.
"""

from __future__ import annotations

import numpy as np

SHARE = 0.01
UNIT = {
    "accuracy", "balanced accuracy", "R²", "explained variance", "explained", "ROC AUC", "average precision", "F1",
    "F1 (macro)", "−Brier score", "precision", "recall", "jaccard",
}  # fmt: skip
IN_TARGET_UNITS = {"−RMSE", "−MAE", "−median AE", "−max error"}


def usual_rope(metric: str, y: np.ndarray | None = None) -> float | None:
    """The largest difference of two mean scores that does not matter, by the name of the score; None where unknown.

    >>> usual_rope("accuracy"), usual_rope("−RMSE", np.array([0.0, 10.0])), usual_rope("my score")
    (0.01, 0.05, None)
    """
    if metric in UNIT or metric.split("_")[0] in UNIT or metric.startswith("roc_auc"):
        return SHARE
    if y is None:
        return None
    if metric in IN_TARGET_UNITS:
        return SHARE * float(np.std(y))
    if metric == "−MSE":
        return SHARE * float(np.var(y))
    if metric == "−log-loss":
        shares = np.unique(y, return_counts=True)[1] / np.size(y)
        return SHARE * float(-(shares * np.log(shares)).sum())
    return None
