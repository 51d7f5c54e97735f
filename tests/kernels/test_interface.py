"""What estimators rely on: names, functions and expressions give the same blocks as scikit-learn's pairwise kernels."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.metrics.pairwise import pairwise_kernels

from surefit.kernels import FromFunction, Gaussian, GramRows, Linear, Precomputed, gram_blocks, resolve_kernel
from surefit.kernels.gram import HeldGram
from surefit.kernels.resolve import gamma_scale

NAMES = ["linear", "poly", "polynomial", "rbf", "sigmoid", "laplacian", "cosine", "chi2", "additive_chi2"]


def data(n: int = 31, m: int = 17, d: int = 5, dtype: type = np.float64) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X, Y = (rng.uniform(0, 2, size=(size, d)) * (rng.random((size, d)) < 0.7) for size in (n, m))
    return X.astype(dtype), Y.astype(dtype)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("sparse", [False, True])
def test_names_are_those_of_scikit_learn(name, dtype, sparse):
    X, Y = data(dtype=dtype)
    expected = pairwise_kernels(X.astype(np.float64), Y.astype(np.float64), metric=name)
    k = resolve_kernel(name, X)
    A, B = (sp.csr_array(X), sp.csr_array(Y)) if sparse else (X, Y)
    found = k(A, B)
    assert found.dtype == dtype
    atol = 50 * np.finfo(dtype).eps * np.abs(expected).max()
    np.testing.assert_allclose(found, expected, rtol=0, atol=atol)
    np.testing.assert_allclose(
        k.diagonal(A), np.diagonal(pairwise_kernels(X.astype(np.float64), metric=name)), rtol=50 * np.finfo(dtype).eps
    )
    np.testing.assert_allclose(k(X[3], Y[2]), expected[3, 2], rtol=0, atol=atol)


@pytest.mark.parametrize("kernel", ["rbf", "linear", "laplacian"])
@pytest.mark.parametrize("sparse", [False, True])
def test_rows_and_blocks_are_parts_of_the_whole(kernel, sparse):
    X, Y = data()
    k = resolve_kernel(kernel, X)
    whole = k(X)
    A = sp.csr_array(X) if sparse else X
    gram = GramRows(k, A)
    assert gram.n == len(X)
    rows, columns = np.array([4, 0, 30]), np.array([7, 7, 2, 1])
    np.testing.assert_allclose(gram.rows(rows), whole[rows], rtol=1e-13)
    np.testing.assert_allclose(gram.rows(rows, columns), whole[np.ix_(rows, columns)], rtol=1e-13)
    out = np.empty((3, len(X)))
    assert gram.rows(rows, out=out) is out
    np.testing.assert_allclose(out, whole[rows], rtol=1e-13)
    np.testing.assert_allclose(gram.subset(columns).rows([0, 3]), whole[np.ix_([7, 1], columns)], rtol=1e-13)
    np.testing.assert_allclose(gram.diagonal(), np.diagonal(whole), rtol=1e-13)
    held = HeldGram(gram)
    np.testing.assert_array_equal(held.rows(rows), gram.rows(rows))
    np.testing.assert_array_equal(held.rows(rows, columns), gram.rows(rows, columns))
    np.testing.assert_allclose(held.diagonal(), np.diagonal(whole), rtol=1e-13)
    B = sp.csr_array(Y) if sparse else Y
    for blocks, expected in ((gram_blocks(k, A, B, bytes=1000), k(X, Y)), (gram.cross(B, bytes=1000), k(Y, X))):
        places, parts = zip(*blocks, strict=True)
        assert len(parts) > 1 and all(part.nbytes <= 1000 for part in parts)
        assert [place.start for place in places] == list(np.cumsum([0] + [len(part) for part in parts])[:-1])
        np.testing.assert_allclose(np.vstack(parts), expected, rtol=1e-13)


def test_precomputed_values_are_read_where_they_are():
    X, Y = data()
    K, test = Gaussian(0.5)(X), Gaussian(0.5)(Y, X)
    gram = GramRows(Precomputed(), K)
    assert (gram.rows([3, 1], [2, 0]) == K[np.ix_([3, 1], [2, 0])]).all()
    assert (gram.diagonal() == np.diagonal(K)).all()
    assert (gram.subset([5, 6]).rows([1], [0]) == K[6, 5]).all()
    assert (np.vstack([block for _, block in gram.cross(test, bytes=500)]) == test).all()
    assert (np.vstack([block for _, block in gram_blocks(Precomputed(), test, bytes=500)]) == test).all()
    K2 = (Precomputed() + Precomputed())(K)
    assert (K2 == 2 * K).all()
    with pytest.raises(ValueError, match="square"):
        GramRows(Precomputed(), test).diagonal()


def test_functions_are_called_with_matrices_or_with_pairs_of_rows():
    X, Y = data()
    for k in (FromFunction(lambda A, B: A @ B.T), FromFunction(lambda a, b: float(a @ b), "pairs")):
        np.testing.assert_allclose(k(X, Y), X @ Y.T)
        np.testing.assert_allclose(k.diagonal(X), (X**2).sum(axis=1))
    with pytest.raises(ValueError, match="shape"):
        FromFunction(lambda A, B: np.zeros(3))(X, Y)


def test_expressions_are_callable_kernels_of_scikit_learn():
    X, Y = data()
    k = Gaussian(0.3) + 0.5 * Linear()
    np.testing.assert_allclose(pairwise_kernels(X, Y, metric=k), k(X, Y), rtol=1e-13)


def test_clone_pickle_and_nested_parameters():
    X, _ = data()
    k = 2 * Gaussian(0.3) + Linear()
    for copy in (clone(k, safe=False), pickle.loads(pickle.dumps(k))):
        assert copy is not k
        assert repr(copy) == repr(k)
        assert (copy(X) == k(X)).all()
    assert k.get_params()["left__kernel__gamma"] == 0.3
    k.set_params(left__kernel__gamma=0.7)
    np.testing.assert_allclose(k(X), 2 * Gaussian(0.7)(X) + Linear()(X))


def test_gamma_scale():
    X, _ = data()
    assert gamma_scale(X) == pytest.approx(1 / (X.shape[1] * X.var()), rel=1e-14)
    assert gamma_scale(sp.csr_array(X)) == pytest.approx(gamma_scale(X), rel=1e-12)
    assert gamma_scale(np.ones((4, 3))) == 1.0
