"""One stage of gradient boosting: fit the negative gradient, choose the values to add, add them.

    f₀ = argmin over constants of Σ ω ℓ(y, c);      at stage t, for each output k of f:
    r  = −ℓ′(y, f)                                  (pseudo-residuals)
    g  = a regressor fitted to (x, r)
    f ← f + ν g,                                    for a tree: each leaf with the step that lowers its own loss most
    f ← f + ν s g,  s = argmin over s of Σ ω ℓ(y, f + s g)          with `line_search`: g as fitted, one step for all

The weights of a stage are those of its bag: rows outside have none, and are moved along with the others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from surefit.objectives.losses import Loss
from surefit.solvers.boosting.line_search import best_step


class Fitted(NamedTuple):
    """A base regressor, what it says of each training row, and for a tree the leaf of each row."""

    model: Any
    values: np.ndarray | None
    leaf: np.ndarray | None = None


Learner = Callable[[np.ndarray, np.ndarray | None, int], Fitted]
"""(residuals, weights, seed) → the base regressor fitted to them. A tree has its leaves in place of values."""


class Stage(NamedTuple):
    """What a stage adds: one model for each output, the step along them, and the raw predictions after it."""

    models: list[Any]
    step: float
    raw: np.ndarray


def fit_stage(
    loss: Loss,
    y: np.ndarray,
    raw: np.ndarray,
    w: np.ndarray | None,
    learner: Learner,
    seeds: np.ndarray,
    *,
    learning_rate: float,
    line_search: bool,
) -> Stage:
    """The next stage; raw is (n,), or (n, outputs) for several. `loss` is that of this stage."""
    gradient, hessian = _slopes(loss, y, raw)
    models, parts = [], []
    for k in range(loss.n_outputs):
        slope = np.ascontiguousarray(_column(gradient, k))
        model, values, leaf = learner(-slope, w, int(seeds[k]))
        if leaf is not None:
            if not line_search:
                curvature = None if hessian is None else _column(hessian, k)
                _set_leaf_values(model, loss, y, raw, slope, curvature, w, leaf, k)
            values = model.value[:, 0, 0][leaf]
        assert values is not None
        models.append(model)
        parts.append(values)
    direction = parts[0] if loss.n_outputs == 1 else np.column_stack(parts)
    step = best_step(loss, y, raw, direction, w) if line_search else 1.0
    moved = raw + (learning_rate * step) * direction
    if line_search and step != 0.0 and not loss.value(y, moved, w) <= loss.value(y, raw, w):
        return Stage(models, 0.0, raw)  # at the minimum, up to rounding
    return Stage(models, step, moved)


def _slopes(loss: Loss, y: np.ndarray, raw: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
    if loss.newton and not loss.constant_hessian:
        return loss.gradient_hessian(y, raw)
    return loss.gradient(y, raw), None


def _column(matrix: np.ndarray, k: int) -> np.ndarray:
    return matrix if matrix.ndim == 1 else matrix[:, k]


def _set_leaf_values(
    tree: Any,
    loss: Loss,
    y: np.ndarray,
    raw: np.ndarray,
    gradient: np.ndarray,
    hessian: np.ndarray | None,
    w: np.ndarray | None,
    leaf: np.ndarray,
    k: int,
) -> None:
    """Each leaf gets the step of its own rows in the bag."""
    leaves = np.flatnonzero(tree.children_left < 0)
    if loss.searched:
        for node in leaves:
            tree.value[node, 0, 0] = _searched_value(loss, y, raw, w, leaf == node, k)
        return
    steps = loss.leaf_values(y, raw, gradient, hessian, w, leaf, tree.node_count)
    tree.value[leaves, 0, 0] = steps[leaves]


def _searched_value(
    loss: Loss, y: np.ndarray, raw: np.ndarray, w: np.ndarray | None, rows: np.ndarray, k: int
) -> float:
    """The best constant to add to output k of these rows."""
    direction = np.zeros_like(raw[rows])
    _column(direction, k)[:] = 1.0
    return best_step(loss, y[rows], raw[rows], direction, None if w is None else w[rows])
