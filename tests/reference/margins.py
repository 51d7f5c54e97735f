"""What support vector machines minimise, in long double, from the public attributes; and the least value, by a QP.

Nothing here is shared with the package: kernels are summed row by row, the least value is that of
`quadratic_program.interior_point`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from tests.reference.quadratic_program import interior_point

LONG = np.longdouble


class Task(NamedTuple):
    """½‖f‖² + Σ U max(0, 1 − t(f + b)), or with |t − f − b| − ε for an `epsilon`."""

    t: np.ndarray
    U: np.ndarray
    epsilon: float | None


def gamma_of(model: Any, X: np.ndarray) -> float:
    if hasattr(model, "gamma_"):
        return float(model.gamma_)
    if model.gamma == "scale":
        X = np.asarray(X, dtype=LONG)
        variance = ((X - X.mean()) ** 2).mean()
        return float(1 / (X.shape[1] * variance)) if variance > 0 else 1.0
    return 1.0 / X.shape[1] if model.gamma == "auto" else float(model.gamma)


def gram(model: Any, X: np.ndarray) -> np.ndarray:
    """The Gram matrix of all rows, in long double."""
    X = np.asarray(X)
    if model.kernel == "precomputed":
        return X.astype(LONG)
    if callable(model.kernel):
        return np.asarray(model.kernel(X.astype(float), X.astype(float)), dtype=LONG)
    X, gamma = X.astype(LONG), LONG(gamma_of(model, X))
    if model.kernel == "rbf":
        return np.stack([np.exp(-gamma * ((X - x) ** 2).sum(axis=1)) for x in X])
    inner = X @ X.T
    if model.kernel == "linear":
        return inner
    inner = gamma * inner + LONG(model.coef0)
    return inner**model.degree if model.kernel == "poly" else np.tanh(inner)


def tasks(model: Any, y: np.ndarray, w: np.ndarray | None) -> list[Task]:
    """One for a regression or two classes (the second is +1), else one for every pair (the first is +1)."""
    omega = np.ones(len(y)) if w is None else np.asarray(w, dtype=float)
    if type(model).__name__ == "SVR":
        return [Task(np.asarray(y, dtype=float), model.C * omega, model.epsilon)]
    classes = list(model.classes_)
    factor = dict(zip(classes, model.class_weight_, strict=True)) if model.class_weight is not None else {}
    U = model.C * omega * np.array([factor.get(label, 1.0) for label in y])
    pairs = [(classes[1], classes[0])] if len(classes) == 2 else list(combinations(classes, 2))
    return [Task(np.where(y == i, 1.0, -1.0), np.where((y == i) | (y == j), U, 0.0), None) for i, j in pairs]


def coefficients(model: Any, y: np.ndarray) -> np.ndarray:
    """β of every row, one column for each task, in scikit-learn's layout."""
    dual = model.dual_coef_.toarray() if hasattr(model.dual_coef_, "toarray") else np.asarray(model.dual_coef_)
    support = np.asarray(model.support_)
    if len(dual) == 1:
        out = np.zeros((len(y), 1), dtype=LONG)
        out[support, 0] = dual[0]
        return out
    codes = np.repeat(np.arange(len(model.classes_)), model.n_support_)
    pairs = list(combinations(range(len(model.classes_)), 2))
    out = np.zeros((len(y), len(pairs)), dtype=LONG)
    for p, (i, j) in enumerate(pairs):
        out[support[codes == i], p] = dual[j - 1, codes == i]
        out[support[codes == j], p] = dual[i, codes == j]
    return out


def primal(task: Task, K: np.ndarray, beta: np.ndarray, b: Any) -> np.longdouble:
    f = K @ beta
    z = f + LONG(b)
    v = 1 - task.t * z if task.epsilon is None else np.abs(task.t - z) - LONG(task.epsilon)
    return beta @ f / 2 + (task.U * np.maximum(v, 0)).sum()


def machine_objective(model: Any, X: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> np.longdouble:
    """The sum over all tasks."""
    K, beta, b = gram(model, X), coefficients(model, y), np.atleast_1d(model.intercept_)
    return sum((primal(t, K, beta[:, p], b[p]) for p, t in enumerate(tasks(model, y, w))), LONG(0))


def least(task: Task, K: np.ndarray) -> np.longdouble:
    """A value that some function attains, next to the least: that of interior points, with their best intercepts."""
    values, on = [], task.U > 0
    for beta in interior_points(task, K):
        f = K @ beta
        ends = task.t - f
        if task.epsilon is not None:
            ends = np.concatenate([ends - task.epsilon, ends + task.epsilon])
        ends = ends[np.tile(on, len(ends) // len(on))]
        values.append(beta @ f / 2 + min(_loss(task, f, b) for b in ends))
    return min(values)


def interior_points(task: Task, K: np.ndarray) -> Iterator[np.ndarray]:
    """β of every row. Where K is singular the method may end early: as it is, and with small multiples of I."""
    on = task.U > 0
    t, U, k = task.t[on], task.U[on], K[np.ix_(on, on)].astype(float)
    for share in (0.0, 1e-12, 1e-9):
        ridge = share * (np.trace(k) / len(k) + 1e-300)
        try:
            with np.errstate(all="ignore"):
                beta = _interior(k + ridge * np.eye(len(k)), ridge, t, U, task.epsilon)
        except np.linalg.LinAlgError:
            continue
        full = np.zeros(len(task.t), dtype=LONG)
        full[on] = np.where(np.isfinite(beta), beta, 0.0)
        yield full


def _interior(k: np.ndarray, ridge: float, t: np.ndarray, U: np.ndarray, epsilon: float | None) -> np.ndarray:
    if epsilon is None:
        return interior_point(k, -t, np.minimum(t, 0) * U, np.maximum(t, 0) * U)[0]
    q, none = np.concatenate([epsilon - t, -epsilon - t]), np.zeros(len(U))  # β⁺ and β⁻
    both = np.block([[k, k], [k, k]]) + ridge * np.eye(2 * len(t))
    beta = interior_point(both, q, np.append(none, -U), np.append(U, none))[0]
    return beta[: len(U)] + beta[len(U) :]


def _loss(task: Task, f: np.ndarray, b: Any) -> np.longdouble:
    z = f + b
    v = 1 - task.t * z if task.epsilon is None else np.abs(task.t - z) - LONG(task.epsilon)
    return (task.U * np.maximum(v, 0)).sum()


def linear_objective(model: Any, X: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> np.longdouble:
    """liblinear's: ½‖w̃‖² or ‖w̃‖₁ plus C Σ ω max(0, v) or its square, summed over the hyperplanes."""
    X, omega = np.asarray(X, dtype=LONG), np.ones(len(y)) if w is None else np.asarray(w, dtype=float)
    classes, total = list(model.classes_), LONG(0)
    weight = dict.fromkeys(classes, 1.0)
    if model.class_weight == "balanced":
        weight = {c: omega.sum() / (len(classes) * omega[y == c].sum()) for c in classes}
    elif model.class_weight is not None:
        weight |= model.class_weight
    intercepts = np.broadcast_to(np.asarray(model.intercept_, dtype=LONG), (len(model.coef_),))
    for coef, b, label in zip(model.coef_, intercepts, classes[-len(model.coef_) :], strict=True):
        s = np.where(y == label, 1.0, -1.0)
        own = np.array([weight[c] for c in y]) if len(classes) == 2 else np.where(s > 0, weight[label], 1.0)
        v = np.maximum(1 - s * (X @ coef.astype(LONG) + b), 0)
        wide = np.append(coef.astype(LONG), b / LONG(model.intercept_scaling))
        penalty = np.abs(wide).sum() if model.penalty == "l1" else (wide**2).sum() / 2
        total += penalty + (model.C * omega * own * (v if model.loss == "hinge" else v**2)).sum()
    return total
