"""Half of a matrix, factorized in place: against NumPy's solver, on one thread and on several."""

from __future__ import annotations

import numpy as np
import pytest

import surefit
from surefit._core.errors import TooMuchMemory
from surefit.solvers.kernel_system.cholesky import WIDTH, HalfMatrix, half_bytes, solve_positive_definite
from tests.solvers.kernel_system.matrices import gaussian, rows


def block_of(A):
    return lambda rows, columns: A[rows, columns].copy()


@pytest.mark.parametrize("n", [1, 2, 100, WIDTH - 1, WIDTH, WIDTH + 1, 2 * WIDTH + 77])
def test_solves_what_numpy_solves(n):
    X, Y, _ = rows(n)
    K = gaussian(X, 0.3)
    C = solve_positive_definite(n, block_of(K), 0.5, Y)
    np.testing.assert_allclose(C, np.linalg.solve(K + 0.5 * np.eye(n), Y), rtol=1e-9, atol=1e-11)


def test_only_the_lower_triangle_is_asked_for():
    n = 8 * WIDTH + 10

    def lower(rows, columns):
        assert rows.start == columns.start and rows.stop == n
        return np.zeros((rows.stop - rows.start, columns.stop - columns.start))

    half = HalfMatrix(n, lower)
    assert 8 * sum(panel.size for panel in half.panels) <= half_bytes(n) < 0.8 * 8 * n * n


def test_same_bits_on_any_number_of_threads():
    n = 3 * WIDTH + 5
    X, Y, _ = rows(n)
    K = gaussian(X, 0.3)
    answers = []
    for n_threads in (1, 2, 3):
        with surefit.config(n_threads=n_threads):
            answers.append(solve_positive_definite(n, block_of(K), 0.1, Y))
    assert all(answer.tobytes() == answers[0].tobytes() for answer in answers)


@pytest.mark.parametrize("n", [50, WIDTH + 50])
def test_indefinite_and_singular_matrices_are_told(n):
    X, Y, _ = rows(n)
    K = gaussian(X, 0.3)
    assert solve_positive_definite(n, block_of(K - 2 * np.eye(n)), 0.0, Y) is None
    assert solve_positive_definite(n, block_of(X @ X.T), 0.0, Y) is None  # rank 3: what is left of a pivot is rounding
    twice = np.vstack([X, X[:1]])
    assert solve_positive_definite(n + 1, block_of(gaussian(twice, 9.0)), 0.0, np.ones((n + 1, 1))) is None


def test_memory_is_estimated_first():
    with surefit.config(memory_limit=10**6), pytest.raises(TooMuchMemory, match=r"GiB.*nystrom_cg"):
        solve_positive_definite(50_000, lambda rows, columns: pytest.fail("was allocated"), 1.0, np.ones((50_000, 1)))
