"""Checker of LocallyLinearEmbedding: weights optimal row by row, then the bottom eigenvectors of M = (I − W)ᵀ(I − W).

The weights that the model states, or else those that a search proposes, are checked (theorems/graphs/local_weights.py).
M u is formed in long double from I − W, so that eigenvalues far below one keep their digits.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes, bad_attributes, real, whole
from surefit.certificates.blocks import F64, BadData, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most, refuted
from surefit.certificates.predictions import SAMPLE, numbers_claim
from surefit.certificates.rounding import epsilon, gamma
from surefit.certificates.search.graphs.local_weights import local_weights
from surefit.certificates.search.graphs.neighbor_lists import proposed_lists
from surefit.certificates.search.spectral.largest_direction import largest_direction
from surefit.certificates.theorems.distances.all_rows import all_rows, in_slices
from surefit.certificates.theorems.graphs.components import components
from surefit.certificates.theorems.graphs.local_weights import LONG, Rebuilding, gram, optimality
from surefit.certificates.theorems.graphs.neighborhoods import Measure, euclidean, wrong_lists
from surefit.certificates.theorems.graphs.null_space import bottom_claims, null_vectors
from surefit.certificates.theorems.spectral.pairs import MOST_ORDER, ROUNDINGS, Pairs, pairs_claim

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
        sentence = f"The matrix of method={method!r}, or of a radius, is not recomputed: the embedding is not checked."
        return [Claim("pairs", sentence, Grade.UNPROVED, None, tol, True)], "nothing"
    measure = euclidean(X, epsilon(single) / 2)
    stated, near, wrong = _stated(attrs, n, k) if attrs.has("weights_") else None, np.zeros((n, k), np.intp), n
    for near in proposed_lists(model, measure, X, k) if stated is None else [stated[0]]:
        wrong = sum(wrong_lists(near[rows], rows, *measure(rows)) for rows in in_slices(n, 4 * n))
        if not wrong:
            break
    weights, gap = _weights(X, near, stated, reg)
    claims = [
        at_most("neighbors", f"Its nearest others rebuild each row; rows of {n} where not.", Grade.EXACT, wrong, 0),
        at_most(
            "weights", "Weights add up to one and rebuild each row best, with its penalty; largest share missing.",
            Grade.OPTIMAL, gap, tol, lower=0.0,
        ),
    ]  # fmt: skip
    if all(claim.holds for claim in claims):  # else the matrix is not known
        claims += _eigen(attrs, Y, Rebuilding(near, weights), reg, eps, tol)
    claims.append(_transform(model, X.astype(np.float32) if single else X, measure, k, Y, reg, eps, tol))
    return claims, f"{n}² distances, {n} systems of order {k}, a factor of order {min(n, MOST_ORDER)}"


def _weights(X: F64, near: NDArray, stated: tuple[NDArray, F64] | None, reg: float) -> tuple[Any, float]:
    """The weights stated, or those found; and the largest share by which they are not the best."""
    weights, gaps = np.zeros(near.shape, LONG), list[F64]()
    for rows in in_slices(len(X), near.shape[1] * (near.shape[1] + X.shape[1])):
        G, R = gram(X, rows, near[rows], reg)
        w = weights[rows] = local_weights(G) if stated is None else stated[1][rows]
        gaps += [optimality(G, R, w, X.shape[1]), np.abs(w.sum(axis=1) - 1).astype(np.float64)]
    return weights, float(np.concatenate(gaps).max())


def _stated(attrs: Attributes, n: int, k: int) -> tuple[NDArray, F64]:
    """The places and the numbers of weights_, k in each row."""
    W = attrs.model.weights_
    fits = W.shape == (n, n) and np.array_equal(W.indptr, np.arange(n + 1) * k) and np.isfinite(W.data).all()
    if not fits or not ((W.indices >= 0) & (W.indices < n)).all():
        raise BadData(f"weights_ has not {k} finite weights in each of {n} rows")
    return W.indices.reshape(n, k).astype(np.intp), W.data.reshape(n, k).astype(np.float64)


def _eigen(attrs: Attributes, Y: F64, A: Rebuilding, reg: float, eps: float, tol: float) -> list[Claim]:
    """The columns against M = AᵀA."""
    n, k = A.cols.shape
    image, length = A.times(Y.astype(LONG)), np.maximum(np.linalg.norm(Y, axis=0), 1e-300)
    lam = ((image**2).sum(axis=0) / length**2).astype(np.float64)
    # what solving the local systems in the model's precision leaves open: ε/reg of each weight
    longest = float(np.sqrt((A.values[:, 1:] ** 2).sum(axis=1).max()))
    rounding = ROUNDINGS * eps * (A.size**2 + (0.0 if attrs.has("weights_") else A.size * longest / max(reg, eps)))
    pairs = Pairs(
        "(I − W)ᵀ(I − W)", A.square() if n <= MOST_ORDER else None, gamma(n + 8) * A.size**2, Y, lam,
        np.maximum(lam, rounding), rounding, eps, largest_direction,
    )  # fmt: skip
    N = null_vectors(components(n, np.repeat(np.arange(n), k), A.cols.ravel()), np.ones(n))
    return [
        pairs_claim(pairs, tol, "eigen_solver='dense' keeps more digits.", A.back(image), A.error * length),
        _sums(attrs, pairs, A.error + gamma(n + 8) * lam, tol),
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
        "reconstruction", f"reconstruction_error_ is the sum of squares left, {lam.sum():.6g}; relative difference.",
        Grade.EXACT, off, tol, error=float((error / unit).max()), excuse=float(pairs.excuse.max()),
    )  # fmt: skip


def _transform(model: Any, X: NDArray, measure: Measure, k: int, Y: F64, reg: float, eps: float, tol: float) -> Claim:
    """A training row is rebuilt from its k nearest rows, itself among them; exact ties are left open."""
    rows, eps = np.unique(np.linspace(0, len(X) - 1, SAMPLE).astype(np.intp)), max(eps, np.finfo(X.dtype).eps)
    far, slack = measure(rows)
    far[np.arange(len(rows)), rows] = -1.0
    order = np.argsort(far, axis=1, kind="stable")
    near, (last, after) = order[:, :k], np.take_along_axis(far, order[:, k - 1 : k + 1], 1).T
    G, R = gram(X.astype(np.float64), rows, near, reg)
    w = local_weights(G)
    w = (w / w.sum(axis=1)[:, None]).astype(np.float64)
    sure = (after - last > 2 * slack.max(axis=1)) & (optimality(G, R, w, X.shape[1]) <= tol)
    expected = (w[..., None] * Y[near]).sum(axis=1)
    size = (np.abs(w)[..., None] * np.abs(Y[near])).sum(axis=1).max(axis=1) * (1 + k / max(reg, eps))
    room = np.where(after > last, 8 * (k + 8) * eps * size, np.inf)[:, None]
    claim = numbers_claim(model, "transform", X[rows], expected, room)
    if (after > last).any() and (claim.holds or sure.all()):
        return claim
    return Claim("transform", "Ties or rounding leave transform open.", Grade.UNPROVED, None, None, claim.holds)
