"""Checker of MDS: the stress recomputed, and one more step of its majorisation evaluated (theorems/graphs/stress.py).

The fit is a fixed point where the next Guttman transform saves a share of at most tol of the stress. A fit that its own
`eps` stopped earlier is BOUNDED by what the next step saves; where the stress is nothing, nothing is better: OPTIMAL.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes, real
from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most, refuted
from surefit.certificates.rounding import epsilon, gamma
from surefit.certificates.search.graphs.isotonic import nearest_monotone
from surefit.certificates.search.graphs.weighted_laplacian import solve_laplacian
from surefit.certificates.theorems.graphs.distance_matrix import all_distances, matrix_claim
from surefit.certificates.theorems.graphs.stress import disparities, embedded, guttman, stress

ROUNDINGS, NEXT_STEP, MOST_ROWS = 10.0, 4.0, 6000


@dataclass
class Fit:
    Y: F64
    d: F64  # its distances
    target: F64  # δ or the disparities
    w: F64 | None
    metric: bool
    normalized: bool
    value: float  # the stress
    size: float  # Σ_{i<j} w d²
    most: float  # Σ_{i<j} w δ̂²
    error: float  # of the stress, absolute
    rounding: float  # of the stress, in the model's precision
    eps: float  # the machine's
    asked: float  # the model's eps: the last step saved less than this share of `size`


@checker("embedding_", "stress_", "dissimilarity_matrix_")
def check_mds(model: Any, blocks: Blocks, tol: float) -> Findings:
    """All distances of the rows, of the embedding and of the next embedding."""
    attrs, n = Attributes(model, "embedding_"), blocks.n_rows
    old = attrs.text("dissimilarity", "deprecated")  # scikit-learn's name of `metric` before 1.8
    name = attrs.parameter("metric", "euclidean")
    renamed = isinstance(name, bool) or old != "deprecated"
    given = ("euclidean" if old == "deprecated" else old) if renamed else name
    D, error, single = all_distances(attrs, blocks, given, MOST_ROWS)
    Y, claimed = attrs.array("embedding_"), attrs.number("stress_")
    if Y is not None and (Y.ndim != 2 or len(Y) != n or Y.shape[1] != real(attrs.parameter("n_components", 2))):
        attrs.faults.append(f"embedding_ has shape {Y.shape}, expected {n} rows and n_components columns")
    w = _weights(attrs, n)
    if attrs.faults or Y is None or claimed is None:
        return [bad_attributes(attrs)], "one pass"
    eps = epsilon(single, np.asarray(model.embedding_))
    fit = _fit(attrs, Y, D, float(np.linalg.norm(error)), w, eps, isinstance(name, bool))
    claims = [matrix_claim(attrs, D, error, eps, tol), _centered(fit, tol)]
    if not fit.metric:
        claims.append(_monotone(D, fit, tol))
    return [*claims, _stress(fit, claimed, tol), _step(fit, tol)], f"{n}² distances, three times"


def _weights(attrs: Attributes, n: int) -> F64 | None:
    """Weights of pairs: symmetric, ≥ 0; None where all are one."""
    for name in ("weights_", "weights"):
        if attrs.has(name):
            w = attrs.array(name, (n, n))
            if w is not None and ((w < 0).any() or not np.array_equal(w, w.T)):
                attrs.faults.append(f"{name} is not symmetric or has negative entries")
            return None if w is None else w * (1.0 - np.eye(n))
    return None


def _fit(
    attrs: Attributes, Y: F64, delta: F64, root_error: float, w: F64 | None, eps: float, old: bool
) -> Fit:  # fmt: skip
    metric = attrs.flag("metric" if old else "metric_mds", True)
    given = getattr(attrs.model, "normalized_stress", "auto")
    n, d = len(Y), embedded(Y)
    target, share = (delta, 0.0) if metric else disparities(delta, d, w, nearest_monotone)
    omega, top = (1.0, 1.0) if w is None else (w, float(np.sqrt(w.max(initial=0.0))))  # type: Any, float
    value, size, most = stress(target, d, omega), stress(0 * d, d, omega), stress(target, 0 * d, omega)
    # δ̂ − d moves by the errors of both (‖p − exact p‖² ≤ share · ‖d‖²), and σ by 2√σ times that
    slip = gamma(Y.shape[1] + 16) * (np.sqrt(size) + np.sqrt(most)) + root_error * top + np.sqrt(share * size)
    error = 2 * np.sqrt(value) * slip + slip**2
    # coordinates stored in their type move distances by roundings of their size
    coarse = eps * (np.sqrt(size) + np.sqrt(most) + np.sqrt(n) * float(np.linalg.norm(Y)))
    asked, rounding = real(attrs.parameter("eps", 1e-6)), ROUNDINGS * (2 * np.sqrt(value) * coarse + coarse**2)
    normalized = bool(given) if isinstance(given, (bool, np.bool_, int)) else not metric
    return Fit(Y, d, target, w, metric, normalized, value, size, most, error,
               rounding, eps, asked if 0 <= asked < 1 else 0.0)  # fmt: skip


def _centered(fit: Fit, tol: float) -> Claim:
    """A Guttman transform adds up to zero in every column."""
    spread = float(np.linalg.norm(fit.Y)) / np.sqrt(len(fit.Y)) or 1.0
    off = float(np.abs(fit.Y.mean(axis=0)).max(initial=0.0)) / spread
    return at_most(
        "centered",
        "The columns of the embedding have mean zero, relative to its spread.",
        Grade.EXACT, off, tol, error=gamma(len(fit.Y) + 4), excuse=ROUNDINGS * fit.eps * np.sqrt(len(fit.Y)),
        failure=f"The embedding is not centered: a column has a mean of {off:.2g} of its spread.",
    )  # fmt: skip


def _monotone(delta: F64, fit: Fit, tol: float) -> Claim:
    share = disparities(delta, fit.d, fit.w, nearest_monotone)[1]
    return at_most(
        "disparities",
        "The disparities rise with the dissimilarities, and none that do are nearer to the distances, by more than "
        "this share of their squares.",
        Grade.OPTIMAL, share, tol, lower=0.0,
        failure="The nearest rising disparities were not found.",
    )  # fmt: skip


def _stress(fit: Fit, claimed: float, tol: float) -> Claim:
    """Relative to Σwd², where rounding lives; a claim about the stress itself where that is not nothing."""
    size = fit.size or fit.most or 1.0
    truth = np.sqrt(fit.value / size) if fit.normalized else fit.value
    given = claimed * claimed * size if fit.normalized else claimed
    unit = max(fit.value, tol * size)
    stale = 0.0 if fit.metric else NEXT_STEP * fit.asked * size  # disparities are those before the last step
    return at_most(
        "stress",
        f"stress_ is the stress of the embedding, recomputed as {truth:.10g}; difference "
        + ("of squares, " if fit.normalized else "") + "relative to it.",
        Grade.EXACT, (abs(given - fit.value) if claimed >= 0 else np.inf) / unit, tol + stale / unit,
        {"recomputed": truth, "claimed": claimed},
        error=fit.error / unit, excuse=(fit.rounding + ROUNDINGS * fit.eps * fit.value) / unit,
        failure=f"stress_ is {claimed:.10g}, recomputed as {truth:.10g}.",
    )  # fmt: skip


def _step(fit: Fit, tol: float) -> Claim:
    """What the next Guttman transform saves, evaluated; then (non-metric) new disparities can only save more."""
    after, off = guttman(fit.target, fit.d, fit.Y, fit.w, solve_laplacian)
    if not off <= 1e-8:
        return refuted("fixed_point", "The weights leave groups of rows unconnected: there is no next step.")
    later = stress(fit.target, embedded(after), 1.0 if fit.w is None else fit.w)
    saving, length = max(0.0, fit.value - later), float(np.linalg.norm(after - fit.Y) / (np.linalg.norm(fit.Y) or 1.0))
    detail = {"stress": fit.value, "saves": saving, "relative_step": length}
    if fit.metric and fit.value + fit.error <= tol * fit.most:
        return at_most(
            "fixed_point", "The stress is this share of the squared dissimilarities, and none is below zero.",
            Grade.OPTIMAL, fit.value / (fit.most or 1.0), tol, detail, error=fit.error / (fit.most or 1.0),
        )  # fmt: skip
    unit, error = fit.value or 1.0, 2 * fit.error
    settled = saving + error <= tol * unit + fit.rounding
    return at_most(
        "fixed_point",
        "One more step of majorisation saves at most this share of the stress."
        if settled else
        f"The fit stopped by its eps={fit.asked:g}, before a fixed point: one more step saves this share of the "
        "stress, and later steps may save more; for a fixed point lower eps and raise max_iter.",
        Grade.FIXED_POINT if settled else Grade.BOUNDED, saving / unit,
        tol if settled else max(tol, NEXT_STEP * fit.asked * fit.size / unit), detail,
        error=error / unit, excuse=fit.rounding / unit, lower=(saving - error) / unit,
        failure=f"Not a fixed point: one more step saves {saving / unit:.2g} of the stress; raise max_iter.",
    )  # fmt: skip
