"""Checker of GaussianRandomProjection: its dimension, the law of its entries, and the distances it keeps.

Entries N(0, 1/k) keep all squared distances of n points within 1 ± ε, except with a probability of at most
δ = n² exp(−k(ε − log(1 + ε))/2). That is a promise about the draw; what this draw did to these rows is measured.
"""

from __future__ import annotations

from math import erf
from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes, real
from surefit.certificates.blocks import F64, BadData, Blocks, all_finite, dense
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most, refuted
from surefit.certificates.predictions import numbers_claim, sample_rows
from surefit.certificates.rounding import UNIT, epsilon, gamma

MOST_POINTS = 600
MOST_ENTRIES = 20_000
SMALL_BLUR = 1e-9  # share of a distance that rounding may hide
DELTA = 1e-9  # a true draw fails the test of its entries with at most this probability


@checker("components_", "n_components_", "transform")
def check_gaussian_random_projection(model: Any, blocks: Blocks, tol: float) -> Findings:
    """One pass, and the distances of at most 600 rows before and after."""
    attrs = Attributes(model, "components_")
    k, d = attrs.number("n_components_"), blocks.n_features
    A = attrs.array("components_", (int(k or 0), d))
    if A is None or k is None:
        return [bad_attributes(attrs)], "nothing"
    X = _points(blocks)
    eps = epsilon(any(x.dtype == np.float32 for x, _, _ in blocks), np.asarray(model.components_))
    asked = real(attrs.parameter("eps", 0.1))
    rows = sample_rows(blocks)
    R = np.asarray(rows, dtype=float)
    return [
        _dimension(attrs, int(k), blocks.n_rows, asked),
        *_drawn(attrs, A),
        *_entries(A),
        _distances(attrs, A, X, blocks.n_rows, asked),
        numbers_claim(model, "transform", rows, R @ A.T, (d + 8) * eps * (np.abs(R) @ np.abs(A).T)),
    ], "one pass, and the distances of at most 600 rows"


def _points(blocks: Blocks) -> F64:
    places = np.unique(np.linspace(0, blocks.n_rows - 1, min(MOST_POINTS, blocks.n_rows)).astype(int))
    found, first = [], 0
    for X, _, _ in blocks:
        if not all_finite(X):
            raise BadData("the data have entries that are NaN or infinite")
        here = places[(places >= first) & (places < first + X.shape[0])] - first
        found += [dense(X[i : i + 1]) for i in here.tolist()]
        first += X.shape[0]
    return np.concatenate(found)


def _dimension(attrs: Attributes, k: int, n: int, eps: float) -> Claim:
    asked, delta = attrs.parameter("n_components", "auto"), getattr(attrs.model, "delta", None)
    if isinstance(asked, str):
        if delta is None:
            least = int(np.floor(4 * np.log(n) / (eps**2 / 2 - eps**3 / 3))) if 0 < eps < 1 else -1
        else:
            least = int(np.ceil((4 * np.log(n) - 2 * np.log(real(delta))) / (eps - np.log1p(eps))))
        if k != least:
            return refuted(
                "dimension", f"n_components_ is {k}, but {n} rows, eps={eps:g} and delta={delta} ask for {least}."
            )
        return at_most("dimension", f"n_components_={k} is what {n} rows, eps={eps:g} and delta={delta} ask for.",
                       Grade.EXACT, 0, 0)  # fmt: skip
    if real(asked) != k:
        return refuted("dimension", f"n_components_ is {k}, but n_components={asked!r} was asked for.")
    return at_most("dimension", f"n_components_={k} is what was asked for.", Grade.EXACT, 0, 0)


def _drawn(attrs: Attributes, A: F64) -> list[Claim]:
    """With a whole number as the seed the matrix can be drawn again (scikit-learn's from NumPy's first generator)."""
    seed = attrs.parameter("random_state", None)
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or not 0 <= int(seed) < 2**32:
        return []
    if hasattr(attrs.model, "delta"):
        again = np.random.default_rng(int(seed)).spawn(1)[0].standard_normal(A.shape) / np.sqrt(len(A))
    else:
        again = np.random.RandomState(int(seed)).normal(0.0, 1.0 / np.sqrt(len(A)), A.shape)
    again = again.astype(np.asarray(attrs.model.components_).dtype).astype(float)
    off = float(np.abs(A - again).max(initial=0.0))
    return [
        at_most("drawn", f"The matrix is what random_state={seed} gives; largest difference of an entry.", Grade.EXACT,
                off, 0.0, failure=f"The matrix is not what random_state={seed} gives: an entry differs by {off:.2g}."),
    ]  # fmt: skip


def _entries(A: F64) -> list[Claim]:
    """The distribution of √k·a against the normal one, and its mean square.

    sup |F_m − Φ| > t has a probability of at most 2 exp(−2mt²) (Dvoretzky, Kiefer, Wolfowitz and Massart); for χ² with
    m degrees |χ²/m − 1| > 2√(s/m) + 2s/m has one of at most 2e⁻ˢ (Laurent and Massart).
    """
    z = np.sort((A * np.sqrt(len(A))).ravel())
    some = z[:: max(1, z.size // MOST_ENTRIES)]
    place = np.arange(z.size)[:: max(1, z.size // MOST_ENTRIES)]
    normal = np.array([0.5 * (1 + erf(v / np.sqrt(2))) for v in some])
    off = float(np.max(np.maximum(np.abs(place / z.size - normal), np.abs((place + 1) / z.size - normal))))
    s = np.log(2 / DELTA)
    allowed = float(np.sqrt(s / (2 * z.size)))
    squares = abs(float((z * z).mean()) - 1)
    room = float(2 * np.sqrt(s / z.size) + 2 * s / z.size)
    odds = f"a true draw fails this with a probability below {DELTA:g}"
    return [
        at_most("normal", f"The entries are spread as N(0, 1/k): largest difference of distributions; {odds}.",
                Grade.STATISTICAL, off, allowed, error=1e-12,
                failure=f"The entries are not spread as N(0, 1/k): the distributions differ by {off:.2g}."),
        at_most("length", f"The entries have the mean square 1/k; relative difference; {odds}.",
                Grade.STATISTICAL, squares, room, error=gamma(z.size + 4) * (1 + squares),
                failure=f"The mean square of the entries differs from 1/k by a relative {squares:.2g}."),
    ]  # fmt: skip


def _largest_change(A: F64, X: F64) -> float:
    """A bound of the largest |‖A(x − x')‖²/‖x − x'‖² − 1| over the pairs of different points.

    x − x' is rounded by a share u, and so is its length. Distances do not feel a shift: images are those of points
    shifted near the origin, each off by at most e(x) = ‖(γ(d + 2) + 2u) |A||x|‖. Pairs so near each other that this is
    too much get the image of their own difference.
    """
    X = np.ldexp(X, -int(np.frexp(np.abs(X).max(initial=0.0))[1]))
    C, size, share = X - X[len(X) // 2], np.abs(A).T, gamma(A.shape[1] + 2) + 2 * UNIT
    Z, blur = C @ A.T, share * np.linalg.norm(np.abs(C) @ size, axis=1)
    slack, worst = 1 + gamma(A.shape[1] + len(A) + 16), 0.0
    for i in range(len(X) - 1):
        D = X[i + 1 :] - X[i]
        differ = D.any(axis=1)
        D, before = D[differ], np.linalg.norm(D[differ], axis=1)
        after, off = np.linalg.norm(Z[i + 1 :][differ] - Z[i], axis=1), (blur[i + 1 :] + blur[i])[differ]
        near = off > SMALL_BLUR * before
        after[near] = np.linalg.norm(D[near] @ A.T, axis=1)
        off[near] = share * np.linalg.norm(np.abs(D[near]) @ size, axis=1)
        longest, shortest = (after + off) / before * slack, np.maximum(after - off * slack, 0) / before / slack
        worst = max(worst, float(np.max(np.maximum(longest**2 - 1, 1 - shortest**2), initial=0.0)))
    return worst * slack


def _distances(attrs: Attributes, A: F64, X: F64, n: int, eps: float) -> Claim:
    """Squared distances of all pairs of the points, after over before: a true draw keeps what the lemma says."""
    k, worst = len(A), _largest_change(A, X)
    auto, sizes = isinstance(attrs.parameter("n_components", "auto"), str), np.geomspace(1e-6, 1e6, 10_000)
    fails = float(min(1.0, np.exp(2 * np.log(n) - k * (eps - np.log1p(eps)) / 2))) if 0 < eps < 1 else 1.0
    enough = k * (sizes - np.log1p(sizes)) / 2 >= 2 * np.log(n) - np.log(DELTA)
    pairs = len(X) * (len(X) - 1) // 2
    which = f"all {pairs} pairs" if len(X) == n else f"{pairs} pairs of {len(X)} of the {n} rows"
    return at_most(
        "distances",
        f"Squared distances of {which} change by at most this share. For eps={eps:g} the lemma promises it for all "
        f"pairs with a probability of {1 - fails:.3g}.",
        Grade.BOUNDED, worst, eps if auto else float(sizes[enough][0]), {"promise": 1 - fails},
        failure=f"A squared distance changes by a share of {worst:.3g}, more than eps={eps:g}; take another seed or a "
        "larger dimension." if auto else f"A squared distance changes by a share of {worst:.3g}: for a true draw that "
        f"has a probability below {DELTA:g}.",
    )  # fmt: skip
