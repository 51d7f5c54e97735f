"""The centered Gram matrix and its components against their definitions."""

from __future__ import annotations

import numpy as np
import pytest

import surefit
from surefit._core.errors import InvalidData, TooMuchMemory
from surefit.kernels import FromFunction, Gaussian, GramRows, Polynomial, Precomputed
from surefit.solvers.spectral import centered_gram as module
from surefit.solvers.spectral.centered_gram import CenteredGram
from surefit.solvers.spectral.kernel_components import judged, kernel_components

X = np.random.default_rng(0).normal(size=(130, 3))
W = np.random.default_rng(1).integers(1, 4, 130).astype(np.float64)
DOUBLE = np.dtype(np.float64)


def by_definition(K, w):
    """√ω (K − means) √ω, entry by entry as the sums say."""
    r = K @ w / w.sum()
    centered = K - r[:, None] - r + w @ r / w.sum()
    return np.sqrt(w)[:, None] * centered * np.sqrt(w)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("slab", [512, 50])
def test_products_are_those_of_the_definition(weighted, slab, monkeypatch):
    monkeypatch.setattr(module, "SLAB", slab)
    w = W if weighted else np.ones(130)
    gram = CenteredGram(GramRows(Gaussian(0.3), X), W if weighted else None)
    K = np.exp(-0.3 * ((X[:, None] - X) ** 2).sum(axis=2))
    np.testing.assert_allclose(gram.K, K, atol=1e-14)
    assert (gram.K == gram.K.T).all()
    V = np.random.default_rng(2).normal(size=(130, 4))
    expected = by_definition(K, w)
    np.testing.assert_allclose(gram.apply(V), expected @ V, atol=1e-12)
    np.testing.assert_allclose(gram.row_means, K @ w / w.sum(), rtol=1e-13)
    np.testing.assert_allclose(gram.centered(), expected, atol=1e-13)


@pytest.mark.parametrize("iterate", [False, True])
def test_weights_are_repetitions(iterate):
    times = W.astype(int)
    weighted = kernel_components(
        CenteredGram(GramRows(Gaussian(0.3), X), W), 4, iterate=iterate, tol=0.0, max_iter=None, dtype=DOUBLE
    )
    repeated = kernel_components(
        CenteredGram(GramRows(Gaussian(0.3), np.repeat(X, times, axis=0)), None),
        4,
        iterate=iterate,
        tol=0.0,
        max_iter=None,
        dtype=DOUBLE,
    )
    np.testing.assert_allclose(weighted.values, repeated.values, rtol=1e-12)
    np.testing.assert_allclose(np.repeat(weighted.a, times, axis=0), repeated.a, atol=1e-12)
    np.testing.assert_allclose((W[:, None] * weighted.a).T @ weighted.a, np.eye(4), atol=1e-12)
    np.testing.assert_allclose(W @ weighted.a, 0.0, atol=1e-12)


def test_same_bits_on_any_number_of_threads(monkeypatch):
    monkeypatch.setattr(module, "SLAB", 16)
    many = np.random.default_rng(0).normal(size=(700, 3))
    found = []
    for n_threads in (1, 2, 3):
        with surefit.config(n_threads=n_threads):
            gram = CenteredGram(GramRows(Gaussian(0.3), many), None)
            found.append(kernel_components(gram, 3, iterate=True, tol=0.0, max_iter=None, dtype=DOUBLE))
    assert len({one.a.tobytes() for one in found}) == 1


def test_what_rounding_made_is_zero_and_what_is_negative_is_explained():
    assert judged(np.array([2.0, 1e-13, -1e-7]), DOUBLE).tolist() == [2.0, 0.0, 0.0]
    assert judged(np.array([2.0, 1e-8]), np.dtype(np.float32)).tolist() == [2.0, 0.0]
    assert judged(np.zeros(3), DOUBLE).tolist() == [0.0] * 3 and judged(np.zeros(0), DOUBLE).size == 0
    with pytest.raises(InvalidData, match=r"significant negative eigenvalues \(0\.25 .*fewer components"):
        judged(np.array([4.0, -1.0]), DOUBLE)
    with pytest.raises(InvalidData, match="All eigenvalues are negative"):
        judged(np.array([-1.0, -2.0]), DOUBLE)


def test_precomputed_and_functions():
    K = Polynomial(2, 0.5, 1.0)(X)
    expected = CenteredGram(GramRows(Polynomial(2, 0.5, 1.0), X), None).K
    np.testing.assert_allclose(CenteredGram(GramRows(Precomputed(), K), None).K, expected, rtol=1e-13)
    by_hand = FromFunction(lambda x, y: (0.5 * x @ y + 1) ** 2, "pairs")
    np.testing.assert_allclose(CenteredGram(GramRows(by_hand, X[:20]), None).K, expected[:20, :20], rtol=1e-13)
    with pytest.raises(InvalidData, match="not symmetric"):
        CenteredGram(GramRows(Precomputed(), np.triu(K)), None)
    with pytest.raises(InvalidData, match="square"):
        CenteredGram(GramRows(Precomputed(), K[:, :5]), None)


def test_too_many_rows_are_refused_before_they_are_multiplied():
    with surefit.config(memory_limit=10**5), pytest.raises(TooMuchMemory, match="130 rows"):
        CenteredGram(GramRows(Gaussian(0.3), X), None)
