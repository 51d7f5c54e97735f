"""Checker of LocallyLinearEmbedding: weights optimal row by row, then the bottom eigenvectors of M = (I − W)ᵀ(I − W).

Weights that the model states (`weights_`) are checked; where it has none (scikit-learn) they are proposed from X by a
search and checked in the same way (theorems/graphs/local_weights.py). M u is formed in long double from I − W, so that
eigenvalues far below one keep their digits (docs/certificates/manifold.md).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes, bad_attributes, real, whole
from surefit.certificates.blocks import F64, BadData, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most, failed, refuted
from surefit.certificates.predictions import SAMPLE, numbers_claim
from surefit.certificates.rounding import epsilon, gamma
from surefit.certificates.search.graphs.local_weights import local_weights
from surefit.certificates.search.graphs.neighbor_lists import neighbor_lists
from surefit.certificates.search.spectral.largest_direction import largest_direction
from surefit.certificates.theorems.distances.all_rows import all_rows, in_slices
from surefit.certificates.theorems.graphs.components import components
from surefit.certificates.theorems.graphs.local_weights import LONG, Rebuilding, gram, optimality
from surefit.certificates.theorems.graphs.neighborhoods import Measure, euclidean, wrong_lists
from surefit.certificates.theorems.graphs.null_space import bottom_claims, null_vectors
from surefit.certificates.theorems.spectral.pairs import MOST_ORDER, ROUNDINGS, Pairs, orthonormal_claim, pairs_claim

ORDER = 0.1  # a share up to which "smallest" is told although rounding hides more


@checker("embedding_", "reconstruction_error_", "weights_", "eigenvalues_", "transform")
def check_locally_linear_embedding(model: Any, blocks: Blocks, tol: float) -> Findings:
    """Distances of all pairs, a small system for each row, one product with M, one Cholesky factor."""
    attrs, n = Attributes(model, "embedding_"), blocks.n_rows
    X, single = all_rows(blocks)
    Y, k = attrs.array("embedding_", (n, whole(attrs.parameter("n_components", 2)))), whole(model.n_neighbors)
    if not 1 <= k < n:
        attrs.faults.append(f"n_neighbors={k} is not between 1 and {n - 1}")
    if attrs.faults or Y is None:
        return [bad_attributes(attrs)], "one pass"
    eps, reg, method = epsilon(False, np.asarray(model.embedding_)), real(model.reg), attrs.text("method", "standard")
    if method != "standard" or attrs.has("radius"):
        sentence = f"The matrix of method={method!r}, or of a radius, is not recomputed; only right angles are checked."
        U, none = np.hstack([np.full((n, 1), 1 / np.sqrt(n)), Y]), np.zeros(1 + Y.shape[1])
        columns = Pairs("the matrix", None, 0.0, U, none, none, 0.0, eps, largest_direction)
        unproved = Claim("pairs", sentence, Grade.UNPROVED, None, tol, True)
        return [orthonormal_claim(columns, max(tol, 1e-6)), unproved], "one pass"
    measure = euclidean(X, epsilon(single) / 2)
    near, stated = _stated(attrs, n, k) if attrs.has("weights_") else (neighbor_lists(model, n, k, X), None)
    near, wrong = _lists(measure, np.zeros((n, k), np.intp) if near is None else near, stated is None)
    weights, gap = _weights(X, near, stated, reg)
    claims = _local(wrong, gap, n, tol)
    if all(claim.holds for claim in claims):  # else the matrix is not known
        claims += _eigen(attrs, Y, near, weights, reg, eps, tol)
    claims.append(_transform(model, X, np.float32 if single else np.float64, measure, k, Y, reg, eps, tol))
    return claims, f"{n}² distances, {n} systems of order {k}, a factor of order {min(n, MOST_ORDER)}"


def _lists(measure: Measure, given: NDArray, proposed: bool) -> tuple[NDArray, int]:
    """The lists given, or by distance and number where proposed ones cannot be; and how many are wrong."""
    near, wrong, (n, k) = given.copy(), 0, given.shape
    for rows in in_slices(n, 4 * n):
        D, slack = measure(rows)
        if proposed and wrong_lists(near[rows], rows, D, slack):
            D[np.arange(len(rows)), rows], slack[np.arange(len(rows)), rows] = np.inf, 0.0
            near[rows] = np.argsort(D, axis=1, kind="stable")[:, :k]
        wrong += wrong_lists(near[rows], rows, D, slack)
    return near, wrong


def _weights(X: F64, near: NDArray, stated: F64 | None, reg: float) -> tuple[Any, float]:
    """The weights stated, or those found; and the largest share by which they are not the best."""
    weights, gaps = np.zeros(near.shape, LONG), list[F64]()
    for rows in in_slices(len(X), near.shape[1] * (near.shape[1] + X.shape[1])):
        G, R = gram(X, rows, near[rows], reg)
        w = weights[rows] = local_weights(G) if stated is None else stated[rows]
        gaps += [optimality(G, R, w, X.shape[1]), np.abs(w.sum(axis=1) - 1).astype(np.float64)]
    return weights, float(np.concatenate(gaps).max())


def _stated(attrs: Attributes, n: int, k: int) -> tuple[NDArray, F64]:
    """The places and the numbers of weights_, k in each row."""
    W = attrs.model.weights_
    data, fits = np.asarray(W.data, dtype=np.float64), np.array_equal(W.indptr, np.arange(n + 1) * k)
    fits = fits and bool(((W.indices >= 0) & (W.indices < n)).all())
    if W.shape != (n, n) or not fits or not np.isfinite(data).all():
        raise BadData(f"weights_ has not {k} finite weights in each of {n} rows")
    return np.asarray(W.indices).reshape(n, k).astype(np.intp), data.reshape(n, k)


def _local(wrong: int, gap: float, n: int, tol: float) -> list[Claim]:
    return [
        at_most(
            "neighbors", f"Each row is rebuilt from its nearest others; rows of {n} with a wrong one.",
            Grade.EXACT, wrong, 0, failure=f"Other rows than the nearest rebuild {wrong} rows.",
        ),
        at_most(
            "weights",
            "The weights of each row add up to one and rebuild it best, with its penalty; largest share missing.",
            Grade.OPTIMAL, gap, tol, lower=0.0,
            failure=f"Some weights do not add up to one or are not the best: up to {gap:.2g} is missing.",
        ),
    ]  # fmt: skip


def _eigen(
    attrs: Attributes, Y: F64, near: NDArray, weights: Any, reg: float, eps: float, tol: float
) -> list[Claim]:  # fmt: skip
    """The columns against M of the weights above."""
    (n, k), A = near.shape, Rebuilding(near, weights)
    image, length, size, error = A.times(Y.astype(LONG)), np.maximum(np.linalg.norm(Y, axis=0), 1e-300), A.size, A.error
    lam = ((image**2).sum(axis=0) / length**2).astype(np.float64)
    # what solving the local systems in the model's precision leaves open: ε/reg of each weight
    longest = float(np.sqrt((weights**2).sum(axis=1).max()))
    local = 0.0 if attrs.has("weights_") else size * longest / max(reg, eps)
    rounding = ROUNDINGS * eps * (size**2 + local)
    unit = np.maximum(lam, rounding)
    asked = real(attrs.parameter("tol", 0.0)) if attrs.text("eigen_solver", "auto") != "dense" else 0.0
    loose, off = asked if 0 < asked < 0.25 else 0.0, gamma(n + 8) * size**2
    M = A.square() if n <= MOST_ORDER else None
    pairs = Pairs("(I − W)ᵀ(I − W)", M, off, Y, lam, unit, rounding, eps, largest_direction, loose)
    N = null_vectors(components(n, np.repeat(np.arange(n), k), near.ravel()), np.ones(n))
    return [
        pairs_claim(pairs, tol, "eigen_solver='dense' keeps more digits.", A.back(image), error * length),
        _sums(attrs, pairs, error + gamma(n + 8) * lam, tol),
        *bottom_claims(pairs, N, tol, ORDER),
    ]


def _sums(attrs: Attributes, pairs: Pairs, error: F64, tol: float) -> Claim:
    """reconstruction_error_ = Σλ; eigenvalues_ = λ."""
    total, lam, unit = attrs.number("reconstruction_error_"), pairs.lam, pairs.unit
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
    model: Any, X: F64, kind: Any, measure: Measure, k: int, Y: F64, reg: float, eps: float, tol: float
) -> Claim:  # fmt: skip
    """A training row is rebuilt from its k nearest rows, itself among them; rows with exact ties are left open."""
    rows, eps = np.unique(np.linspace(0, len(X) - 1, SAMPLE).astype(np.intp)), max(eps, float(np.finfo(kind).eps))
    far, slack = measure(rows)
    far[np.arange(len(rows)), rows] = -1.0
    order = np.argsort(far, axis=1, kind="stable")
    near, ends = order[:, :k], np.take_along_axis(far, order[:, k - 1 : k + 1], 1)
    G, R = gram(X, rows, near, reg)
    w = local_weights(G)
    w = (w / w.sum(axis=1)[:, None]).astype(np.float64)
    if not optimality(G, R, w, X.shape[1]).max() <= tol:
        return failed("transform", "The weights that rebuild a row were not found.")
    expected = (w[..., None] * Y[near]).sum(axis=1)
    size = (np.abs(w)[..., None] * np.abs(Y[near])).sum(axis=1).max(axis=1) * (1 + k / max(reg, eps))
    tied = (ends[:, 0] == ends[:, 1]) | (far == 0).any(axis=1)
    room = np.where(tied, np.inf, 8 * (k + 8) * eps * size)[:, None]
    claim = numbers_claim(model, "transform", X[rows].astype(kind), expected, room)
    if claim.holds or (ends[:, 1] - ends[:, 0] > 2 * slack.max(axis=1)).all():
        return claim
    return failed("transform", "transform answers otherwise, but rounding leaves open which rows are nearest to some.")
