"""Better coefficients of logistic regression, by Newton's method, for its checker.

Nothing here is trusted: a poor proposal makes a bound loose, it cannot make a claim false.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64, Rows, looked_over, one_column
from surefit.certificates.theorems.log_loss.log_loss import LogLoss, losses, probabilities, residuals
from surefit.certificates.theorems.row_products import matmul, tmatmul

MOST_ACTIVE = 1500  # coefficients of a Hessian
MOST_WORK = 4e9  # operations for one; beyond, conjugate gradients
NEAR_ENOUGH = 1e-10  # what is left to gain, relative to f
STEPS = 60
PRODUCTS = 200  # Hessian products per step
MOST_KEPT = 2e7  # numbers kept for them
MOST_TOTAL = 5e10  # operations of all passes over the rows together, about

Points = F64 | Rows
Part = tuple[Points, F64, F64]


@dataclass
class Slope:
    """f and the gradient of its smooth part (no λ₁), both at θ; derivatives are those of (w, b + m·w)."""

    theta: F64
    f: float
    gradient: F64


def points(task: LogLoss) -> Iterator[tuple[Points, NDArray[np.intp], F64]]:
    """Rows of a task: those of `LogLoss.rows`, or compressed rows as they are where nothing is taken off them."""
    if task.ray is not None or task.shift.any() or not any(isinstance(X, Rows) for X, _, _ in task.blocks):
        yield from task.rows()
        return
    step = max(1, 2**21 // task.factors.size)
    for X, y, omega in looked_over(task.blocks, needs_y=True):
        code = one_column(y).astype(np.intp)
        for lo in range(0, len(code), step):
            part = slice(lo, lo + step)
            yield X[part], code[part], omega[part] * task.factors[code[part]]


def times(task: LogLoss, A: Points, V: F64) -> F64:
    if not isinstance(A, Rows):
        return A @ V.T
    return matmul(A, np.ascontiguousarray(V[:, :-1].T)) + V[:, -1] * task.intercept


def gathered(task: LogLoss, A: Points, T: F64) -> F64:
    """Σ of the points times T, one row per class."""
    if not isinstance(A, Rows):
        return T.T @ A
    return np.hstack([tmatmul(A, np.ascontiguousarray(T)).T, T.sum(axis=0)[:, None] * task.intercept])


def scores(task: LogLoss, A: Points, code: NDArray[np.intp], theta: F64) -> tuple[F64, F64]:
    return (times(task, A, theta), np.zeros(code.size)) if isinstance(A, Rows) else task.scores(A, code, theta)


def slope(task: LogLoss, theta: F64) -> Slope:
    f, G = 0.0, np.zeros(theta.shape)
    for A, code, omega in points(task):
        Z, rounding = scores(task, A, code, theta)
        f += float(omega @ losses(Z, code, rounding)[0])
        G += gathered(task, A, omega[:, None] * residuals(probabilities(Z), code))
    G[:, -1] *= task.intercept
    G[: task.first] = 0.0
    penalty = float((np.abs(theta) @ task.lasso + 0.5 * (theta * theta) @ task.ridge).sum())
    return Slope(theta, f + penalty, G + task.ridge * theta)


def refine(task: LogLoss, theta: F64) -> tuple[F64, F64]:
    """A point with a lower f, by Newton's method (with λ₁, of the piecewise quadratic model), and where it was going.

    Without a minimum every step adds about as much along a ray: the last half of the path, less its end, points there.
    """
    here, zero = slope(task, theta), slope(task, 0.0 * theta)
    here = here if here.f <= zero.f else zero
    path, (k, d1) = [here.theta], theta.shape
    passes = max(40, int(MOST_TOTAL / (float(task.blocks.n_rows) * k * (d1 + 20))))
    for _ in range(STEPS):
        active, left = active_set(task, here), violation(task, here)
        done = left <= NEAR_ENOUGH * here.f if task.penalized else here.f <= 1e-12 * zero.f
        if done or passes <= 0 or not active.any() or not np.isfinite(here.f):
            break
        move, used = newton_step(task, here, active, min(PRODUCTS, passes))
        passes -= used + 3
        there = line_search(task, here, move)
        if there is None:
            break
        stalled = there.f >= here.f * (1 - 1e-13) and not violation(task, there) < 0.5 * left
        here = there if there.f < here.f or violation(task, there) < left else here
        path.append(here.theta)
        if stalled:
            break
    return here.theta, path[max(len(path) - 3, 0)] - path[len(path) // 3]


def moved(task: LogLoss, step: F64, sign: float) -> F64:
    """A step in (w, b + m·w) from one in (w, b) for sign 1; the other way for −1."""
    step = step.copy()
    step[:, -1] += sign * (step[:, :-1] @ task.shift)
    return step


def active_set(task: LogLoss, here: Slope) -> NDArray[np.bool_]:
    """Coefficients that may move: with λ₁ those that are not zero, or are pulled from zero; the strongest of them."""
    movable = np.ones(here.theta.shape, dtype=bool)
    movable[: task.first] = False
    movable[:, -1] &= task.intercept
    pull = np.abs(here.gradient) - task.lasso
    movable &= (task.lasso == 0) | (here.theta != 0) | (pull > 0)
    if task.lasso.any() and np.count_nonzero(movable) > MOST_ACTIVE:
        strength = np.where(here.theta != 0, np.inf, pull)
        strength[:, -1] = np.inf
        least = np.sort(strength[movable])[-MOST_ACTIVE]
        movable &= strength >= least
    return movable


def violation(task: LogLoss, here: Slope) -> float:
    """About what is left to gain: the squared gradient over λ₂, and |g| of what has none."""
    g = np.abs(here.gradient)
    if task.lasso.any():
        g = np.where(
            here.theta == 0, np.maximum(g - task.lasso, 0.0), np.abs(here.gradient + task.lasso * np.sign(here.theta))
        )
    curved = task.ridge > 0
    scale = np.maximum(np.abs(here.theta), 1e-3)
    return float((g[:, curved] ** 2 / (2 * task.ridge[curved])).sum() + (g * scale)[:, ~curved].sum())


def line_search(task: LogLoss, here: Slope, move: F64) -> Slope | None:
    """The first of the halved steps that lowers f (or, near the minimum, the violation)."""
    size, before = 1.0, violation(task, here)
    while size > 1e-7 and np.isfinite(move).all():
        there = slope(task, here.theta + size * moved(task, move, -1.0))
        if there.f < here.f or (there.f <= here.f * (1 + 1e-12) and violation(task, there) < before):
            return there
        size /= 2
    return None


def newton_step(task: LogLoss, here: Slope, active: NDArray[np.bool_], products: int) -> tuple[F64, int]:
    """The step, and the passes that it took."""
    p = int(np.count_nonzero(active))
    direct = p <= MOST_ACTIVE and float(task.blocks.n_rows) * p * p <= MOST_WORK
    if not direct and not task.lasso.any():
        return conjugate_gradients(task, here, active, products)
    H, g = hessian(task, here.theta, active), here.gradient[active]
    scale = np.sqrt(np.diag(H))
    scale = np.where(scale > 0, 1.0 / np.where(scale > 0, scale, 1.0), 0.0)
    H = H * scale[:, None] * scale
    move = np.zeros(active.shape)
    if not np.isfinite(H).all():
        return move * np.nan, 1
    if task.lasso.any():
        lasso = np.broadcast_to(task.lasso, active.shape)[active]
        step = descend(H, g * scale, here.theta[active] / np.where(scale > 0, scale, 1.0), lasso * scale)
    else:
        step = solve(H, -g * scale)
    move[active] = step * scale
    return move, 1


def solve(H: F64, g: F64) -> F64:
    """H⁻¹g where H has a diagonal of one; directions without curvature are left out."""
    try:
        L = np.linalg.cholesky(H - 1e-13 * np.eye(len(g)))
        step = np.linalg.solve(L.T, np.linalg.solve(L, g))
        return step + np.linalg.solve(L.T, np.linalg.solve(L, g - H @ step))
    except np.linalg.LinAlgError:
        values, vectors = np.linalg.eigh(H)
        keep = values > 1e-14 * len(g) * max(float(values[-1]), 1e-300)
        return vectors[:, keep] @ ((vectors[:, keep].T @ g) / values[keep])


def descend(H: F64, g: F64, start: F64, lasso: F64, sweeps: int = 300) -> F64:
    """min over δ of g·δ + ½ δᵀHδ + Σ λ|start + δ|, coordinate by coordinate, then exactly with the signs found."""
    delta, slope_ = np.zeros(len(g)), g.copy()
    diagonal = np.maximum(np.diag(H), 1e-12)
    for _ in range(sweeps):
        largest = 0.0
        for j in range(len(g)):
            old = start[j] + delta[j]
            target = old - slope_[j] / diagonal[j]
            new = np.sign(target) * max(abs(target) - lasso[j] / diagonal[j], 0.0)
            if new != old:
                slope_ += H[j] * (new - old)
                delta[j] += new - old
                largest = max(largest, abs(new - old))
        if largest <= 1e-10 * max(1e-300, float(np.abs(start + delta).max())):
            break
    at = start + delta
    on = (at != 0) | (lasso == 0)
    fixed = np.where(on, 0.0, delta)
    exact = fixed.copy()
    if on.any():
        exact[on] = solve(H[np.ix_(on, on)], -(g + lasso * np.sign(at) + H @ fixed)[on])
    return exact if (np.sign(start + exact)[on & (lasso > 0)] == np.sign(at)[on & (lasso > 0)]).all() else delta


def hessian(task: LogLoss, theta: F64, active: NDArray[np.bool_]) -> F64:
    """Over the active coefficients, class by class: Σ ω (diag p − p pᵀ) ⊗ x xᵀ, and λ₂."""
    columns = [np.flatnonzero(row) for row in active]
    first = np.concatenate([[0], np.cumsum([c.size for c in columns])])
    H = np.zeros((first[-1], first[-1]))
    for A, code, omega in task.rows():
        P, parts = probabilities(task.scores(A, code, theta)[0]), [A[:, c] for c in columns]
        for a in range(len(theta)):
            for b in range(a, len(theta)):
                if not (columns[a].size and columns[b].size):
                    continue
                rest = np.delete(P, a, axis=1).sum(axis=1) if a == b else -P[:, b]
                block = parts[a].T @ ((omega * P[:, a] * rest)[:, None] * parts[b])
                H[first[a] : first[a + 1], first[b] : first[b + 1]] += block
    H = np.triu(H)
    H = H + np.triu(H, 1).T
    return H + np.diag(np.broadcast_to(task.ridge, active.shape)[active])


def conjugate_gradients(task: LogLoss, here: Slope, active: NDArray[np.bool_], most: int) -> tuple[F64, int]:
    """−H⁻¹g without a Hessian, preconditioned by its diagonal."""
    parts: Iterable[Part] = Probabilities(task, here.theta)
    if float(task.blocks.n_rows) * sum(here.theta.shape) <= MOST_KEPT:
        parts = list(parts)
    diagonal = curvature_diagonal(task, parts, active.shape)
    inverse = np.where(active & (diagonal > 0), 1.0 / np.where(diagonal > 0, diagonal, 1.0), 0.0)
    x, r = np.zeros(active.shape), np.where(active, -here.gradient, 0.0)
    z = inverse * r
    p, rz = z.copy(), float((r * z).sum())
    stop, used = 1e-12 * rz, 0
    while used < most and rz > stop:
        used += 1
        Hp = np.where(active, curvature_times(task, parts, p), 0.0)
        pHp = float((p * Hp).sum())
        if not pHp > 0:
            break
        x, r = x + rz / pHp * p, r - rz / pHp * Hp
        z = inverse * r
        rz, old = float((r * z).sum()), rz
        p = z + rz / old * p
    return x, used


class Probabilities:
    """Rows, weights and probabilities at θ, part by part, as often as one likes."""

    def __init__(self, task: LogLoss, theta: F64) -> None:
        self.task, self.theta = task, theta

    def __iter__(self) -> Iterator[Part]:
        for A, code, omega in points(self.task):
            yield A, omega[:, None], probabilities(scores(self.task, A, code, self.theta)[0])


def curvature_diagonal(task: LogLoss, parts: Iterable[Part], shape: tuple[int, ...]) -> F64:
    out = np.zeros(shape)
    for A, omega, P in parts:
        square = Rows(A.data * A.data, A.indices, A.indptr, A.shape) if isinstance(A, Rows) else A * A
        out += gathered(task, square, omega * P * (1.0 - P))
    return out + task.ridge


def curvature_times(task: LogLoss, parts: Iterable[Part], v: F64) -> F64:
    out = np.zeros(v.shape)
    for A, omega, P in parts:
        V = times(task, A, v)
        out += gathered(task, A, omega * P * (V - (P * V).sum(axis=1, keepdims=True)))
    return out + task.ridge * v
