"""Checker of LocallyLinearEmbedding: weights optimal row by row, then the bottom eigenvectors of M = (I − W)ᵀ(I − W).

Weights that the model states (`weights_`) are checked; where it has none (scikit-learn) they are proposed from X by a
search and checked in the same way (theorems/graphs/local_weights.py). M u is formed in long double from I − W, so that
eigenvalues far below one keep their digits (docs/certificates/manifold.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes, bad_attributes, real, whole
from surefit.certificates.blocks import F64, BadData, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most, failed, refuted
from surefit.certificates.predictions import SAMPLE, numbers_claim
from surefit.certificates.rounding import UNIT, epsilon, gamma
from surefit.certificates.search.graphs.local_weights import local_weights
from surefit.certificates.search.graphs.neighbor_lists import neighbor_lists
from surefit.certificates.search.spectral.largest_direction import largest_direction
from surefit.certificates.theorems.distances.all_rows import all_rows, in_slices
from surefit.certificates.theorems.graphs.components import components
from surefit.certificates.theorems.graphs.local_weights import LONG, Rebuilding, gram, optimality
from surefit.certificates.theorems.graphs.neighborhoods import Neighborhoods, euclidean, sq_distances
from surefit.certificates.theorems.graphs.null_space import joined, null_claim, null_vectors
from surefit.certificates.theorems.spectral.pairs import (
    MOST_ORDER,
    ROUNDINGS,
    Pairs,
    orthonormal_claim,
    outermost_claim,
    pairs_claim,
)

MOST_ROWS, ORDER = 1 << 17, 0.1


@dataclass(frozen=True)
class Local:
    """Neighbors and weights of all rows."""

    near: NDArray  # (n, k)
    weights: Any
    open: int  # rows whose list rounding leaves open
    wrong: int  # rows with a neighbor that cannot be one, or without one that must be
    gap: float  # of the local problems, the largest relative one


@checker("embedding_", "reconstruction_error_", "weights_", "eigenvalues_", "transform")
def check_locally_linear_embedding(model: Any, blocks: Blocks, tol: float) -> Findings:
    """Distances of all pairs, a small system for each row, one product with M, one Cholesky factor."""
    attrs, n = Attributes(model, "embedding_"), blocks.n_rows
    X, single = all_rows(blocks, MOST_ROWS)
    Y, k = attrs.array("embedding_"), whole(attrs.parameter("n_neighbors", 5))
    if Y is not None and (Y.ndim != 2 or len(Y) != n or Y.shape[1] != real(attrs.parameter("n_components", 2))):
        attrs.faults.append(f"embedding_ has shape {Y.shape}, expected {n} rows and n_components columns")
    if not 1 <= k < n:
        attrs.faults.append(f"n_neighbors={k} is not between 1 and {n - 1}")
    if attrs.faults or Y is None:
        return [bad_attributes(attrs)], "one pass"
    eps, method = epsilon(False, np.asarray(model.embedding_)), attrs.text("method", "standard")
    if method != "standard" or attrs.has("radius"):
        what = f"method={method!r}" if method != "standard" else "rows within a radius"
        sentence = f"The matrix of {what} is not recomputed; only right angles are checked."
        lengths = orthonormal_claim(np.hstack([np.full((n, 1), 1 / np.sqrt(n)), Y]), eps, max(tol, 1e-6))
        return [lengths, Claim("pairs", sentence, Grade.UNPROVED, None, tol, True)], "one pass"
    lists, reg = Neighborhoods(n, euclidean(X, epsilon(single) / 2), k), real(attrs.parameter("reg", 1e-3))
    local = _local(attrs, X, lists, k, reg)
    claims = [*_weights(local, tol), *_eigen(attrs, Y, local, reg, eps, tol)]
    if callable(getattr(type(model), "transform", None)):
        asked = X.astype(np.float32) if single else X
        claims.append(_transform(model, X, asked, lists, k, Y, reg, max(eps, epsilon(single))))
    return claims, f"{n}² distances, {n} systems of order {k}, a factor of order {min(n, MOST_ORDER)}"


def _local(attrs: Attributes, X: F64, lists: Neighborhoods, k: int, reg: float) -> Local:
    """The lists that the model shows, else the sure ones first, then by number; the weights stated, or those found."""
    n, opened, wrong, gaps = len(X), 0, 0, list[F64]()
    given = neighbor_lists(attrs.model, n, k, X)
    stated = _stated(attrs, n, k) if attrs.has("weights_") else None
    near, weights = np.zeros((n, k), np.intp), np.zeros((n, k), LONG)
    for rows in in_slices(n, n + k * k + k * X.shape[1]):
        sure, maybe = lists.lists(rows)
        opened += int(np.count_nonzero(maybe.sum(axis=1) != k))
        order = np.argsort(np.where(sure, 0, np.where(maybe, 1, 2)), axis=1, kind="stable")[:, :k]
        near[rows], own = order if given is None else given[rows], np.zeros_like(sure)
        own[np.arange(len(rows))[:, None], near[rows]] = True
        own = _replaced(own, rows, X)
        wrong += int(np.count_nonzero((own.sum(axis=1) != k) | (sure & ~own | own & ~maybe).any(axis=1)))
        G, R = gram(X, rows, near[rows], reg)
        w = weights[rows] = local_weights(G) if stated is None else stated[rows]
        gaps += [optimality(G, R, w, X.shape[1]), np.abs(w.sum(axis=1) - 1).astype(np.float64)]
    return Local(near, weights, opened, wrong, float(np.max(gaps)))


def _stated(attrs: Attributes, n: int, k: int) -> F64:
    """The numbers of weights_, k in each row; the places are those that neighbor_lists reads there."""
    W = attrs.model.weights_
    data, fits = np.asarray(W.data, dtype=np.float64), np.array_equal(W.indptr, np.arange(n + 1) * k)
    fits = fits and bool(((W.indices >= 0) & (W.indices < n)).all())
    if W.shape != (n, n) or not fits or not np.isfinite(data).all():
        raise BadData(f"weights_ has not {k} finite weights in each of {n} rows")
    return data.reshape(n, k)


def _replaced(own: NDArray, rows: NDArray, X: F64) -> NDArray:
    """A row in its own list stands for an equal row that is not in it."""
    at = np.arange(len(rows))
    for i in at[own[at, rows]]:
        equal = np.flatnonzero((X == X[rows[i]]).all(axis=1) & ~own[i])
        if equal.size:
            own[i, rows[i]], own[i, equal[0]] = False, True
    return own


def _weights(local: Local, tol: float) -> list[Claim]:
    return [
        at_most(
            "neighbors", f"Each row is rebuilt from its nearest others; rows of {len(local.near)} with a wrong one.",
            Grade.EXACT, local.wrong, 0, {"open": local.open},
            failure=f"Other rows than the nearest rebuild {local.wrong} rows.",
        ),
        at_most(
            "weights",
            "The weights of each row add up to one and rebuild it best, with its penalty; largest share missing.",
            Grade.OPTIMAL, local.gap, tol, lower=0.0,
            failure=f"Some weights do not add up to one or are not the best: up to {local.gap:.2g} is missing.",
        ),
    ]  # fmt: skip


def _eigen(attrs: Attributes, Y: F64, local: Local, reg: float, eps: float, tol: float) -> list[Claim]:
    """The columns against M of the weights above."""
    (n, k), A = local.near.shape, Rebuilding(local.near, local.weights)
    N = null_vectors(components(n, np.repeat(np.arange(n), k), local.near.ravel()), np.ones(n))
    image, length = A.times(Y.astype(LONG)), np.maximum(np.linalg.norm(Y, axis=0), 1e-300)
    lam = ((image**2).sum(axis=0) / length**2).astype(np.float64)
    # what solving the local systems in the model's precision leaves open: ε/reg of each weight
    longest = float(np.sqrt((local.weights**2).sum(axis=1).max()))
    local_rounding = 0.0 if attrs.has("weights_") else A.size * longest / max(reg, eps)
    rounding = ROUNDINGS * eps * (A.size**2 + local_rounding)
    unit = np.maximum(lam, rounding)
    asked = real(attrs.parameter("tol", 0.0)) if attrs.text("eigen_solver", "auto") != "dense" else 0.0
    pairs = Pairs(Y, lam, unit, np.minimum(0.5, rounding / unit), eps, asked if 0 < asked < 0.25 else 0.0)
    open_lists, slip = f" The neighbors of {local.open} rows are tied." if local.open else "", 2 * UNIT * A.size**2
    return [
        null_claim(pairs, N, tol, ROUNDINGS * eps * A.size**2),
        orthonormal_claim(Y, eps, max(tol, pairs.loose)),
        pairs_claim(pairs, A.back(image), A.rounding * length, tol, "(I − W)ᵀ(I − W)",
                    f"eigen_solver='dense' keeps more digits.{open_lists}"),
        _sums(attrs, lam, A.rounding + gamma(n + 8) * lam, unit, pairs, tol),
        outermost_claim(joined(pairs, N), A.matrix, slip, tol, last=float(lam.max()), unit=float(unit.max()),
                        smallest=True, matrix="(I − W)ᵀ(I − W)", propose=largest_direction, rounding=rounding,
                        most=ORDER),
    ]  # fmt: skip


def _sums(attrs: Attributes, lam: F64, error: F64, unit: F64, pairs: Pairs, tol: float) -> Claim:
    """reconstruction_error_ = Σλ; eigenvalues_ = λ."""
    total = attrs.number("reconstruction_error_")
    given = attrs.array("eigenvalues_", lam.shape) if attrs.has("eigenvalues_") else lam
    if total is None or given is None:
        return refuted("reconstruction", "reconstruction_error_ or eigenvalues_ are not numbers for the columns.")
    off = max(abs(total - float(lam.sum())) / float(unit.sum()), float((np.abs(given - lam) / unit).max(initial=0.0)))
    return at_most(
        "reconstruction",
        f"reconstruction_error_ is the sum of the squares that are left, recomputed as {lam.sum():.6g}; relative "
        "difference.",
        Grade.EXACT, off, max(tol, pairs.loose), error=float((error / unit).max()), excuse=float(pairs.excuse.max()),
        failure=f"reconstruction_error_ (or an eigenvalue) is off by a relative {off:.2g} ({lam.sum():.6g}).",
    )  # fmt: skip


def _transform(
    model: Any, X: F64, asked: NDArray, lists: Neighborhoods, k: int, Y: F64, reg: float, eps: float
) -> Claim:
    """A training row is rebuilt from its k nearest rows, itself among them; rows with ties are left open."""
    rows = np.unique(np.linspace(0, len(X) - 1, min(SAMPLE, len(X))).astype(np.intp))
    D2 = sq_distances(X[rows], X)
    D2[np.arange(len(rows)), rows] = -1.0
    near = np.argsort(D2, axis=1, kind="stable")[:, : k + 1]
    ends = np.take_along_axis(D2, near, axis=1)
    tied = (ends[:, k - 1] == ends[:, k]) | (D2 == 0).any(axis=1)
    near = near[:, :k]
    w = local_weights(gram(X, rows, near, reg)[0]).astype(np.float64)
    expected = (w[..., None] * Y[near]).sum(axis=1)
    size = (np.abs(w)[..., None] * np.abs(Y[near])).sum(axis=1).max(axis=1) * (1 + k / max(reg, eps))
    rounding = np.where(tied, np.inf, 8 * (k + 8) * eps * size)[:, None] * np.ones(Y.shape[1])
    claim = numbers_claim(model, "transform", asked[rows], expected, rounding)
    maybe = Neighborhoods(len(X), lists.measure, k - 1).lists(rows)[1].sum(axis=1)
    if claim.holds or (maybe == k - 1).all():
        return claim
    reason = f"Rounding leaves open which rows are nearest to {np.count_nonzero(maybe != k - 1)} of {len(rows)}"
    return failed("transform", f"{reason}; transform answers otherwise.")
