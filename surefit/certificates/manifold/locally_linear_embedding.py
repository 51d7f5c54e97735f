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
from surefit.certificates.predictions import SAMPLE, answer_of, numbers_claim
from surefit.certificates.rounding import UNIT, epsilon, gamma
from surefit.certificates.search.largest_direction import largest_direction
from surefit.certificates.search.local_weights import local_weights
from surefit.certificates.theorems.distances.all_rows import all_rows, in_slices
from surefit.certificates.theorems.graphs.local_weights import LONG, Rebuilding, gram, optimality
from surefit.certificates.theorems.graphs.neighborhoods import Neighborhoods, euclidean, sq_distances
from surefit.certificates.theorems.graphs.null_space import (
    joined,
    null_claim,
    null_vectors,
    only_null,
    right_angles_claim,
)
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
    moved: float  # ‖W − exact W‖_F; 0 for weights that the model states


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
        lengths = orthonormal_claim(_with_constant(Y), eps, max(tol, 1e-6))
        return [lengths, Claim("pairs", sentence, Grade.UNPROVED, None, tol, True)], "one pass"
    lists = Neighborhoods(n, euclidean(X, epsilon(single) / 2), k)
    reg = real(attrs.parameter("reg", 1e-3))
    local = _local(attrs, X, lists, k, reg)
    claims = [*_weights(local, tol), *_eigen(attrs, Y, local, reg, eps, tol)]
    if callable(getattr(type(model), "transform", None)):
        claims.append(_transform(model, X, lists, Y, reg, max(eps, epsilon(single)), blocks))
    return claims, f"{n}² distances, {n} systems of order {k}, a factor of order {min(n, MOST_ORDER)}"


def _with_constant(Y: F64) -> F64:
    return np.hstack([np.full((len(Y), 1), 1 / np.sqrt(len(Y))), Y])


def _local(attrs: Attributes, X: F64, lists: Neighborhoods, k: int, reg: float) -> Local:
    n = len(X)
    near, weights = np.zeros((n, k), np.intp), np.zeros((n, k), LONG)
    opened = wrong = 0
    gap, moved = 0.0, 0.0
    given = _proposed(attrs, X, k)
    for rows in in_slices(n, n):
        sure, maybe = lists.lists(rows)
        exact = maybe.sum(axis=1) == k
        opened += int(np.count_nonzero(~exact))
        if given is None:  # the sure ones first, then by number
            near[rows] = np.argsort(np.where(sure, 0, np.where(maybe, 1, 2)), axis=1, kind="stable")[:, :k]
        else:
            near[rows], own = given[0][rows], np.zeros_like(sure)
            own[np.arange(len(rows))[:, None], near[rows]] = True
            own = _replaced(own, rows, X)
            wrong += int(np.count_nonzero((sure & ~own | own & ~maybe).any(axis=1)))
        for part in in_slices(len(rows), k * k + k * X.shape[1]):
            G, R = gram(X, rows[part], near[rows[part]], reg)
            w = local_weights(G) if given is None or given[1] is None else given[1][rows[part]]
            weights[rows[part]] = w
            gaps, far = optimality(G, R, w, X.shape[1])
            off = np.abs(w.sum(axis=1) - 1).astype(np.float64)
            gap = max(gap, float(np.nan_to_num(gaps, nan=np.inf).max(initial=0.0)), float(off.max(initial=0.0)))
            moved += float((far**2).sum() + (off**2).sum())
    stated = given is not None and given[1] is not None  # then the matrix is that of the weights as stated
    return Local(near, weights, opened, wrong, gap, 0.0 if stated else float(np.sqrt(moved)))


def _proposed(attrs: Attributes, X: F64, k: int) -> tuple[NDArray, F64 | None] | None:
    """Lists (and weights) that the model states: its own `weights_`, or the lists of its `nbrs_`; both are checked."""
    n = len(X)
    if attrs.has("weights_"):
        W = attrs.model.weights_
        indptr, indices, data = (np.asarray(getattr(W, name, np.zeros(0))) for name in ("indptr", "indices", "data"))
        fits = tuple(getattr(W, "shape", ())) == (n, n) and np.array_equal(indptr, np.arange(n + 1) * k)
        if not fits or not np.isfinite(data).all():
            raise BadData(f"weights_ has not {k} finite weights in each of {n} rows")
        return indices.reshape(n, k).astype(np.intp), data.reshape(n, k).astype(np.float64)
    found = None if not attrs.has("nbrs_") else answer_of(Lists(attrs.model.nbrs_, k), "lists", X)
    if isinstance(found, np.ndarray) and found.shape == (n, k) and found.dtype.kind in "iu":
        if bool(((found >= 0) & (found < n)).all()):
            return found.astype(np.intp), None
    return None


@dataclass(frozen=True)
class Lists:
    """The k + 1 nearest of each row without the first, as scikit-learn takes them."""

    search: Any
    k: int

    def lists(self, X: F64) -> NDArray:
        return np.asarray(self.search.kneighbors(X, n_neighbors=self.k + 1, return_distance=False))[:, 1:]


def _replaced(own: NDArray, rows: NDArray, X: F64) -> NDArray:
    """A row in its own list stands for an equal row that is not in it."""
    at = np.arange(len(rows))
    for i in at[own[at, rows]]:
        equal = np.flatnonzero((X == X[rows[i]]).all(axis=1) & ~own[i])
        if equal.size:
            own[i, rows[i]], own[i, equal[0]] = False, True
    return own


def _weights(local: Local, tol: float) -> list[Claim]:
    n = len(local.near)
    claims = [at_most(
        "neighbors", f"Each row is rebuilt from its nearest others; rows of {n} with a wrong one.", Grade.EXACT,
        local.wrong, 0, {"open": local.open}, failure=f"Other rows than the nearest rebuild {local.wrong} rows.",
    )]  # fmt: skip
    claims.append(at_most(
        "weights",
        "The weights of each row add up to one and rebuild it best, with its penalty; largest share that is missing.",
        Grade.OPTIMAL, local.gap, tol, lower=0.0,
        failure=f"Some weights do not add up to one or are not the best: up to {local.gap:.2g} is missing.",
    ))  # fmt: skip
    return claims


def _components(near: NDArray) -> NDArray:
    """For each row the lowest number in its component of the graph of neighbors."""
    label = np.arange(len(near))
    while True:
        lower = np.minimum(label, label[near].min(axis=1))
        np.minimum.at(lower, near.ravel(), np.repeat(lower, near.shape[1]))
        lower = lower[lower]
        if np.array_equal(lower, label):
            return label
        label = lower


def _eigen(attrs: Attributes, Y: F64, local: Local, reg: float, eps: float, tol: float) -> list[Claim]:
    n, A, N = len(Y), Rebuilding(local.near, local.weights), null_vectors(_components(local.near), np.ones(len(Y)))
    product, length = A.square(Y), np.maximum(np.linalg.norm(Y, axis=0), 1e-300)
    image = np.sqrt((A.times(Y.astype(LONG)) ** 2).sum(axis=0)).astype(np.float64)
    lam = (image / length) ** 2
    # δM u = −δWᵀ(I − W)u − (I − W)ᵀδW u
    error = local.moved * (image + (A.size + local.moved) * length) + A.rounding * length
    # what solving the local systems in the model's precision leaves open: ε/reg of each weight
    longest = float(np.sqrt((local.weights**2).sum(axis=1).max()))
    local_rounding = 0.0 if attrs.has("weights_") else A.size * longest / max(reg, eps)
    rounding = ROUNDINGS * eps * (A.size**2 + local_rounding)
    unit = np.maximum(lam, rounding)
    asked = real(attrs.parameter("tol", 0.0)) if attrs.text("eigen_solver", "auto") != "dense" else 0.0
    pairs = Pairs(Y, lam, unit, np.minimum(0.5, rounding / unit), eps, asked if 0 < asked < 0.25 else 0.0)
    open_lists = f" The neighbors of {local.open} rows are tied." if local.open else ""
    claims = [
        null_claim(pairs, N, tol, rounding),
        right_angles_claim(pairs, N, tol, ROUNDINGS * eps * A.size**2),
        pairs_claim(pairs, product, error, tol, "(I − W)ᵀ(I − W)",
                    f"eigen_solver='dense' keeps more digits.{open_lists}"),
        _sums(attrs, lam, error / length + gamma(n + 8) * lam, unit, pairs, tol),
    ]  # fmt: skip
    null = only_null(pairs, N)
    if null is not None:
        claims.append(null)
    elif n <= MOST_ORDER:
        M = A.matrix()
        slip = 2 * local.moved * (A.size + local.moved) + 2 * UNIT * float(np.linalg.norm(M))
        claims.append(
            outermost_claim(
                joined(pairs, N), M, slip, tol, last=float(lam.max()), unit=float(unit.max()), smallest=True,
                matrix="(I − W)ᵀ(I − W)", propose=largest_direction, rounding=rounding, most=ORDER,
            )
        )  # fmt: skip
    else:
        sentence = f"That no smaller eigenvalue is left out is not proved: {n} rows are too many for a factor."
        claims.append(Claim("smallest", sentence, Grade.UNPROVED, None, tol, True))
    return claims


def _sums(attrs: Attributes, lam: F64, error: F64, unit: F64, pairs: Pairs, tol: float) -> Claim:
    """reconstruction_error_ = Σλ; eigenvalues_ = λ."""
    total = attrs.number("reconstruction_error_")
    given = attrs.array("eigenvalues_") if attrs.has("eigenvalues_") else lam
    if total is None or given is None or given.shape != lam.shape:
        return refuted("reconstruction", "reconstruction_error_ or eigenvalues_ are not numbers for the columns.")
    off = max(abs(total - float(lam.sum())) / float(unit.sum()), float((np.abs(given - lam) / unit).max(initial=0.0)))
    return at_most(
        "reconstruction",
        f"reconstruction_error_ is the sum of the squares that are left, recomputed as {lam.sum():.6g}; relative "
        "difference.",
        Grade.EXACT, off, max(tol, pairs.loose), error=float((error / unit).max()), excuse=float(pairs.excuse.max()),
        failure=f"reconstruction_error_ (or an eigenvalue) is off by a relative {off:.2g} ({lam.sum():.6g}).",
    )  # fmt: skip


def _transform(model: Any, X: F64, lists: Neighborhoods, Y: F64, reg: float, eps: float, blocks: Blocks) -> Claim:
    """A training row is rebuilt from its k nearest rows, itself among them; rows with ties are left open."""
    rows = np.unique(np.linspace(0, len(X) - 1, min(SAMPLE, len(X))).astype(np.intp))
    k = lists.k or 0
    _, maybe = Neighborhoods(len(X), lists.measure, k - 1).lists(rows)
    decided = maybe.sum(axis=1) == k - 1
    D2 = sq_distances(X[rows], X)
    D2[np.arange(len(rows)), rows] = -1.0
    near = np.argsort(D2, axis=1, kind="stable")[:, : k + 1]
    ends = np.take_along_axis(D2, near, axis=1)
    tied = (ends[:, k - 1] == ends[:, k]) | (D2 == 0).any(axis=1)
    near = near[:, :k]
    G, _ = gram(X, rows, near, reg)
    w = local_weights(G).astype(np.float64)
    expected = (w[..., None] * Y[near]).sum(axis=1)
    size = (np.abs(w)[..., None] * np.abs(Y[near])).sum(axis=1).max(axis=1) * (1 + k / max(reg, eps))
    rounding = np.where(tied, np.inf, 8 * (k + 8) * eps * size)[:, None] * np.ones(Y.shape[1])
    asked = X[rows].astype(next(iter(blocks))[0].dtype)
    claim = numbers_claim(model, "transform", asked, expected, rounding)
    if claim.holds or decided.all():
        return claim
    if decided.any() and not (sure := numbers_claim(model, "transform", asked[decided], expected[decided],
                                                    rounding[decided])).holds:  # fmt: skip
        return sure
    open_rows = int(np.count_nonzero(~decided))
    reason = f"Rounding leaves open which rows are nearest to {open_rows} of {len(rows)}; transform answers otherwise."
    return failed("transform", reason)
