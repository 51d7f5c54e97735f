"""Least mean squares, Widrow and Hoff's rule: descent by one row at a time.

    r = ỹ − x̃·u − β          u ← u + η r x̃          β ← β + η r          in the coordinates of `Coordinates`

A row of weight ω is ω updates in a row. Each leaves 1 − ηq of the residual, q = ‖x̃‖² (+ 1 with an intercept), so
together they move u by δx̃ and β by δ with

    δ = r (1 − (1 − ηq)^ω) / q      (ηq ≤ 1)          δ = ω η r      (else)

Rates: η = η₀ (1 + t/T)^−p at update t, which is the weight of all rows seen before. A rate that was chosen from the
data is 1/(mean of q) and at most 1/q for every row, which puts the row right: then no update can diverge.

With a constant rate the iterates do not stand still: noise in the targets keeps them moving about the answer. The
mean of the iterates of a pass is much nearer, as long as a pass goes round the answer many times; where the rate is so
small that it only creeps, every row has moved the last iterate alike, and that is nearer. The automatic schedule takes
the better of the two. It has a constant rate for each pass, and halves it (starting again from the best so far) after
a pass that has gained no more than `tol` of all that was gained.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from surefit import _native
from surefit._core.errors import InvalidData, InvalidParameter
from surefit.engine.sources.source import Source
from surefit.solvers.descent.squared_pass import Plane, SquaredStep
from surefit.solvers.numerics.coordinates import Coordinates
from surefit.summaries.visits import Visits, Window

CHUNK_NUMBERS = 2**21
"""Numbers multiplied between two looks at signals and at what has come out."""


class Rate(NamedTuple):
    eta0: float
    power: float
    period: float
    capped: bool
    """Whether η is at most 1/q."""


class Walk(NamedTuple):
    """Where descent stands; `mean` and `mean_b` are the mean of the iterates once the pass is over."""

    u: np.ndarray
    beta: np.ndarray
    mean: np.ndarray
    mean_b: np.ndarray
    clock: float
    """Weight of all updates so far."""
    done: float
    """Weight of the updates of this pass so far."""


def one_pass(windows: Iterator[Window], frame: Coordinates, rate: Rate, total: float, at: Walk) -> tuple[Walk, int]:
    """Every row of the windows once, and how many were visited. `total`: their weight."""
    at = at._replace(mean=at.u, mean_b=at.beta, done=0.0)
    visited = 0
    for window in windows:
        at = _visit_window(window, frame, rate, total, at)
        visited += len(window.order)
    return at, visited


def _visit_window(window: Window, frame: Coordinates, rate: Rate, total: float, at: Walk) -> Walk:
    X = window.X
    Y = np.ascontiguousarray(window.y, dtype=np.float64).reshape(len(window.y), -1)
    order = np.ascontiguousarray(window.order, dtype=np.int64)
    width = frame.scale.shape[0] * Y.shape[1]
    # CSR calls cost a pass over the coefficients: many rows for each
    rows = max(256, CHUNK_NUMBERS // width, 16 * width // 256 if sp.issparse(X) else 0)
    for start in range(0, len(order), rows):
        chunk = slice(start, start + rows)
        w = None if window.w is None else np.ascontiguousarray(window.w[chunk], dtype=np.float64)
        coordinates = frame.center, frame.scale, frame.target, frame.with_intercept
        rest = (Y, order[chunk], w, coordinates, rate, total, at)
        if sp.issparse(X):
            at = Walk(*_native.lms_visit_csr(X.data, X.indices, X.indptr, X.shape[1], *rest))
        else:
            at = Walk(*_native.lms_visit(np.ascontiguousarray(X), *rest))
        if not (np.isfinite(at.u).all() and np.isfinite(at.beta).all()):
            raise diverged(rate)
    return at


def diverged(rate: Rate) -> Exception:
    if rate.capped:
        return InvalidData("the coefficients overflow: the numbers in X or y are too large. Rescale them.")
    return InvalidParameter(
        f"descent diverges: LMSRegressor(eta0=…) must be smaller for this data; got {rate.eta0:g}. An update leaves "
        "1 − η(‖x‖² + 1) of a row's residual. Give less, None to have it chosen, or scale_columns=True."
    )


class Found(NamedTuple):
    coef: np.ndarray
    intercept: np.ndarray
    n_iter: int
    n_visits: int
    history: list[float]
    change: float
    """What the last pass changed, as a share of all that was gained."""
    finished: bool


AfterPass = Callable[[Callable[[], tuple[np.ndarray, np.ndarray]], float, int], bool]


def descend(
    data: Source,
    frame: Coordinates,
    weight: float,
    start: tuple[np.ndarray, np.ndarray],
    rate: Rate,
    *,
    automatic: bool,
    average: bool,
    shuffle: bool,
    seed: int,
    tol: float,
    patience: int,
    max_iter: int,
    after_pass: AfterPass,
) -> Found:
    """Passes until `patience` of them in a row have gained no more than `tol` of all that was gained.

    The answer is that of the last pass. With `automatic` rates it is that of the best, for each target, and a pass that
    has lost more than `tol` has not come to rest either: its rate was too large.
    """

    def errors(*places: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
        """Mean squared errors, (places, targets)."""
        planes = [frame.outer(*place) for place in places]
        plane = Plane(np.concatenate([p[0] for p in planes]), np.concatenate([p[1] for p in planes]))
        with np.errstate(over="ignore", invalid="ignore"):
            loss = data.fold(SquaredStep(with_gradient=False), plane).loss
        return loss.reshape(len(places), -1) / weight

    u, beta = start
    at = Walk(u, beta, u, beta, 0.0, 0.0)
    first = best = errors(start)[0]
    answer = start
    history: list[float] = []
    visits = Visits(data, seed, shuffle)
    stale, change, finished = 0, 1.0, False
    number = 0
    while True:
        at, visited = one_pass(visits.epoch(number), frame, rate, weight, at)
        here = (at.mean, at.mean_b) if average else (at.u, at.beta)
        if automatic and average:
            values, of_last = errors(here, (at.u, at.beta))
            here = _better(of_last < values, (at.u, at.beta), here)
            values = np.fmin(values, of_last)
        else:
            values = errors(here)[0]
        if not np.isfinite(values).all():
            raise diverged(rate)
        history.append(float(values.mean()))
        gained = best - values
        best = np.minimum(best, values)
        share = gained / np.where(first > best, first - best, np.where(first > 0, first, 1.0))
        change = float(np.abs(share).max()) if automatic else float(share.max())
        stale = stale + 1 if change <= tol else 0
        if automatic:
            answer = _better(gained > 0, here, answer)
            if not (share > tol).any():
                rate = rate._replace(eta0=rate.eta0 / 2)
                at = at._replace(u=answer[0], beta=answer[1])
        else:
            answer = here
        finished = stale >= patience
        number += 1
        if after_pass(_coefficients(frame, answer), history[-1], number) or finished or number == max_iter:
            break
    if not rate.capped and not automatic and (values > 2 * first).any() and not start[0].any():
        raise diverged(rate)
    coef, intercept = frame.outer(*answer)
    return Found(coef, intercept, len(history), visited * len(history), history, change, finished)


def _better(
    which: np.ndarray, left: tuple[np.ndarray, np.ndarray], right: tuple[np.ndarray, np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """For each target left or right."""
    return np.where(which[:, None], left[0], right[0]), np.where(which, left[1], right[1])


def _coefficients(
    frame: Coordinates, here: tuple[np.ndarray, np.ndarray]
) -> Callable[[], tuple[np.ndarray, np.ndarray]]:
    return lambda: frame.outer(*here)
