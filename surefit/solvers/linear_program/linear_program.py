"""Piecewise linear fits as linear programs, in memory linear in the data, with an exact dual.

    min over w, b of  Σᵢ max(hᵢ rᵢ, lᵢ rᵢ) + λ ‖w‖₁          r = y − σ (x·w + b),   lᵢ ≤ 0 ≤ hᵢ
    dual: max  y·a    such that   l ≤ a ≤ h,   |Xᵀ(σ a)| ≤ λ,   Σ σ a = 0 with an intercept

Quantiles have h = q ω, l = (q − 1) ω; the sum of the violations of σ (x·w + b) ≥ 1 has y = 1, h = ω, l = 0. The penalty
is d further rows with residual −wⱼ and bounds ±λ.

The path of an interior point ends near an optimal vertex, and descent along edges reaches it. With many rows most
residuals keep their sign (Portnoy and Koenker 1997): a sample is fitted; the rows far from its fit have their duals
fixed at a bound; the others are fitted; rows whose sign was wrong are let in, until there are none. Where the optimum
is not unique the point of least ‖w‖ is taken.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from surefit._core.arithmetic import power_of_two
from surefit._core.memory import refuse_beyond_memory
from surefit.solvers.linear_program.edge_descent import Vertex, choose_basis, descend
from surefit.solvers.linear_program.frisch_newton import Problem, follow_path
from surefit.solvers.linear_program.least_norm import Optimum, least_norm
from surefit.solvers.linear_program.scaled_rows import ScaledRows
from surefit.solvers.numerics.twofold import dot

FEW_ROWS = 6000
"""Up to so many rows everything is fitted at once."""
FEW_COLUMNS = 60
"""Up to so many penalised columns are fitted at once."""
BETWEEN = 1e-9
"""A dual so far (relative to its width) inside its bounds is between them."""


class Solution(NamedTuple):
    coef: np.ndarray
    intercept: float
    dual: np.ndarray
    """(n,) a"""
    n_iter: int
    optimal: bool


class _Program:
    """The rows, bounds and penalty in good units."""

    def __init__(self, rows: ScaledRows, y: np.ndarray, lo: np.ndarray, hi: np.ndarray, penalty: float) -> None:
        self.rows, self.y, self.lo, self.hi, self.penalty = rows, y, lo, hi, penalty
        self.steps = 0
        if penalty > 0:
            # |Σ aᵢ (xᵢⱼ − mⱼ)| never reaches λ: the coefficient is zero.
            largest = float(np.maximum(hi, -lo).max()) * rows.n * rows.distance
            rows.columns = np.flatnonzero((largest > penalty) & ~(rows.constant & rows.fit_intercept))
        self.bounds = penalty / rows.scale

    def problem(self, which: np.ndarray, g: np.ndarray, share: float = 1.0) -> Problem:
        """The rows `which`, and those of the penalty (times `share`)."""
        p = self.rows.width
        penalised = self.rows.columns if self.penalty > 0 else self.rows.columns[:0]
        refuse_beyond_memory(
            10.0 * (len(which) + len(penalised)) * p * 8, "the rows of the linear program", "Use fewer columns."
        )
        A = self.rows.take(which)
        y, lo, hi = self.y[which], self.lo[which], self.hi[which]
        if len(penalised):
            A = np.vstack([A, np.eye(len(penalised), p)])
            bound = share * self.bounds[penalised]
            y, lo, hi = np.append(y, np.zeros(len(bound))), np.append(lo, -bound), np.append(hi, bound)
        return Problem(A, y, lo, hi, g, lambda: np.vstack([self.rows.remainder(which), np.zeros((len(penalised), p))]))

    def fit(self, problem: Problem, beta: np.ndarray | None = None) -> Vertex:
        path = follow_path(problem, beta)
        importance = path.importance
        r = np.abs(problem.y - problem.A @ path.beta)
        close = r <= 1e-12 * (np.abs(problem.y) + np.abs(problem.A) @ np.abs(path.beta))
        importance = np.where(close, np.maximum(importance, importance.max()), importance)
        vertex = descend(problem, choose_basis(problem.A, importance))
        self.steps += path.steps + vertex.pivots
        return vertex


def _sample_size(n: int, p: int) -> int:
    return min(n, max(FEW_ROWS // 2, 10 * p, int((float(n) * n * p) ** (1 / 3))))


def _all_rows(program: _Program) -> tuple[np.ndarray, np.ndarray, Vertex]:
    """The optimal vertex for all rows: β, the duals of the rows, and the vertex of the last reduced problem."""
    rows, y, lo, hi = program.rows, program.y, program.lo, program.hi
    n, p = rows.n, rows.width
    everything = np.arange(n)
    if n <= max(FEW_ROWS, 20 * p):
        vertex = program.fit(program.problem(everything, np.zeros(p)))
        return vertex.beta, vertex.dual[:n], vertex
    size = _sample_size(n, p)
    sample = np.sort(np.random.default_rng(0).choice(n, size, replace=False))
    first = program.fit(program.problem(sample, np.zeros(p), size / n))
    beta = first.beta
    many = int(n * min(1.0, 3 * np.sqrt(p / size)))
    while True:
        residual = y - rows.times(beta)
        if many >= n:
            vertex = program.fit(program.problem(everything, np.zeros(p)), beta)
            return vertex.beta, vertex.dual[:n], vertex
        inside = np.zeros(n, dtype=bool)
        inside[np.argpartition(np.abs(residual), many)[:many]] = True
        duals = np.where(inside, 0.0, np.where(residual > 0, hi, lo))
        above = residual > 0
        g = rows.transposed(duals)
        which = np.flatnonzero(inside)
        vertex = program.fit(program.problem(which, g), beta)
        while vertex.optimal:
            residual = y - rows.times(vertex.beta)
            wrong = np.flatnonzero(~inside & (residual != 0) & ((residual > 0) != above))
            if not len(wrong):
                duals[which] = vertex.dual[: len(which)]
                return vertex.beta, duals, vertex
            if len(wrong) > many // 2:
                break
            # Let the rows in whose sign was wrong, and go on from the same vertex.
            g = g - program.rows.take(wrong).T @ duals[wrong]
            inside[wrong] = True
            duals[wrong] = 0.0
            again = np.flatnonzero(inside)
            place = np.searchsorted(again, which)
            data = vertex.basis < len(which)
            basis = np.where(
                data, place[np.minimum(vertex.basis, len(which) - 1)], vertex.basis + len(again) - len(which)
            )
            which = again
            vertex = descend(program.problem(which, g), np.sort(basis))
            program.steps += vertex.pivots
        beta, many = vertex.beta if vertex.optimal else beta, 3 * many


def _few_columns(program: _Program) -> tuple[np.ndarray, np.ndarray, Vertex]:
    """With a penalty most coefficients are zero: fit some columns, and let in those whose |Xᵀa| is beyond λ.

    The columns in use may double from fit to fit, and beyond half of them all are fitted: the last fit costs more than
    those before it. Where few are missing, the vertex is still one with them at zero, and descent goes on.
    """
    rows = program.rows
    candidates = rows.columns
    if program.penalty <= 0 or len(candidates) <= FEW_COLUMNS:
        return _all_rows(program)
    bound = program.bounds[candidates]
    rows.columns = candidates[:0]
    if rows.fit_intercept:
        _, dual, _ = _all_rows(program)
    else:
        dual = np.where(program.y > 0, program.hi, program.lo)
    working = np.zeros(len(candidates), dtype=bool)
    found: tuple[np.ndarray, np.ndarray, Vertex] | None = None
    while True:
        rows.columns = candidates
        beyond = np.abs(rows.transposed(dual)[: len(candidates)]) / bound
        new = np.flatnonzero((beyond > 1 + 1e-12) & ~working)
        rows.columns = candidates[working]
        if found is not None and (not len(new) or not found[2].optimal):
            return found
        if found is not None and 8 * len(new) <= working.sum() and len(found[2].dual) == rows.n + working.sum():
            before = np.flatnonzero(working)
            working[new] = True
            rows.columns = candidates[working]
            found = _with_columns(program, found[2], np.searchsorted(np.flatnonzero(working), before))
        else:
            new = new if len(new) else np.array([int(beyond.argmax())])
            many = max(FEW_COLUMNS // 2, len(new) // 2, int(working.sum()))
            working[new[np.argsort(-beyond[new], kind="stable")[:many]]] = True
            if 2 * working.sum() > len(candidates):
                working[:] = True
            rows.columns = candidates[working]
            found = _all_rows(program)
        dual = found[1]


def _with_columns(program: _Program, vertex: Vertex, place: np.ndarray) -> tuple[np.ndarray, np.ndarray, Vertex]:
    """Descent from a vertex of all rows and fewer columns, which are now at `place`: the new ones start at zero."""
    n, k = program.rows.n, len(program.rows.columns)
    data = vertex.basis < n
    kept = place[vertex.basis[~data] - n]
    added = np.setdiff1d(np.arange(k), place)
    basis = np.concatenate([vertex.basis[data], n + kept, n + added])
    above = np.concatenate([vertex.dual[:n] > 0, np.zeros(k, dtype=bool)])
    above[n + place] = vertex.dual[n:] > 0
    vertex = descend(program.problem(np.arange(n), np.zeros(program.rows.width)), np.sort(basis), above)
    program.steps += vertex.pivots
    return vertex.beta, vertex.dual[:n], vertex


def solve_piecewise_linear(
    X: Any,
    y: np.ndarray,
    lo: np.ndarray,
    hi: np.ndarray,
    *,
    fit_intercept: bool,
    penalty: float = 0.0,
    sign: np.ndarray | None = None,
    any_zero: bool = False,
) -> Solution:
    """The optimum for the rows X (dense or CSR), every one with h > l; of least norm where there are several.

    `any_zero`: where the dual is zero (nothing is violated) any optimum will do, which is quicker.
    """
    rows = ScaledRows(X, sign, fit_intercept)
    n = rows.n
    unit = power_of_two(float(np.abs(y).mean()))
    y = y.astype(np.float64) / unit
    program = _Program(rows, y, lo, hi, penalty)
    if penalty <= 0:
        size = _sample_size(n, rows.width) if n > FEW_ROWS else n
        rows.keep_independent(np.sort(np.random.default_rng(0).choice(n, size, replace=False)))
    if rows.width == 0:
        dual = np.where(y > 0, hi, lo)
        return Solution(np.zeros(rows.d), 0.0, np.where(y == 0, 0.0, dual), 0, True)
    beta, dual, vertex = _few_columns(program)
    between = BETWEEN * (hi - lo)
    equal = (dual > lo + between) & (dual < hi - between)
    side = np.where(equal, 0, np.where(dual >= hi - between, 1, -1))
    zero, signs = _penalty_sides(program, vertex)
    beta[np.isin(rows.columns, zero).nonzero()[0]] = 0.0
    enough = any_zero and not dual.any()
    chosen = None if enough else least_norm(Optimum(rows, y, np.flatnonzero(equal), side, zero, signs), beta)
    if chosen is None:
        coef, intercept = rows.in_users_units(beta)
    else:
        coef, intercept = chosen
        intercept = dot(-coef, rows.center, intercept)
    return Solution(coef * unit, float(intercept) * unit, dual, program.steps, vertex.optimal)


def _penalty_sides(program: _Program, vertex: Vertex) -> tuple[np.ndarray, np.ndarray]:
    """Coefficients that the penalty holds at zero, and the signs it allows the others."""
    rows = program.rows
    signs = np.zeros(rows.d, dtype=np.intp)
    if program.penalty <= 0:
        return np.zeros(0, dtype=np.intp), signs
    k = len(rows.columns)
    bound = program.bounds[rows.columns]
    dual = vertex.dual[len(vertex.dual) - k :]
    at_zero = np.abs(dual) < bound * (1 - 2 * BETWEEN)
    # The row of coefficient j has residual −wⱼ: at its upper bound wⱼ ≤ 0.
    signs[rows.columns] = np.where(at_zero, 0, -np.sign(dual).astype(np.intp))
    zero = np.setdiff1d(np.arange(rows.d), rows.columns[~at_zero])
    return zero, signs
