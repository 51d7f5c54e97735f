"""Which solver fits a linear support vector machine, by penalty, loss and the shape of the data."""

from __future__ import annotations

from typing import Literal

import numpy as np

from surefit.engine.sources.source import Source
from surefit.solvers.hinge.clipped_pass import Labels
from surefit.solvers.hinge.dual_descent import solve_dual
from surefit.solvers.hinge.hinge import solve_hinge
from surefit.solvers.hinge.lasso_hinge import solve_lasso_hinge
from surefit.solvers.hinge.solution import AfterStep, Solution
from surefit.solvers.hinge.squared_hinge import solve_squared_hinge

MAX_COLUMNS = 1200
"""Columns up to which second derivatives are kept as one matrix."""

Loss = Literal["hinge", "squared_hinge"]
Penalty = Literal["l1", "l2"]


def streams(penalty: Penalty, loss: Loss) -> bool:
    """Whether the rows may be read block by block (where there are at most MAX_COLUMNS columns)."""
    return loss == "squared_hinge"


def sides(cost: np.ndarray, class_weight: np.ndarray) -> list[Labels]:
    """One problem for two classes; for more one for each class against the rest.

    As liblinear has it: among more than two classes a class weight is that of the class itself, the rest costs C.
    """
    if len(cost) == 2:
        return [Labels(1, cost * class_weight)]
    costs = [np.where(np.arange(len(cost)) == k, cost * class_weight, cost) for k in range(len(cost))]
    return [Labels(k, costs[k]) for k in range(len(cost))]


def fit_side(
    data: Source,
    labels: Labels,
    intercept_scale: float,
    penalty: Penalty,
    loss: Loss,
    *,
    tol: float,
    max_iter: int,
    after_step: AfterStep,
) -> Solution:
    """One class against the rest; `intercept_scale` zero is without an intercept."""
    if penalty == "l1":
        return solve_lasso_hinge(data, labels, intercept_scale, tol=tol, max_iter=max_iter, after_step=after_step)
    if data.n_features > MAX_COLUMNS:
        return solve_dual(data, labels, intercept_scale, loss, tol=tol, max_iter=max_iter, after_step=after_step)
    solve = solve_hinge if loss == "hinge" else solve_squared_hinge
    return solve(data, labels, intercept_scale, tol=tol, max_iter=max_iter, after_step=after_step)
