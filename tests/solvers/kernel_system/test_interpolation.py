"""Interpolation systems against the bordered matrix solved by NumPy, and by hand."""

from __future__ import annotations

import numpy as np
import pytest

from surefit.solvers.kernel_system.interpolation import interpolate

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 2))
Y = RNG.normal(size=(40, 3))
R = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
ONE, LINEAR = np.ones((40, 1)), np.column_stack([np.ones(40), X])
NONE = np.zeros((40, 0))
THIN = R**2 * np.log(np.where(R > 0, R, 1.0))


def bordered(K, P, smoothing):
    """[[A, P], [Pᵀ, 0]] [w; b] = [y; 0]"""
    m = P.shape[1]
    M = np.block([[K + np.diag(smoothing), P], [P.T, np.zeros((m, m))]])
    found = np.linalg.solve(M, np.vstack([Y, np.zeros((m, 3))]))
    return found[:40], found[40:]


@pytest.mark.parametrize("smoothing", [None, RNG.random(40)], ids=["exact", "smooth"])
@pytest.mark.parametrize(
    ("K", "P", "sign"),
    [
        (np.exp(-(R**2) * 4), NONE, 1),
        (np.exp(-R), LINEAR, 1),
        (THIN, LINEAR, 1),
        (R, ONE, -1),
        (R**3, LINEAR, 1),
        (R, NONE, 0),
    ],
    ids=["gaussian", "with a plane", "thin plate", "linear", "cubic", "indefinite"],
)
def test_agrees_with_the_bordered_system(K, P, sign, smoothing):
    found = interpolate(K.copy(), P, Y, sign, smoothing)
    lam = np.zeros(40) if smoothing is None else smoothing
    w, b = bordered(K if sign >= 0 else -K, P, lam)
    size = np.abs(w).max()
    np.testing.assert_allclose(found.weights, w if sign >= 0 else -w, atol=1e-8 * size)
    np.testing.assert_allclose(found.polynomial, b, atol=1e-8 * size)
    np.testing.assert_allclose(P.T @ found.weights, 0.0, atol=1e-12 * size)
    assert np.abs(found.residual).max() < 1e-12 * size


def test_three_points_on_a_line_by_hand():
    """|x − c| through (0, 1), (1, 2), (3, 0) has slopes 1 and −1: weights ½, −1, ½ that sum to zero, and b = ½."""
    x = np.array([0.0, 1.0, 3.0])
    found = interpolate(np.abs(x[:, None] - x), np.ones((3, 1)), np.array([[1.0], [2.0], [0.0]]), -1, None)
    np.testing.assert_allclose(found.weights[:, 0], [0.5, -1.0, 0.5], atol=1e-14)
    np.testing.assert_allclose(found.polynomial, [[0.5]], atol=1e-14)


def test_monomials_that_depend_on_others_are_left_out():
    P = np.column_stack([LINEAR, X[:, 0] - X[:, 1]])
    found, plain = interpolate(THIN.copy(), P, Y, 1, None), interpolate(THIN.copy(), LINEAR, Y, 1, None)
    np.testing.assert_allclose(found.weights, plain.weights, atol=1e-9 * np.abs(plain.weights).max())
    np.testing.assert_allclose(P @ found.polynomial, LINEAR @ plain.polynomial, atol=1e-9)
    np.testing.assert_allclose(P.T @ found.weights, 0.0, atol=1e-9)


def test_more_monomials_than_points():
    few = slice(0, 3)
    P = np.column_stack([LINEAR, X**2, X[:, :1] * X[:, 1:]])[few]
    found = interpolate(THIN[few, few].copy(), P, Y[few], 1, None)
    np.testing.assert_allclose(P @ found.polynomial + THIN[few, few] @ found.weights, Y[few], atol=1e-12)


def test_a_singular_matrix_states_what_it_misses():
    found = interpolate(np.ones((4, 4)), np.zeros((4, 0)), np.array([[1.0], [2.0], [3.0], [4.0]]), 1, None)
    np.testing.assert_allclose(found.residual[:, 0], [-1.5, -0.5, 0.5, 1.5], atol=1e-12)  # the mean is the best
