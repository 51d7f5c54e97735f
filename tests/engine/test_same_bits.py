"""Whole fits: threads, memory order, Parquet and Dask give the same bits, and every source predicts alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

import surefit
from surefit.cluster import KMeans
from surefit.decomposition import PCA
from surefit.linear_model import LinearRegression, Ridge, RidgeCV

da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
pd = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")

N, D = 20_011, 6
MODELS = {
    "LinearRegression": LinearRegression(),
    "Ridge": Ridge(alpha=3.0),
    "Ridge positive": Ridge(alpha=3.0, positive=True),
    "RidgeCV": RidgeCV(alphas=[0.1, 1.0, 10.0]),
    "PCA": PCA(n_components=3),
    "PCA full": PCA(svd_solver="full"),
    "PCA randomised": PCA(n_components=2, svd_solver="randomized", random_state=0),
    "KMeans": KMeans(n_clusters=5, random_state=0, n_init=2),
    "KMeans farthest": KMeans(n_clusters=4, init="farthest", random_state=0),
}
every_model = pytest.mark.parametrize("name", MODELS)
both_types = pytest.mark.parametrize("dtype", [np.float64, np.float32])


def data(dtype: Any = np.float64, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Blobs away from the origin, columns of different scales, some rows repeated."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((N, D)) + 4.0 * rng.standard_normal((5, D))[rng.integers(0, 5, N)]
    X = (X * 10.0 ** rng.uniform(-2, 2, D) + 10.0).astype(dtype)
    X[-200:] = X[300:500]
    y = X.astype(np.float64) @ rng.standard_normal(D) + rng.standard_normal(N)
    return X, y, rng.uniform(0.1, 2.0, N)


def learnt(model: Any) -> dict[str, np.ndarray]:
    """Everything the fit found but names of columns, and labels, which only rows in memory have."""
    return {
        name: np.asarray(value)
        for name, value in vars(model).items()
        if name.endswith("_") and name not in ("feature_names_in_", "labels_") and not callable(value)
    }


def assert_same_bits(model: Any, other: Any) -> None:
    left, right = learnt(model), learnt(other)
    assert left.keys() == right.keys()
    assert len(left) > 2
    for name in left:
        assert left[name].dtype == right[name].dtype and left[name].tobytes() == right[name].tobytes(), name


def assert_close(got: np.ndarray, want: np.ndarray) -> None:
    """Results of rows depend on their chunk by no more than the rounding of one product; labels not at all."""
    assert got.dtype == want.dtype and got.shape == want.shape
    if want.dtype.kind == "f":
        np.testing.assert_allclose(got, want, rtol=0, atol=20 * np.finfo(want.dtype).eps * np.abs(want).max())
    else:
        np.testing.assert_array_equal(got, want)


def fit(name: str, X: Any, y: Any, w: Any) -> Any:
    return clone(MODELS[name]).fit(X, y, sample_weight=w)


@every_model
@both_types
def test_threads_and_memory_order(name: str, dtype: Any) -> None:
    X, y, w = data(dtype)
    with surefit.config(n_threads=1):
        one = fit(name, X, y, w)
    with surefit.config(n_threads=2):
        assert_same_bits(fit(name, X, y, w), one)
        assert_same_bits(fit(name, np.asfortranarray(X), y, w), one)


@every_model
@both_types
def test_parquet(name: str, dtype: Any, write: Callable[..., str]) -> None:
    X, y, w = data(dtype)
    want = fit(name, X, y, w)
    folder = write(X, files=3, row_group=2777, y=y, w=w)
    for n_threads in (1, 2):
        with surefit.config(n_threads=n_threads):
            assert_same_bits(fit(name, folder, "y", "w"), want)
    scan = surefit.scan(folder, target="y", weight="w", batch_rows=4096)
    model = clone(MODELS[name]).fit(scan)
    assert_same_bits(model, want)
    assert list(model.feature_names_in_) == [f"x{j}" for j in range(D)]
    for method in ("predict", "transform"):
        if hasattr(model, method):
            assert_close(getattr(model, method)(scan), getattr(want, method)(X))


@every_model
@pytest.mark.parametrize("scheduler", ["threads", "synchronous"])
def test_dask_without_a_cluster(name: str, scheduler: str) -> None:
    import dask

    X, y, w = data()
    with dask.config.set(scheduler=scheduler):
        model = fit(name, da.from_array(X, chunks=(3000, 4)), da.from_array(y, chunks=7000), w)
    assert_same_bits(model, fit(name, X, y, w))


@every_model
def test_dask_worker_processes(name: str, client: Any) -> None:
    X, y, w = data(np.float32)  # without a cluster the rows are in double precision
    want = fit(name, X, y, w)
    lazy = da.from_array(X, chunks=(3000, 4))
    assert_same_bits(fit(name, lazy, da.from_array(y, chunks=7000), da.from_array(w, chunks=3000)), want)
    columns = [f"x{j}" for j in range(D)]
    table = pd.DataFrame(X, columns=columns).assign(y=y, w=w)
    model = fit(name, dd.from_pandas(table, npartitions=4), "y", "w")
    assert_same_bits(model, want)
    for method in ("predict", "transform"):
        if hasattr(model, method):
            got = getattr(want, method)(lazy)
            assert isinstance(got, da.Array)
            assert_close(got.compute(), getattr(want, method)(X))
            assert_close(
                getattr(model, method)(dd.from_pandas(table, npartitions=3)).compute(), getattr(want, method)(X)
            )


@every_model
def test_sparse_rows_on_dask(name: str) -> None:
    if "positive" in name:
        pytest.skip("Ridge(positive=True) takes dense rows only")
    X, y, w = data()
    X[np.random.default_rng(1).random(X.shape) < 0.7] = 0.0
    lazy = da.from_array(X, chunks=(3000, D)).map_blocks(sp.csr_array)
    assert_same_bits(fit(name, lazy, y, w), fit(name, sp.csr_array(X), y, w))


@every_model
def test_certificates_of_streams(name: str, write: Callable[..., str]) -> None:
    X, y, w = data()
    folder = write(X, files=2, y=y, w=w)
    scan = surefit.scan(folder, target="y", weight="w", batch_rows=4096)
    model = clone(MODELS[name]).fit(scan)
    lazy = (da.from_array(X, chunks=(3000, 4)), y, da.from_array(w, chunks=3000))
    certificates = [
        surefit.certify(model, scan),
        surefit.certify(model, folder, "y", "w"),
        surefit.certify(fit(name, X, y, w), *lazy),
        surefit.certify(fit(name, X, y, w), X, y, w),
    ]
    assert all(certificate.holds for certificate in certificates), certificates
    names = [[claim.name for claim in certificate] for certificate in certificates]
    assert names[0] == names[1] and names[2] == names[3], "every source is asked the same questions"


@every_model
def test_certificates_of_streams_can_say_no(name: str, write: Callable[..., str]) -> None:
    X, y, w = data()
    scan = surefit.scan(write(X, y=y, w=w), target="y", weight="w")
    model = clone(MODELS[name]).fit(scan)
    for attribute in ("coef_", "components_", "cluster_centers_"):
        if hasattr(model, attribute):
            setattr(model, attribute, getattr(model, attribute) * 1.01)
    assert not surefit.certify(model, scan).holds
    assert not surefit.certify(model, da.from_array(X, chunks=(3000, 4)), y, w).holds
