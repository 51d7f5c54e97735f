"""Every solver gives the same answer, and the choice between them follows size, memory and penalties."""

from __future__ import annotations

import numpy as np
import pytest

import surefit
from surefit.kernels import Multiquadric
from surefit.solvers.kernel_system.solve import chosen_solver, solve_kernel_system
from tests.solvers.kernel_system.matrices import gaussian, linear, rows, system


@pytest.mark.parametrize("solver", ["auto", "cholesky", "eigen", "nystrom_cg"])
@pytest.mark.parametrize("alphas", [(0.5, 0.5), (0.1, 3.0)])
def test_solvers_agree_with_numpy(solver, alphas):
    X, Y, _ = rows(150)
    K = gaussian(X, 0.3)
    solution = solve_kernel_system(system(X), np.array(alphas), Y, solver, tol=1e-11)
    for k, alpha in enumerate(alphas):
        expected = np.linalg.solve(K + alpha * np.eye(150), Y[:, k])
        np.testing.assert_allclose(solution.C[:, k], expected, rtol=1e-7, atol=1e-8)


def test_the_choice():
    X, _, _ = rows(100)
    assert chosen_solver(system(X), np.array([1.0])) == "cholesky"
    assert chosen_solver(system(X), np.linspace(1, 2, 30)) == "eigen"
    assert chosen_solver(linear(X), np.array([1.0])) == "eigen"
    with surefit.config(memory_limit=10_000):
        assert chosen_solver(system(X), np.array([1.0])) == "nystrom_cg"
        assert chosen_solver(system(X), np.array([0.0])) == "cholesky"  # which says how much memory it needs
    many = rows(20_001, 2)[0]
    assert chosen_solver(system(many), np.array([1.0])) == "nystrom_cg"


def test_indefinite_kernels_warn_and_solve_the_system():
    X, Y, _ = rows(90)
    K = np.sqrt(1 + ((X[:, None] - X) ** 2).sum(axis=2))
    with pytest.warns(UserWarning, match=r"not positive semidefinite.*alpha > "):
        solution = solve_kernel_system(system(X, None, Multiquadric(1.0)), np.full(2, 0.1), Y)
    np.testing.assert_allclose((K + 0.1 * np.eye(90)) @ solution.C, Y, atol=1e-9)


def test_singular_systems_warn_and_have_the_least_squares_answer():
    X, Y, _ = rows(40, 3)
    for one in (linear(X), system(X, None, Multiquadric(1.0) * 0.0 + 1.0)):
        with pytest.warns(UserWarning, match="Singular matrix in solving dual problem"):
            C = solve_kernel_system(one, np.zeros(2), Y).C
        A = one.lower()
        A = np.tril(A) + np.tril(A, -1).T
        np.testing.assert_allclose(C, np.linalg.pinv(A, rcond=1e-10) @ Y, rtol=1e-7, atol=1e-9)
