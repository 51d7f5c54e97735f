"""Checker of KMeans: nearest labels, inertia recomputed, what one more step would save, an interval for the best.

Over the rows of one cluster Σω‖x − c‖² = Σω‖x − m‖² + W‖m − c‖², m their mean: moving c to m saves exactly W‖m − c‖².
One more step of Lloyd's iteration moves every center and then every label; what it saves is measured by doing it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes, real
from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most, failed
from surefit.certificates.predictions import answer_of, sample_rows
from surefit.certificates.rounding import epsilon, gamma
from surefit.certificates.search.spectral.line_values import axes_needed, line_values
from surefit.certificates.search.spectral.principal_axes import principal_axes
from surefit.certificates.theorems.distances.to_centers import squared_distances, transform_claim
from surefit.certificates.theorems.spectral.centered import Center, first_pass, slices
from surefit.certificates.theorems.spectral.kmeans_bound import Bound, lower_bound

ROUNDINGS = 10.0
NEXT_STEP = 16.0  # the step after the last may be longer than the last, by four times; squared
NO_CONVERGENCE = 1e-2  # saved by a single step, whatever tol says


@dataclass
class Clusters:
    """Sums over the rows of each cluster: of the labels given, or of nearest centers."""

    inertia: F64  # Σω‖x − c‖², (k,)
    weight: F64
    drift: F64  # Σω(x − c), (k, d)
    wrong: int  # labels that are not a nearest center beyond rounding, or no label at all
    total: float  # Σω‖x − mean‖²


@checker("cluster_centers_", "labels_", "inertia_", "predict", "transform")
def check_kmeans(model: Any, blocks: Blocks, tol: float) -> Findings:
    """Three passes for the fixed point; three or four more and one spectrum for the lower bound."""
    attrs = Attributes(model, "cluster_centers_")
    center = first_pass(blocks)
    n, d = blocks.n_rows, blocks.n_features
    C, inertia = attrs.array("cluster_centers_"), attrs.number("inertia_")
    labels = attrs.array("labels_", (n,)) if attrs.has("labels_") else None
    if labels is not None and np.asarray(model.labels_).dtype.kind not in "iu":
        attrs.faults.append("labels_ are not whole numbers")
    if C is not None and (C.ndim != 2 or C.shape[1] != d or not len(C)):
        attrs.faults.append(f"cluster_centers_ has shape {C.shape}, expected (k, {d})")
    elif C is not None and real(attrs.parameter("n_clusters", len(C))) != len(C):
        attrs.faults.append(f"there are {len(C)} centers, but n_clusters={attrs.model.n_clusters!r}")
    if attrs.faults or C is None or inertia is None:
        return [bad_attributes(attrs)], "one pass"
    eps = epsilon(center.single, np.asarray(model.cluster_centers_))
    stored = eps / 2 * np.sqrt(np.einsum("ij,ij->i", C, C))  # the rounding of a center in its type
    given = _clusters(blocks, center, C, 0.0 * C, labels, eps, stored)
    now = given if given.wrong == 0 else _clusters(blocks, center, C, 0.0 * C, None, eps, stored)
    if not (np.isfinite(now.inertia).all() and (now.total == 0 or now.total > 1e-280)):
        return [failed("finite", "Squared distances to the centers overflow or underflow.")], "two passes"
    shift = now.drift / np.where(now.weight > 0, now.weight, 1.0)[:, None]
    after = _clusters(blocks, center, C, shift, None, eps, stored)
    point = now.inertia <= now.weight * stored**2
    claims = [
        *([] if labels is None else [_nearest(given, n)]),
        _inertia(inertia, now, shift, stored, n + d, eps, tol),
        _used(now, C, point),
        *([] if point.all() else _steps(attrs, now, after, shift, stored, point, n + d, tol)),
        *_answers(model, blocks, center, C, eps),
    ]
    axes, k = principal_axes(blocks, center.long_mean), len(C)
    bound = None if axes is None else lower_bound(blocks, center, axes, k, axes_needed(n, k), line_values)
    claims.append(_interval(bound, now, n + d))
    how = "" if labels is not None else "; the model has no labels_, nearest centers are used"
    return claims, f"seven passes, {float(n) * d * (4 * len(C) + 5 * min(n, d)):.1e} operations at most{how}"


def _clusters(
    blocks: Blocks, center: Center, C: F64, shift: F64, labels: F64 | None, eps: float, stored: F64
) -> Clusters:
    """The sums for centers C + shift by differences (x − c) − shift, whose roundings are relative to themselves."""
    k, d = C.shape
    length, row, moved = np.linalg.norm(C - center.mean, axis=1), 0, float(stored.max())
    sums = Clusters(np.zeros(k), np.zeros(k), np.zeros((k, d)), 0, 0.0)
    for X, omega in slices(blocks):
        every = np.stack([((X - c - s) ** 2).sum(axis=1) for c, s in zip(C, shift, strict=True)], axis=1)
        chosen, rows, sq_size = every.argmin(axis=1), np.arange(len(X)), ((X - center.mean) ** 2).sum(axis=1)
        if labels is not None:
            given, least = labels[row : row + len(X)], every[rows, chosen]
            known = (given >= 0) & (given < k)
            label = np.where(known, given, chosen).astype(np.intp)
            # a distance in the model's precision, to centers that were rounded when they were stored
            far, near = np.sqrt(sq_size) + np.maximum(length[label], length[chosen]), np.sqrt(every[rows, label])
            rounding = eps * far**2 + moved * (near + np.sqrt(least)) + moved**2
            sums.wrong += int(np.count_nonzero(~(known & (near**2 - least <= ROUNDINGS * rounding))))
            chosen = label
        for j in np.unique(chosen):
            sums.drift[j] += omega[chosen == j] @ (X[chosen == j] - C[j] - shift[j])
        sums.inertia += np.bincount(chosen, weights=omega * every[rows, chosen], minlength=k)
        sums.weight += np.bincount(chosen, weights=omega, minlength=k)
        sums.total += float(omega @ sq_size)
        row += len(X)
    return sums


def _nearest(now: Clusters, n: int) -> Claim:
    return at_most(
        "nearest",
        f"Every row has the label of a nearest center; rows of {n} that have not, beyond rounding in its precision.",
        Grade.EXACT, now.wrong, 0,
        failure=f"{now.wrong} of {n} rows have another label than that of a nearest center.",
    )  # fmt: skip


def _inertia(claimed: float, now: Clusters, shift: F64, stored: F64, m: int, eps: float, tol: float) -> Claim:
    """A center moved by δ changes the sum of its rows by 2W δ·(c − m) + W‖δ‖²."""
    truth, length = float(now.inertia.sum()), np.linalg.norm(shift, axis=1)
    moved = float(now.weight @ (2 * stored * length + stored**2))
    size = eps * float(np.sqrt(now.total * truth))  # distances in differences from the mean
    # where rows sit on their centers up to rounding, relative to all variance
    unit = truth if truth > float(now.weight @ stored**2) else now.total if now.total > 0 else 1.0
    return at_most(
        "inertia",
        f"inertia_ is the sum of squared distances to the centers, recomputed as {truth:.10g}; relative difference.",
        Grade.EXACT, abs(claimed - truth) / unit, tol, {"recomputed": truth, "claimed": claimed},
        error=gamma(m + 6) * truth / unit, excuse=ROUNDINGS * (eps + (moved + size) / unit),
        failure=f"inertia_ is {claimed:.10g}, but the squared distances to the centers add up to {truth:.10g}.",
    )  # fmt: skip


def _used(now: Clusters, C: F64, point: F64) -> Claim:
    """A center without rows could move to a row and lower the inertia, unless every row sits on a center."""
    k, idle = len(C), max(int(np.count_nonzero(now.weight <= 0)), len(C) - len(np.unique(C, axis=0)))
    done = bool(point.all())
    return at_most(
        "centers_used",
        f"Every row sits on its center up to rounding; {idle} of the {k} centers have nothing to do."
        if done else f"All {k} centers are distinct and have rows; centers that do not.",
        Grade.OPTIMAL if done else Grade.EXACT, 0 if done else idle, 0, {"idle": idle},
        failure=f"{idle} of {k} centers have no rows or equal another: each could move to a row and lower the inertia.",
    )  # fmt: skip


def _steps(
    attrs: Attributes, now: Clusters, after: Clusters, shift: F64, stored: F64, point: F64, m: int, tol: float
) -> list[Claim]:
    """Centers against the spread of their own rows; the saving of one more step against the inertia.

    A fit that stopped by its own tol promised Σ‖movement‖² ≤ tol · (mean variance of a column), and the next step may
    be four times as long.
    """
    asked = real(attrs.parameter("tol", 1e-4))
    promise = NEXT_STEP * (asked if asked > 0 else 0.0) * now.total / (now.weight.sum() * shift.shape[1])
    inertia, own = float(now.inertia.sum()), np.where(now.inertia > 0, now.inertia, np.inf)
    saves = now.weight * np.einsum("ij,ij->i", shift, shift)
    value, excuse = np.where(point, 0.0, saves / own), ROUNDINGS * now.weight * stored**2 / own
    stops = np.maximum(tol, np.minimum(promise * now.weight / own, NO_CONVERGENCE))
    errors = gamma(m + 8) * (2 * np.sqrt(value) + gamma(m + 8) + value)  # the mean of x − c is off by γ of the spread
    saving = max(0.0, inertia - float(after.inertia.sum())) / inertia
    whole, error = ROUNDINGS * float(now.weight @ stored**2) / inertia, 4 * gamma(m + 6)
    settled = saving + error <= tol + whole and bool((value + errors <= tol + excuse).all())
    grade = Grade.FIXED_POINT if settled else Grade.BOUNDED
    limits = np.full(len(value), tol) if settled else stops
    stop = tol if settled else max(tol, min(promise * float(now.weight.max()) / inertia, NO_CONVERGENCE))
    j = int(np.argmax((value + errors) / (limits + excuse)))
    advice = "lower tol or raise max_iter"
    return [
        at_most(
            "centers",
            "Each center is the mean of its rows: moving it there saves at most this share of its own cluster's sum; "
            f"center {j} comes nearest to its limit.",
            grade, value[j], limits[j], error=errors[j], excuse=excuse[j],
            failure=f"Center {j} is not the mean of its rows: moving it there saves {value[j]:.2g} of its cluster's "
            f"sum; {advice}.",
        ),
        at_most(
            "fixed_point",
            "One more step of Lloyd's iteration saves at most this share of the inertia."
            if settled else
            f"The fit stopped by its tol={asked:g}, before a fixed point: one more step of Lloyd's iteration saves "
            f"this share of the inertia, and later steps may save more; for a fixed point {advice}.",
            grade, saving, stop, {"saves": saving * inertia}, error=error, excuse=whole,
            failure=f"Not a fixed point: one more step of Lloyd's iteration saves {saving:.2g} of the inertia; "
            f"{advice}.",
        ),
    ]  # fmt: skip


def _answers(model: Any, blocks: Blocks, center: Center, C: F64, eps: float) -> list[Claim]:
    """predict gives a nearest center and transform the distances, on sampled rows."""
    X = sample_rows(blocks)
    claims = [transform_claim(model, X, C, center.mean, eps)] if hasattr(type(model), "transform") else []
    sq_dist, rounding = squared_distances(X, C, center.mean, eps)
    given = answer_of(model, "predict", X, (len(X),))
    if isinstance(given, Claim):
        return [*claims, given]
    known = np.isin(given, np.arange(len(C)))
    excess = sq_dist[np.arange(len(X)), np.where(known, given, 0).astype(np.intp)] - sq_dist.min(axis=1)
    wrong = int(np.count_nonzero(~(known & (excess <= rounding.max(axis=1)))))
    return [
        *claims,
        at_most(
            "predict",
            f"predict gives a nearest center; rows of {len(X)} where it does not.",
            Grade.EXACT, wrong, 0,
            failure=f"predict gives something else than a nearest center on {wrong} of {len(X)} rows.",
        ),
    ]  # fmt: skip


def _interval(bound: Bound | None, now: Clusters, m: int) -> Claim:
    """The share of the inertia that no centers go below: information."""
    upper, lower = float(now.inertia.sum()) * (1 + gamma(m + 6)), 0.0 if bound is None else bound.lower
    sentence = "No lower bound was computed: the data are too large for a spectrum."
    if upper <= 0:
        sentence = "The inertia is zero: nothing is lower."
    elif bound is not None:
        how = "exact optima along" if bound.exact else "lower bounds along"
        above = f"at most {upper / lower - 1:.1%} above" if lower > 0 else "an unknown factor above"
        sentence = (
            f"The least inertia of any {now.weight.size} centers lies in [{lower:.6g}, {upper:.6g}]: this fit is "
            f"{above} it ({how} {bound.axes} principal axes)."
        )
    ratio = min(lower / upper, 1.0) if upper > 0 else 1.0
    return Claim("interval", sentence, Grade.BOUNDED, ratio, None, lower <= upper, {"lower": lower, "upper": upper})
