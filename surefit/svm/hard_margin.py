"""Whether `C=inf` has an answer, where that can be known before it is looked for."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from surefit.solvers.linear_program.linear_program import solve_piecewise_linear
from surefit.solvers.margin.farkas import BALANCED, farkas_vector
from surefit.solvers.margin.signed_rows import SignedRows
from surefit.summaries.canonical import canonical_groups, row_hashes


def inseparable(X: Any, sign: np.ndarray, *, linear: bool) -> np.ndarray | None:
    """φ that proves that no function of the kernel separates the rows; None where nothing is known.

    Equal rows of both classes prove it for every kernel. For the linear kernel a linear program decides: its minimum of
    the sum of violations is zero, or its dual is the proof.
    """
    pair = _equal_rows(X, sign, 1.0)
    if pair is not None or not linear:
        return None if pair is None else np.abs(pair)
    ones = np.ones(len(sign))
    program = solve_piecewise_linear(X, ones, 0 * ones, ones, fit_intercept=True, sign=sign, any_zero=True)
    return farkas_vector(program.dual, SignedRows(X, sign, True), ones) if program.dual.any() else None


def outside_tube(X: Any, y: np.ndarray, epsilon: float, *, linear: bool) -> np.ndarray | None:
    """φ with Σ φ = 0, Σ φᵢ k(xᵢ, ·) = 0 and Σ φᵢ yᵢ > ε Σ |φᵢ|: no function stays within ε. None: nothing is known."""
    pair = _equal_rows(X, y, 2 * epsilon)
    if pair is not None or not linear:
        return pair
    n = len(y)
    both = sp.vstack([X, X], format="csr") if sp.issparse(X) else np.vstack([X, X])
    low, high = np.repeat([0.0, -1.0], n), np.repeat([1.0, 0.0], n)
    targets = np.concatenate([y - epsilon, y + epsilon])
    dual = solve_piecewise_linear(both, targets, low, high, fit_intercept=True, any_zero=True).dual
    phi = dual[:n] + dual[n:]
    size = float(np.abs(phi).sum())
    if not size > 0 or not phi @ y > epsilon * size:
        return None
    rest = np.abs(np.append(X.T @ phi, phi.sum()))
    allowed = np.append(abs(X).T @ np.abs(phi), size)
    return phi / size if (rest <= BALANCED * allowed).all() else None


def _equal_rows(X: Any, y: np.ndarray, distance: float) -> np.ndarray | None:
    """φ = ±½ at two equal rows whose targets are further from each other than `distance`."""
    order, starts = canonical_groups(X, None, row_hashes(X))
    if len(starts) == len(order):
        return None
    run = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(order))))
    order = order[np.lexsort((y[order], run))]
    ends = np.append(starts[1:], len(order)) - 1
    widest = int(np.argmax(y[order[ends]] - y[order[starts]]))
    low, high = order[starts[widest]], order[ends[widest]]
    if not y[high] - y[low] > distance:
        return None
    phi = np.zeros(len(y))
    phi[low], phi[high] = -0.5, 0.5
    return phi
