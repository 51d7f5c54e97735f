"""Hinge and squared hinge with an L2 penalty by dual coordinate descent, for many columns.

    min over α of  ½ ‖Σ α σ x̃‖² + ½ Σ D α² − Σ α ,    0 ≤ α ≤ U ;      D = 0, U = c  or  D = 1/(2c), U = ∞ ,

row by row (`native/src/svm/dual_descent.hpp`). u = Σ α σ x̃ is the primal point that goes with α, and

    P(u) − D(α) = Σ (ℓ(s) + ½ D α² − α s) ,      s = 1 − σ x̃·u ,

where no term is negative (Fenchel): the gap is known to its last digits, but for what rounding adds to u on the way,
which is made anew from α at each look.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from surefit import _native
from surefit.engine.leaves import leaf_threads
from surefit.engine.sources.source import Source
from surefit.solvers.hinge.clipped_pass import Labels, clipped_pass, leaf_sum, signs_and_costs
from surefit.solvers.hinge.solution import AfterStep, Solution
from surefit.summaries.row_products import csr_parts

FIRST_TOL = 0.1
VISITS = 4e8
"""Stored numbers visited by one call at most, less than a second: then signals are heard."""


class Look(NamedTuple):
    value: float
    gap: float
    u: np.ndarray
    """(d + 1,), the intercept's entry last."""


class DualProblem:
    """The dual problem of either loss on rows in memory."""

    def __init__(self, data: Source, labels: Labels, scale: float, loss: Literal["hinge", "squared_hinge"]) -> None:
        self.block, self.scale, self.d = next(data.blocks()), scale, data.n_features
        self.n_threads = leaf_threads(data.n_rows, data.leaf_rows)
        self.sign, self.cost = signs_and_costs(self.block, labels)
        self.squared = loss == "squared_hinge"
        with np.errstate(divide="ignore"):
            self.diagonal = np.where(self.cost > 0, 0.5 / self.cost, 0.0) if self.squared else np.zeros(len(self.cost))
        self.upper = np.where(self.cost > 0, np.inf, 0.0) if self.squared else self.cost
        X = self.block.X
        self.stored = len(self.sign) + (X.size if isinstance(X, np.ndarray) else X.nnz)

    def descend(self, alpha: np.ndarray, u: np.ndarray, tol: float, number: int, most: int) -> tuple[int, bool]:
        """Epochs `number`, `number` + 1, …; both arrays are changed. (epochs made, whether `tol` was met)"""
        epochs = min(most, max(1, int(VISITS / self.stored)))
        box, X = (self.sign, self.upper, self.diagonal), self.block.X
        if isinstance(X, np.ndarray):
            done, breach, all_rows = _native.dual_descent(X, box, self.scale, tol, epochs, number, alpha, u)
        else:
            parts = (*csr_parts(X), self.d)
            done, breach, all_rows = _native.dual_descent_csr(*parts, box, self.scale, tol, epochs, number, alpha, u)
        return done, all_rows and breach <= tol

    def share(self, wanted: float) -> float:
        """The share of a breach that leaves a share `wanted` of the gap: the gap of the hinge loss is about in
        proportion to it, that of the squared hinge to its square."""
        return min(max(0.5 * (np.sqrt(wanted) if self.squared else wanted), 1e-3), 0.3)

    def theta(self, u: np.ndarray) -> np.ndarray:
        return np.append(u[:-1], self.scale * u[-1])

    def look(self, alpha: np.ndarray) -> Look:
        """u anew from α, the primal value there, and the gap."""
        zeros = np.zeros(len(alpha))
        sums = clipped_pass(self.block, np.zeros(self.d + 1), self.sign, zeros, self.n_threads, shift=alpha).sums
        u = np.append(sums[:-1], self.scale * sums[-1])
        s = clipped_pass(self.block, self.theta(u), self.sign, zeros, self.n_threads).slack
        slack = np.maximum(s, 0.0)
        loss = self.cost * (slack**2 if self.squared else slack)
        terms = np.column_stack([loss, loss + 0.5 * self.diagonal * alpha**2 - alpha * s])
        value, gap = leaf_sum(np.where(self.cost[:, None] > 0, terms, 0.0), self.block).tolist()
        return Look(0.5 * float(u @ u) + value, max(gap, 0.0), u)


def solve_dual(
    data: Source,
    labels: Labels,
    intercept_scale: float,
    loss: Literal["hinge", "squared_hinge"],
    *,
    tol: float,
    max_iter: int,
    after_step: AfterStep = lambda theta, value, gap: False,
) -> Solution:
    """Until the gap is bounded by `tol` times P. An iteration is an epoch over the rows that still move."""
    problem = DualProblem(data, labels, intercept_scale, loss)
    alpha, u = np.zeros(len(problem.sign)), np.zeros(problem.d + 1)
    best = problem.look(alpha)
    history, n_iter, breach = [best.value], 0, FIRST_TOL
    while n_iter < max_iter and best.gap > tol * best.value:
        done, met = problem.descend(alpha, u, breach, n_iter, max_iter - n_iter)
        n_iter += done
        if not met and n_iter < max_iter:
            continue
        look = problem.look(alpha)
        breach *= problem.share(tol * look.value / max(look.gap, 1e-300))
        u[:] = look.u
        history.append(look.value)
        best = look if look.gap < best.gap else best
        if after_step(problem.theta(look.u), look.value, look.gap):
            break
    theta = problem.theta(best.u)
    return Solution(theta[:-1], float(theta[-1]), best.value, best.gap, n_iter, history)
