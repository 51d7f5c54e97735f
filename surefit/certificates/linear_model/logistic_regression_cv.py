"""Checker of LogisticRegressionCV: the last fit is the best at `C_` and `l1_ratio_`, which have the highest mean score.

The scores of the folds are those that the model states: `scores_` and `coefs_paths_` are not computed again.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes
from surefit.certificates.blocks import Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most, failed, refuted
from surefit.certificates.labels import reads_labels
from surefit.certificates.linear_model.logistic_fit import COVERED, answers, optimal, read_fit
from surefit.certificates.theorems.log_loss.log_loss_dual import penalized_least


@checker(*COVERED, "C_", "l1_ratio_", "Cs_")
@reads_labels
def check_logistic_regression_cv(model: Any, blocks: Blocks, tol: float) -> Findings:
    """As for LogisticRegression; without a penalty (C = ∞) the fit is not checked."""
    attrs = Attributes(model, "coef_")
    C, ratio = _single(attrs, "C_"), _single(attrs, "l1_ratio_")
    fit = read_fit(attrs, blocks, C, ratio)
    if fit is None:
        return [bad_attributes(attrs)], "one pass"
    if not attrs.flag("refit", True) or not fit.task.penalized:
        means = "With refit=False the coefficients are means over folds, which are the best of nothing: set refit=True."
        return [failed("optimal", means if fit.task.penalized else "A fit without a penalty is not checked.")], "a pass"
    claims = [optimal(fit, tol, penalized_least), *answers(model, fit), _selected(attrs, C, ratio)]
    return claims, "some twenty passes over the rows"


def _single(attrs: Attributes, name: str) -> float:
    """The one number of an attribute that repeats it for every class; an l1_ratio_ of None is zero."""
    raw = attrs.raw(name)
    if raw is None and name == "l1_ratio_" and set(np.ravel(getattr(attrs.model, name, 0)).tolist()) == {None}:
        raw = np.zeros(1)
    values = np.zeros(0) if raw is None else np.unique(raw.astype(np.float64))
    if values.size != 1:
        attrs.faults.append(f"{name} is not one number")
    return float(values[0]) if values.size else np.nan


def _selected(attrs: Attributes, C: float, ratio: float) -> Claim:
    """Σ over folds of scores_ is highest at C_ and l1_ratio_; each class has the same scores."""
    stated = getattr(attrs.model, "scores_", None)
    try:
        table = np.asarray(next(iter(stated.values())) if isinstance(stated, dict) else stated, dtype=np.float64)
        table = table if isinstance(stated, dict) else np.swapaxes(table, 1, 2)  # folds × C × l1_ratio
        means = table.reshape(*table.shape[:2], -1).mean(axis=0)
        grid, ratios = np.asarray(attrs.raw("Cs_"), dtype=np.float64), attrs.raw("l1_ratios_")
        ratios = np.full(1, ratio) if ratios is None or means.shape[1] == 1 else np.asarray(ratios, dtype=np.float64)
        chosen = means[np.ix_(grid == C, ratios == ratio)]
    except (TypeError, ValueError, IndexError, StopIteration) as fault:
        return refuted("selected", f"scores_, Cs_ and l1_ratios_ do not fit together: {fault}.")
    if not chosen.size:
        return refuted("selected", f"C_ = {C:.6g} and l1_ratio_ = {ratio:.6g} are not on the grid.")
    return at_most(
        "selected",
        "Of the grid, C_ and l1_ratio_ have the highest mean of scores_ (which were not computed again); by how much "
        "another is higher.",
        Grade.EXACT,
        float(means.max() - chosen.max()),
        1e-12 * float(np.abs(means).max()),
        failure="Another C or l1_ratio of the grid has a higher mean of scores_.",
    )
