"""Checker of KMeans: nearest labels, inertia recomputed, a fixed point of Lloyd's step, an interval for the best."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes, real
from surefit.certificates.blocks import F64, Block, Blocks, Rows, dense, matmul, sq_norms
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most, failed
from surefit.certificates.rounding import epsilon, typical
from surefit.certificates.theorems.kmeans_bound import lower_bound
from surefit.certificates.theorems.least_squares import Moments, first_pass
from surefit.certificates.theorems.scatter import centred_sq_norms, weights

MAX_TOL = 1e-3  # a larger tol is no convergence
NEXT_STEP = 16.0  # the step after the last may be longer than the last, by four times; squared


@dataclass
class Step:
    """One assignment and update, from the data."""

    wrong: int  # rows whose label is not a nearest centre
    worst: float  # by how much, relative to the rounding allowed
    strange: int  # labels outside 0 … k − 1
    inertia: float
    sums: F64  # Σ ω x per cluster, about the origin used
    weight: F64
    variance: float  # mean over columns; weighted or not, whichever is larger
    size: float  # root mean square of the rows, about the origin used


@checker()
def check_kmeans(model: Any, blocks: Blocks, tol: float) -> Findings:
    """Two passes for the fixed point; three more for the lower bound where d ≤ 2000 (or n ≤ 2000)."""
    attrs = Attributes(model, "cluster_centers_")
    moments = first_pass(blocks, targets=False)
    n, d = blocks.n_rows, blocks.n_features
    centers = attrs.array("cluster_centers_")
    if centers is not None and (centers.ndim != 2 or centers.shape[1] != d or not len(centers)):
        attrs.faults.append(f"cluster_centers_ has shape {centers.shape}, expected (k, {d})")
    k = attrs.parameter("n_clusters", None)
    if centers is not None and not attrs.faults and isinstance(k, (int, np.integer)) and len(centers) != k:
        attrs.faults.append(f"there are {len(centers)} centres, but n_clusters is {k}")
    labels = _labels(attrs, n)
    inertia = attrs.number("inertia_")
    if attrs.faults or centers is None or inertia is None:
        return [bad_attributes(attrs)], "one pass"
    eps = epsilon(moments.single, np.asarray(model.cluster_centers_))
    # dense rows are measured from their mean, which no distance notices and rounding does
    origin = np.zeros(d) if moments.sparse else moments.x_mean
    step = _step(blocks, moments, centers, origin, labels, eps)
    if not np.isfinite(step.inertia):
        return [failed("finite", "Distances to the centres overflow.")], "two passes"
    claims = [] if labels is None else [_nearest(step, n)]
    claims.append(_inertia(inertia, step, moments, centers, n, eps))
    claims.append(_fixed_point(attrs, step, centers, origin, n, eps))
    claims.append(_used(step, centers, moments, eps))
    bound = lower_bound(blocks, moments.x_mean, len(centers))
    claims.append(_interval(bound, step, moments))
    how = "two passes over the rows" if bound.note else "five passes over the rows, one spectrum"
    if labels is None:
        how += "; the model has no labels_, nearest centres are used"
    return claims, f"{how}, {float(n) * d * (2 * len(centers) + (0 if bound.note else d)):.1e} operations"


def _labels(attrs: Attributes, n: int) -> Any:
    if not attrs.has("labels_"):
        return None
    labels = attrs.raw("labels_")
    if labels is None or labels.dtype.kind not in "iu" or labels.shape != (n,):
        attrs.faults.append(f"labels_ is not a list of {n} whole numbers")
        return None
    return labels


def _step(blocks: Blocks, moments: Moments, centers: F64, origin: F64, labels: Any, eps: float) -> Step:
    k, d = centers.shape
    C = centers - origin
    c_sq = sq_norms(C)
    reach, stored = np.sqrt(c_sq), eps * np.sqrt(sq_norms(centers))
    wrong, worst, strange, inertia, row = 0, 0.0, 0, 0.0, 0
    sums, weight, spread, plain = np.zeros((k, d)), np.zeros(k), 0.0, 0.0
    for X, _, w in blocks:
        n, omega = X.shape[0], weights(X, w)
        A: Block = X if isinstance(X, Rows) else dense(X) - origin
        x_sq = sq_norms(A)
        sq_dist = np.maximum(x_sq[:, None] - 2.0 * matmul(A, np.ascontiguousarray(C.T)) + c_sq, 0.0)
        nearest = sq_dist.argmin(axis=1)
        least = sq_dist[np.arange(n), nearest]
        chosen = nearest
        if labels is not None:
            given = labels[row : row + n]
            known = (given >= 0) & (given < k)
            strange += int(np.count_nonzero(~known))
            chosen = np.where(known, given, nearest).astype(np.intp)
            excess = sq_dist[np.arange(n), chosen] - least
            # products of length d in the model's precision, and centres stored in it
            far = np.sqrt(x_sq) + np.maximum(reach[chosen], reach[nearest])
            move = np.maximum(stored[chosen], stored[nearest])
            room = 16.0 * typical(d, eps) * far**2 + 8.0 * move * np.sqrt(least) + 16.0 * move**2
            ratio = excess / np.where(room > 0, room, 1.0)
            wrong += int(np.count_nonzero(~(ratio <= 1.0)))
            worst = max(worst, float(ratio.max(initial=0.0)))
        # where rounding of the expansion would show, measure the distance directly
        if isinstance(A, Rows):
            direct = sq_dist[np.arange(n), chosen]
        else:
            direct = sq_norms(A - C[chosen])
        inertia += float(omega @ direct)
        sums += _cluster_sums(A, omega, chosen, k)
        weight += np.bincount(chosen, weights=omega, minlength=k)
        centred = centred_sq_norms(X, moments.x_mean)
        spread += float(omega @ centred)
        plain += float(centred.sum())
        row += n
    variance = max(spread / moments.total, plain / max(1, blocks.n_rows)) / d
    shift = moments.x_mean - origin
    size = float(np.sqrt(spread / moments.total + shift @ shift))
    return Step(wrong, worst, strange, inertia, sums, weight, variance, size)


def _cluster_sums(A: Block, omega: F64, label: Any, k: int) -> F64:
    d = A.shape[1]
    if isinstance(A, Rows):
        owner = A.owner()
        cell = label[owner] * d + A.indices
        return np.bincount(cell, weights=A.data * omega[owner], minlength=k * d).reshape(k, d)
    out = np.zeros((k, d))
    order = np.argsort(label, kind="stable")
    present, first = np.unique(label[order], return_index=True)
    if present.size:
        out[present] = np.add.reduceat((A * omega[:, None])[order], first, axis=0)
    return out


def _nearest(step: Step, n: int) -> Claim:
    return at_most(
        "nearest",
        f"Every row has the label of a nearest centre; rows of {n} that have not (beyond rounding).",
        Grade.EXACT,
        step.wrong + step.strange,
        0,
        {"worst": step.worst, "outside": step.strange},
    )


def _inertia(claimed: float, step: Step, moments: Moments, centers: F64, n: int, eps: float) -> Claim:
    """Centres stored with rounding δ move the sum by at most 2δ√(W·inertia) + Wδ²."""
    delta = eps * float(np.sqrt(sq_norms(centers).max()))
    storage = 2 * delta * np.sqrt(moments.total * step.inertia) + moments.total * delta**2
    noise = 8.0 * typical(centers.shape[1], eps) * moments.total * step.size**2 * (eps if not moments.sparse else 1.0)
    scale = max(step.inertia, float(storage + noise), 1e-300)
    limit = 64.0 * typical(n, eps) + (storage + noise) / scale
    return at_most(
        "inertia",
        f"inertia_ is the sum of squared distances to the centres, recomputed as {step.inertia:.10g}; relative error.",
        Grade.EXACT,
        abs(claimed - step.inertia) / scale,
        limit,
        {"recomputed": step.inertia, "claimed": claimed},
    )


def _fixed_point(attrs: Attributes, step: Step, centers: F64, origin: F64, n: int, eps: float) -> Claim:
    """Lloyd's next step: Σ ‖c_new − c‖² against tol × mean variance, the rule by which the fit was to stop."""
    tol = attrs.parameter("tol", 1e-4)
    tol = real(tol) if 0 <= real(tol) <= MAX_TOL else MAX_TOL
    used = step.weight > 0
    C = centers - origin
    means = step.sums[used] / step.weight[used, None]
    shift = float(((means - C[used]) ** 2).sum())
    spread = step.variance if step.variance > 0 else 1.0
    stored = eps * float(np.sqrt(sq_norms(centers).max()))
    error = 16.0 * typical(n, eps) * max(step.size, float(np.sqrt(sq_norms(C).max()))) + stored
    rounding = len(centers) * error**2 / spread
    return at_most(
        "fixed_point",
        f"Each centre is the mean of its rows: one more step moves the centres by a squared length of {shift:.1e}, "
        "here divided by the mean variance of a column.",
        Grade.FIXED_POINT,
        shift / spread,
        NEXT_STEP * tol + rounding,
        {"tol": tol, "sq_shift": shift},
    )


def _used(step: Step, centers: F64, moments: Moments, eps: float) -> Claim:
    """A centre without rows could move to a row and lower the inertia, unless every row sits on a centre."""
    k = len(centers)
    distinct = len(np.unique(centers, axis=0))
    idle = max(int(np.count_nonzero(step.weight <= 0)), k - distinct)
    delta = 64.0 * eps * (float(np.sqrt(sq_norms(centers).max())) + step.size)
    on_rows = step.inertia <= moments.total * delta**2
    return at_most(
        "centres_used",
        f"All {k} centres are distinct and have rows; centres that do not."
        if not (on_rows and idle)
        else f"Every row sits on a centre, so {idle} of the {k} centres have nothing to do.",
        Grade.EXACT,
        0 if on_rows else idle,
        0,
        {"distinct": distinct, "idle": idle},
    )


def _interval(bound: Any, step: Step, moments: Moments) -> Claim:
    upper = step.inertia
    ratio = min(bound.lower / upper, 1.0) if upper > 0 else 1.0
    if bound.note:
        sentence = f"No lower bound was computed: {bound.note}."
    elif upper <= 0:
        sentence = "The inertia is zero: nothing is lower."
    else:
        how = "exact optima along" if bound.exact else "binned lower bounds along"
        above = f"at most {upper / bound.lower - 1:.1%} above" if bound.lower > 0 else "an unknown factor above"
        sentence = (
            f"The least inertia of any {step.weight.size} centres lies in [{bound.lower:.6g}, {upper:.6g}]: "
            f"this fit is {above} it ({how} {bound.axes} principal axes)."
        )
    holds = bound.lower <= upper * (1 + 1e-9) + 1e-9 * moments.total * step.size**2
    return Claim(
        "interval", sentence, Grade.BOUNDED, ratio, None, bool(holds),
        {"lower": bound.lower, "upper": upper, "axes": bound.axes},
    )  # fmt: skip
