"""Conjugate gradients on a matrix that is not stored: against NumPy's solver, and the residual it reports."""

from __future__ import annotations

import numpy as np
import pytest

from surefit.kernels import Gaussian
from surefit.solvers.kernel_system.nystrom import Nystrom, conjugate_gradients, landmark_count
from tests.solvers.kernel_system.matrices import gaussian, linear, rows, system


@pytest.mark.parametrize("n_landmarks", [None, 1, 20, 400])
@pytest.mark.parametrize("weighted", [False, True])
def test_solves_what_numpy_solves(n_landmarks, weighted):
    X, Y, w = rows(400)
    K = gaussian(X, 0.3)
    one = system(X, w if weighted else None)
    A = K * np.sqrt(np.outer(w, w)) if weighted else K
    alphas = np.array([0.1, 2.0])
    C, n_iter, residual = conjugate_gradients(one, alphas, Y, n_landmarks=n_landmarks, tol=1e-10, max_iter=500)
    for k, alpha in enumerate(alphas):
        np.testing.assert_allclose(C[:, k], np.linalg.solve(A + alpha * np.eye(400), Y[:, k]), rtol=1e-6, atol=1e-7)
        missed = np.linalg.norm(Y[:, k] - A @ C[:, k] - alpha * C[:, k]) / np.linalg.norm(Y[:, k])
        assert missed <= 1.01e-10 and residual[k] == pytest.approx(missed, rel=1e-2, abs=1e-15)
    assert n_iter >= 1


def test_landmarks_save_iterations():
    X, Y, _ = rows(500, 2)
    one = system(X, None, Gaussian(0.1))
    counts = [
        conjugate_gradients(one, np.full(2, 1e-3), Y, n_landmarks=m, tol=1e-8, max_iter=2000).n_iter for m in (1, 100)
    ]
    assert counts[1] * 4 < counts[0]


def test_all_rows_as_landmarks_are_an_inverse():
    X, Y, _ = rows(120)
    R = Nystrom(system(X), 120).divide(Y, np.array([0.5, 0.5]))
    np.testing.assert_allclose(R, np.linalg.solve(gaussian(X, 0.3) + 0.5 * np.eye(120), Y), rtol=1e-6, atol=1e-8)


def test_linear_features_precondition_themselves():
    X, Y, w = rows(3000, 6)
    one = linear(X, w)
    C, n_iter, residual = conjugate_gradients(one, np.ones(2), Y, n_landmarks=None, tol=1e-12, max_iter=50)
    assert n_iter <= 3 and residual.max() <= 1e-12
    F = X * np.sqrt(w)[:, None]
    np.testing.assert_allclose(F @ (F.T @ C) + C, Y, atol=1e-10)


def test_stopping_early_reports_the_residual_that_is_left():
    X, Y, _ = rows(300)
    C, n_iter, residual = conjugate_gradients(
        system(X), np.full(2, 1e-6), Y, n_landmarks=5, tol=1e-12, max_iter=3, step=lambda C: False
    )
    A = gaussian(X, 0.3) + 1e-6 * np.eye(300)
    missed = np.linalg.norm(Y - A @ C, axis=0) / np.linalg.norm(Y, axis=0)
    assert n_iter == 3
    np.testing.assert_allclose(residual, missed, rtol=1e-6)
    assert residual.max() > 1e-6


def test_a_callback_may_stop_it():
    X, Y, _ = rows(300)
    told = []
    answer = conjugate_gradients(
        system(X), np.full(2, 1e-6), Y, n_landmarks=5, tol=1e-12, max_iter=100,
        step=lambda C: bool(told.append(C.copy())) or len(told) == 2,
    )  # fmt: skip
    assert answer.n_iter == 2 and len(told) == 2


def test_targets_of_zero_are_solved_by_zero():
    X, _, _ = rows(50)
    answer = conjugate_gradients(system(X), np.ones(1), np.zeros((50, 1)), n_landmarks=5, tol=1e-8, max_iter=10)
    np.testing.assert_array_equal(answer.C, 0.0)


def test_landmarks_grow_with_the_root_of_the_rows():
    assert landmark_count(1) == 1 and landmark_count(50) == 50
    assert landmark_count(10_000) == 800
