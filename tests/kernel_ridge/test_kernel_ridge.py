"""KernelRidge against scikit-learn's, exact arithmetic and the definition of its system."""

from __future__ import annotations

import warnings
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.kernel_ridge
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.utils.estimator_checks import parametrize_with_checks

import surefit
from surefit._core.errors import CannotStream, InvalidData, InvalidParameter, TooMuchMemory
from surefit.kernel_ridge import KernelRidge
from surefit.kernels import Gaussian, Linear

SOLVERS = ["cholesky", "eigen", "nystrom_cg"]


def data(n=120, d=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, np.sin(X[:, 0]) + X[:, 1] + 0.1 * rng.normal(size=n), rng.integers(0, 4, n).astype(float)


@parametrize_with_checks([KernelRidge(kernel="rbf"), *(KernelRidge(kernel="rbf", solver=s) for s in SOLVERS)])
def test_scikit_learn_checks_of_every_solver(estimator, check):
    check(estimator)


@pytest.mark.parametrize(
    "kernel", ["linear", "poly", "polynomial", "rbf", "laplacian", "cosine", "chi2", "additive_chi2"]
)
@pytest.mark.parametrize("weighted", [False, True])
def test_kernels_by_name_are_scikit_learns(kernel, weighted):
    X, y, w = data()
    X, w = np.abs(X), w if weighted else None
    Y = np.column_stack([y, y**2])
    settings = {"kernel": kernel, "alpha": 0.7, "gamma": 0.3, "degree": 2, "coef0": 0.5}
    ours = KernelRidge(**settings).fit(X, Y, w)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = sklearn.kernel_ridge.KernelRidge(**settings).fit(X, Y, w)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_small_system_in_exact_fractions(solver):
    """Kernel x x' on rows 1, 2, 3 with weights 1, 2, 4 and alpha 1/2, by Cramer's rule."""
    x, y, w = [Fraction(v) for v in (1, 2, 3)], [Fraction(v) for v in (2, -1, 5)], [Fraction(v) for v in (1, 2, 4)]
    M = [[x[i] * x[j] + (Fraction(1, 2) / w[i] if i == j else 0) for j in range(3)] for i in range(3)]

    def determinant(A):
        return sum(
            A[0][i] * (A[1][(i + 1) % 3] * A[2][(i + 2) % 3] - A[1][(i + 2) % 3] * A[2][(i + 1) % 3]) for i in range(3)
        )

    exact = [
        determinant([[y[i] if j == k else M[i][j] for j in range(3)] for i in range(3)]) / determinant(M)
        for k in range(3)
    ]
    model = KernelRidge(alpha=0.5, solver=solver, tol=1e-14).fit(
        np.array([[1.0], [2.0], [3.0]]), np.array([2.0, -1.0, 5.0]), np.array([1.0, 2.0, 4.0])
    )
    np.testing.assert_allclose(model.dual_coef_, [float(a) for a in exact], rtol=1e-12)


@pytest.mark.parametrize("solver", SOLVERS)
def test_every_solver_satisfies_the_system(solver):
    X, y, w = data(300)
    w = w + 1
    Y = np.column_stack([y, X[:, 2]])
    model = KernelRidge(alpha=[0.1, 2.0], kernel="rbf", gamma=0.2, solver=solver, tol=1e-10).fit(X, Y, w)
    K = pairwise_kernels(X, metric="rbf", gamma=0.2)
    system = K @ model.dual_coef_ + np.array([0.1, 2.0]) * model.dual_coef_ / w[:, None]
    np.testing.assert_allclose(system, Y, atol=1e-8)
    assert model.solver_ == solver
    assert hasattr(model, "residual_") == (solver == "nystrom_cg")


def test_weights_are_repetitions_and_equal_rows_share_by_weight():
    X, y, w = data(50)
    weighted = KernelRidge(kernel="rbf", alpha=1e-3).fit(X, y, w)
    times = w.astype(int)
    repeated = KernelRidge(kernel="rbf", alpha=1e-3).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    shares = np.repeat(weighted.dual_coef_ / np.maximum(times, 1), times)
    np.testing.assert_allclose(repeated.dual_coef_, shares, rtol=1e-15)
    np.testing.assert_allclose(weighted.predict(X), repeated.predict(X), rtol=1e-10, atol=1e-10)
    np.testing.assert_array_equal(weighted.dual_coef_[w == 0], 0.0)


def test_equal_rows_do_not_make_the_system_singular():
    X, y, _ = data(40)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = KernelRidge(kernel="laplacian", alpha=0.0).fit(np.vstack([X, X]), np.concatenate([y, y]))
    np.testing.assert_allclose(model.predict(X), y, atol=1e-8)


def test_precomputed_callable_and_expressions():
    X, y, w = data()
    K = pairwise_kernels(X, metric="rbf", gamma=0.3)
    reference = sklearn.kernel_ridge.KernelRidge(kernel="rbf", gamma=0.3, alpha=0.1).fit(X, y, w).predict(X)
    before = K.copy()
    models = [
        KernelRidge(kernel="precomputed", alpha=0.1).fit(K, y, w).predict(K),
        KernelRidge(kernel=Gaussian(0.3), alpha=0.1).fit(X, y, w).predict(X),
        KernelRidge(
            kernel=lambda a, b, width: np.exp(-width * ((a - b) ** 2).sum()), kernel_params={"width": 0.3}, alpha=0.1
        )
        .fit(X, y, w)
        .predict(X),
    ]
    for values in models:
        np.testing.assert_allclose(values, reference, rtol=1e-9, atol=1e-10)
    np.testing.assert_array_equal(K, before)
    expression = 0.5 * Gaussian(0.3) + 2.0 * Linear() + 1.0
    gram = 0.5 * K + 2.0 * X @ X.T + 1.0
    np.testing.assert_allclose(
        KernelRidge(kernel=expression, alpha=0.1).fit(X, y).predict(X),
        sklearn.kernel_ridge.KernelRidge(kernel="precomputed", alpha=0.1).fit(gram, y).predict(gram),
        rtol=1e-9,
        atol=1e-9,
    )


def test_sparse_rows_and_single_precision():
    X, y, _ = data()
    X[np.abs(X) < 0.5] = 0.0
    dense = KernelRidge(kernel="rbf").fit(X, y).predict(X)
    for container in (sp.csr_array, sp.csc_array, sp.csr_matrix):
        np.testing.assert_allclose(
            KernelRidge(kernel="rbf").fit(container(X), y).predict(container(X)), dense, rtol=1e-9
        )
    single = KernelRidge(kernel="rbf").fit(X.astype(np.float32), y.astype(np.float32))
    assert single.X_fit_.dtype == single.predict(X.astype(np.float32)).dtype == np.float32
    np.testing.assert_allclose(single.predict(X.astype(np.float32)), dense, atol=1e-5)


def test_alpha_zero_interpolates_and_warns_only_where_it_cannot():
    X, y, _ = data(40)
    model = KernelRidge(kernel="laplacian", alpha=0.0, gamma=1.0).fit(X, y)
    np.testing.assert_allclose(model.predict(X), y, atol=1e-9)
    with pytest.warns(UserWarning, match="Singular matrix in solving dual problem"):
        model = KernelRidge(alpha=0.0).fit(X, y)
    np.testing.assert_allclose(model.predict(X), X @ np.linalg.lstsq(X, y, rcond=None)[0], atol=1e-10)


def test_warnings_name_the_line_of_the_caller():
    X, y, _ = data(40)
    with pytest.warns(UserWarning, match="Singular") as told:
        KernelRidge(alpha=0.0).fit(X, y)
    assert told[0].filename == __file__
    with pytest.warns(ConvergenceWarning, match=r"stopped after 1 iterations at a relative residual of") as told:
        KernelRidge(kernel="rbf", alpha=1e-6, solver="nystrom_cg", n_landmarks=2, max_iter=1).fit(X, y)
    assert told[0].filename == __file__


def test_predictions_of_objects():
    """2^|A ∩ B| on sets; the system solved by hand with NumPy."""
    from surefit.kernels import FromFunction

    sets = [{1, 2}, {2, 3}, {1}, {3, 4, 5}, set()]
    y = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    K = np.array([[2.0 ** len(a & b) for b in sets] for a in sets])
    model = KernelRidge(kernel=FromFunction(lambda a, b: 2.0 ** len(a & b), "pairs"), alpha=0.5).fit(sets, y)
    np.testing.assert_allclose(model.dual_coef_, np.linalg.solve(K + 0.5 * np.eye(5), y), rtol=1e-10)
    np.testing.assert_allclose(model.predict(sets), K @ model.dual_coef_, rtol=1e-12)


def test_what_is_refused():
    X, y, _ = data(30)
    with pytest.raises(InvalidParameter, match="do not correspond"):
        KernelRidge(alpha=[1.0, 2.0]).fit(X, y)
    with pytest.raises(InvalidParameter, match="alpha > 0"):
        KernelRidge(alpha=0, solver="nystrom_cg").fit(X, y)
    with pytest.raises(InvalidData, match=r"not symmetric: K\[0, 1\]"):
        K = X @ X.T
        K[0, 1] += 1e3
        KernelRidge(kernel="precomputed").fit(K, y)
    with pytest.raises(InvalidData, match="square"):
        KernelRidge(kernel="precomputed").fit(X, y)
    with pytest.raises(CannotStream, match="KernelRidge"):
        KernelRidge().fit("rows.parquet", "y")
    with surefit.config(memory_limit=2**20), pytest.raises(TooMuchMemory, match=r"nystrom_cg"):
        big = np.random.default_rng(0).normal(size=(3000, 2))
        KernelRidge(kernel="rbf", solver="cholesky").fit(big, big[:, 0])


def test_beyond_memory_it_iterates():
    X, y, _ = data(900, 2)
    with surefit.config(memory_limit=2**21):
        model = KernelRidge(kernel="rbf", alpha=0.1).fit(X, y)
    assert model.solver_ == "nystrom_cg" and model.residual_ <= 1e-8
    reference = sklearn.kernel_ridge.KernelRidge(kernel="rbf", alpha=0.1).fit(X, y)
    np.testing.assert_allclose(model.predict(X), reference.predict(X), atol=1e-6)


@pytest.mark.parametrize("solver", SOLVERS)
def test_same_bits_on_any_number_of_threads(solver):
    X, y, w = data(1300)
    bits = []
    for n_threads in (1, 2):
        with surefit.config(n_threads=n_threads):
            bits.append(KernelRidge(kernel="rbf", alpha=0.1, solver=solver).fit(X, y, w).dual_coef_.tobytes())
    assert bits[0] == bits[1]


def test_shuffled_rows_have_the_same_coefficients():
    X, y, w = data(600)
    order = np.random.default_rng(1).permutation(600)
    straight = KernelRidge(kernel="rbf", alpha=1e-3).fit(X, y, w).dual_coef_
    shuffled = KernelRidge(kernel="rbf", alpha=1e-3).fit(X[order], y[order], w[order]).dual_coef_
    np.testing.assert_array_equal(shuffled, straight[order])
