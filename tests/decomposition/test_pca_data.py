"""PCA on every kind of data: sparse, degenerate, out of range, in files and in Dask collections."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.decomposition

import surefit
from surefit._core.errors import CannotStream
from surefit.decomposition import PCA
from tests.decomposition.test_pca import ATTRIBUTES, SOLVERS, assert_same_model, spiked


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("shape", [(3000, 30), (40, 3000)])
@pytest.mark.parametrize("container", [sp.csr_array, sp.csc_matrix])
def test_sparse_is_dense(solver, shape, container):
    X = spiked(*shape)
    X[np.abs(X) < 1] = 0
    dense = PCA(3, svd_solver=solver, random_state=0).fit(X)
    sparse = PCA(3, svd_solver=solver, random_state=0).fit(container(X))
    assert_same_model(sparse, dense, atol=1e-7)
    np.testing.assert_allclose(sparse.transform(container(X)), dense.transform(X), atol=1e-8)


def test_sparse_and_large_goes_by_products():
    """Rows and columns beyond what is squared: no matrix of their size is made."""
    X = sp.random_array((3000, 2500), density=0.002, rng=np.random.default_rng(0), format="csr")
    for step in (7, 11):
        X = X + sp.csr_array(np.outer(np.arange(3000) % step == 0, np.arange(2500) % step == 1) * 1.0)
    theirs = sklearn.decomposition.PCA(2, svd_solver="arpack", random_state=0).fit(X)
    assert_same_model(PCA(2, random_state=0).fit(X), theirs)
    with surefit.config(memory_limit=2**26):  # 2500 × 2500 products would not fit
        assert_same_model(PCA(2, random_state=0).fit(X.astype(np.float32)), theirs, rtol=1e-4, atol=1e-6)
        with pytest.raises(MemoryError, match=r"2500 × 2500 products.*randomized"):
            PCA().fit(X)


def test_degenerate_data():
    with pytest.raises(ValueError, match=r"1 sample\(s\).*minimum of 2"):
        PCA().fit(np.ones((1, 3)))
    two = PCA().fit([[0.0, 0], [3, 4]])
    np.testing.assert_allclose(two.singular_values_, [np.sqrt(12.5), 0], rtol=1e-15)
    np.testing.assert_allclose(two.components_, [[0.6, 0.8], [0.8, -0.6]], rtol=1e-14)
    column = PCA().fit([[1.0], [2], [4]])
    np.testing.assert_allclose(column.explained_variance_, [7 / 3], rtol=1e-14)
    for solver in SOLVERS:
        flat = PCA(2, svd_solver=solver, random_state=0).fit(np.full((5, 3), 0.1))
        np.testing.assert_array_equal(flat.explained_variance_, [0, 0])
        np.testing.assert_array_equal(flat.explained_variance_ratio_, [0, 0])
        np.testing.assert_allclose(flat.components_ @ flat.components_.T, np.eye(2), atol=1e-15)
        np.testing.assert_array_equal(PCA(2, whiten=True).fit_transform(np.full((5, 3), 0.1)), np.zeros((5, 2)))


@pytest.mark.parametrize("scale", [1e-200, 1e-160, 1e155, 1e170])
@pytest.mark.parametrize("shape", [(50, 4), (8, 40)])
def test_squares_out_of_range(scale, shape):
    X = spiked(*shape)
    with np.errstate(over="ignore", invalid="ignore"):
        model = PCA(2).fit(X * scale)
    plain = PCA(2).fit(X)
    np.testing.assert_allclose(model.singular_values_ / scale, plain.singular_values_, rtol=1e-10)
    np.testing.assert_allclose(model.components_, plain.components_, atol=1e-10)


def stored(tmp_path, X, w=None):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    columns = {f"x{j}": X[:, j] for j in range(X.shape[1])} | ({} if w is None else {"w": w})
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table(columns), path, row_group_size=3000)
    return path


@pytest.mark.parametrize("solver", ["auto", "covariance_eigh", "full", "randomized"])
@pytest.mark.parametrize("source", ["parquet", "dask"])
def test_same_bits_from_memory_files_and_dask(tmp_path, solver, source):
    X = spiked(20_011, 6)
    w = np.random.default_rng(1).integers(0, 3, len(X)).astype(float)
    memory = PCA(3, svd_solver=solver, random_state=0).fit(X, sample_weight=w)
    model = PCA(3, svd_solver=solver, random_state=0)
    if source == "parquet":
        path = stored(tmp_path, X, w)
        model.fit(path, sample_weight="w")
        projected = model.transform(path)
        assert list(model.feature_names_in_) == [f"x{j}" for j in range(6)]
    else:
        da = pytest.importorskip("dask.array")
        rows = da.from_array(X, chunks=(1777, 6))
        model.fit(rows, sample_weight=da.from_array(w, chunks=5000))
        lazy = model.transform(rows)
        assert hasattr(lazy, "compute")
        projected = lazy.compute()
        np.testing.assert_allclose(model.inverse_transform(lazy).compute(), memory.inverse_transform(projected))
        assert model.score(rows) == pytest.approx(memory.score(X), rel=1e-12)
    for name in ATTRIBUTES:
        assert np.asarray(getattr(model, name)).tobytes() == np.asarray(getattr(memory, name)).tobytes(), name
    np.testing.assert_allclose(projected, memory.transform(X), atol=1e-12)


def test_arpack_cannot_stream(tmp_path):
    path = stored(tmp_path, spiked(50, 4))
    with pytest.raises(CannotStream, match="'randomized' or 'covariance_eigh'"):
        PCA(2, svd_solver="arpack").fit(path)
    with pytest.raises(CannotStream, match="inverse_transform"):
        PCA(2).fit(spiked(50, 4)).inverse_transform(path)
