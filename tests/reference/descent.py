"""One visit of the rows, row by row, in plain NumPy: least mean squares and the perceptron."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.sparse as sp

from surefit.solvers.descent.lms import Rate, Walk
from surefit.solvers.descent.perceptron import Planes, Rule
from surefit.solvers.numerics.coordinates import Coordinates
from surefit.summaries.visits import Window


def lms_visit_reference(
    X: Any,
    Y: np.ndarray,
    order: np.ndarray,
    w: np.ndarray | None,
    frame: Coordinates,
    rate: Rate,
    total: float,
    at: Walk,
) -> Walk:
    """What the compiled loops do, in plain NumPy; the mean is summed iterate by iterate."""
    u, beta, clock, done = at.u.copy(), at.beta.copy(), at.clock, at.done
    # the mean so far holds the last iterate for what is still to come
    mean = at.mean - (1 - done / total) * u
    mean_b = at.mean_b - (1 - done / total) * beta
    X = X.toarray() if sp.issparse(X) else X
    for place, i in enumerate(order):
        x = (X[i].astype(np.float64) - frame.center) * frame.scale
        weight = 1.0 if w is None else w[place]
        q = x @ x + frame.with_intercept
        eta = rate.eta0 * (1 + clock / rate.period) ** -rate.power
        r = Y[i] - frame.target - beta - u @ x
        if rate.capped and eta * q >= 1:
            size = 1 / q
        elif q > 0 and eta * q <= 1:
            size = (1 - (1 - eta * q) ** weight) / q
        else:
            size = weight * eta
        u += np.outer(size * r, x)
        beta += size * r * frame.with_intercept
        mean += weight / total * u
        mean_b += weight / total * beta
        clock, done = clock + weight, done + weight
    return Walk(u, beta, mean + (1 - done / total) * u, mean_b + (1 - done / total) * beta, clock, done)


def perceptron_visit_reference(window: Window, planes: Planes, active: np.ndarray, rule: Rule) -> np.ndarray:
    """What the compiled loop computes, in plain NumPy on dense rows: every penalty is paid at once."""
    objective = np.zeros(len(active))
    weights = np.ones(len(window.order)) if window.w is None else window.w
    for place, k in enumerate(active):
        w, b = planes.coef[k].copy(), planes.intercept[k]
        paid = np.zeros_like(w) if planes.paid is None else planes.paid[k].copy()
        due = 0.0 if planes.due is None else planes.due[k]
        for i, omega in zip(window.order, weights, strict=True):
            x = np.asarray(window.X[i], dtype=np.float64)
            own = window.y[i] == planes.codes[k]
            sign, unit = (1.0, rule.eta * planes.positive[k]) if own else (-1.0, rule.eta * planes.negative[k])
            p = sign * (x @ w + b)
            penalty = 0.5 * rule.l2 * (w @ w) + rule.l1 * np.abs(w).sum()
            objective[place] += omega * (max(0.0, -p) + penalty)
            factor = max(0.0, 1.0 - rule.eta * rule.l2) ** omega
            w, paid, due = w * factor, paid * factor, due * factor
            if p <= 0:
                q = unit * (x @ x + rule.fit_intercept)
                times = omega if q == 0 else min(omega, math.floor(-p / q) + 1)
                w += times * unit * sign * x
                b += times * unit * sign * rule.fit_intercept
            due += omega * rule.eta * rule.l1
            if rule.l1 > 0:
                owed = np.where(w > 0, due + paid, due - paid)
                after = np.sign(w) * np.maximum(0.0, np.abs(w) - owed)
                w, paid = after, paid + (after - w)
        planes.coef[k], planes.intercept[k] = w, b
        if planes.paid is not None and planes.due is not None:
            planes.paid[k], planes.due[k] = paid, due
    return objective
