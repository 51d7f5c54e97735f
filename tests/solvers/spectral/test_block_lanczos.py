"""Lanczos in blocks against LAPACK, closed forms, and its own residuals recomputed."""

from __future__ import annotations

import numpy as np
import pytest

from surefit._core.threads import single_threaded_blas
from surefit.solvers.spectral import block_lanczos as module
from surefit.solvers.spectral.block_lanczos import block_lanczos


@pytest.fixture(autouse=True)
def as_in_a_fit():
    with single_threaded_blas():
        yield


def leading(A, k, tol=0.0, max_passes=300):
    return block_lanczos(lambda V: A @ V, len(A), k, tol=tol, max_passes=max_passes, stream=np.random.default_rng(0))


def with_spectrum(values, seed=0):
    Q, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(len(values), len(values))))
    return (Q * values) @ Q.T


@pytest.mark.parametrize("k", [1, 3, 10, 40])
@pytest.mark.parametrize(
    "values",
    [
        0.9 ** np.arange(300.0),
        1.0 / (1 + np.arange(300.0)),
        np.linspace(1, 2, 300),
        np.concatenate([np.full(5, 3.0), np.full(295, 1.0)]),
        np.concatenate([-(0.5 ** np.arange(150.0)), 0.7 ** np.arange(150.0)]),
    ],
    ids=["fast", "slow", "flat", "multiple", "indefinite"],
)
def test_agrees_with_lapack(values, k):
    A = with_spectrum(values)
    found = leading(A, k)
    assert found.converged
    np.testing.assert_allclose(found.values, np.sort(values)[::-1][:k], atol=1e-12)
    V = found.vectors
    np.testing.assert_allclose(V.T @ V, np.eye(k), atol=1e-13)
    assert np.linalg.norm(A @ V - V * found.values, axis=0).max() <= 1e-13


def test_restarts_keep_what_was_found(monkeypatch):
    monkeypatch.setattr(module, "BLOCKS", 3)
    values = 1.0 / (1 + np.arange(400.0))
    found = leading(with_spectrum(values), 6)
    assert found.converged and found.n_passes > 3
    np.testing.assert_allclose(found.values, values[:6], atol=1e-13)


def test_the_second_difference_has_sines_for_vectors():
    """Eigenvalues 2 − 2 cos(jπ/(n + 1)) of the chain with −1, 2, −1."""
    n = 200
    A = 2 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)
    found = leading(A, 4)
    np.testing.assert_allclose(found.values, 2 - 2 * np.cos(np.arange(n, n - 4, -1) * np.pi / (n + 1)), rtol=1e-12)


def test_rank_below_the_block():
    x = np.random.default_rng(0).normal(size=(100, 2))
    found = leading(x @ x.T, 6)
    np.testing.assert_allclose(found.values[:2], np.linalg.eigvalsh(x.T @ x)[::-1], rtol=1e-13)
    np.testing.assert_allclose(found.values[2:], 0.0, atol=1e-12)
    np.testing.assert_allclose(found.vectors.T @ found.vectors, np.eye(6), atol=1e-12)


@pytest.mark.parametrize("n", [1, 2, 5])
def test_tiny(n):
    A = with_spectrum(np.arange(1.0, n + 1))
    np.testing.assert_allclose(leading(A, n).values, np.arange(n, 0, -1), rtol=1e-13)


def test_stopped_early_states_its_residuals():
    A = with_spectrum(np.linspace(1, 2, 500))
    found = leading(A, 5, max_passes=3)
    assert not found.converged and found.n_passes == 3
    V = found.vectors
    np.testing.assert_allclose(np.linalg.norm(A @ V - V * found.values, axis=0), found.residuals, rtol=1e-8)
    loose = leading(A, 5, tol=1e-3)
    assert loose.converged and loose.n_passes < leading(A, 5).n_passes
    assert (loose.residuals <= 1e-3 * loose.values).all()
