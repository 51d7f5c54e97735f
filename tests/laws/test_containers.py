"""float32 stays float32, sparse equals dense, dataframes go in and come out, models are saved and loaded."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from tests.laws.registry import (
    answer,
    answers_are_distances,
    answers_are_leaf_values,
    fit,
    instances,
    learnt,
    sample,
    transductive,
)

MODELS = pytest.mark.parametrize("model", instances(), ids=lambda model: type(model).__name__)


@MODELS
def test_float32_stays_float32_and_is_right(model):
    X, y, w = sample(model, dtype=np.float32)
    single, double = fit(model, X, y, w), fit(model, X.astype(np.float64), y64(y), w)
    if answers_are_distances(model):
        assert single.X_fit_.dtype == np.float32
    elif transductive(model):  # rows and images that it keeps; trees and what is said of pairs are in double precision
        rows = [value for name, value in learnt(single).items() if not name.endswith("_matrix_")]
        kept = [value for value in rows if value.ndim == 2 and value.dtype.kind == "f"]
        assert all(value.dtype == np.float32 for value in kept)
    elif not answers_are_leaf_values(model):
        assert answer(single, X).dtype == np.float32
    right = answer(double, X.astype(np.float64))
    np.testing.assert_allclose(answer(single, X), right, rtol=2e-4, atol=2e-4 * np.abs(right).max())


def y64(y):
    return y.astype(np.float64) if y.dtype.kind == "f" else y


@MODELS
@pytest.mark.parametrize("container", [sp.csr_array, sp.csr_matrix, sp.csc_array, sp.coo_array])
def test_sparse_is_dense(model, container):
    X, y, w = sample(model)
    X = np.where(np.abs(X) < 2.0, 0.0, X)
    np.testing.assert_allclose(
        answer(fit(model, container(X), y, w), container(X)), answer(fit(model, X, y, w), X), rtol=1e-7, atol=1e-7
    )


@MODELS
def test_unsorted_sparse_rows_are_read_and_left_alone(model):
    X, y, _ = sample(model, n=40)
    csr = sp.csr_array(X)
    scrambled = sp.csr_array((csr.data[::-1].copy(), csr.indices[::-1].copy(), csr.indptr.copy()), shape=csr.shape)
    scrambled.has_sorted_indices = False
    backwards = X[::-1]
    before = scrambled.data.copy()
    np.testing.assert_allclose(
        answer(fit(model, scrambled, y), X), answer(fit(model, backwards, y), X), rtol=1e-7, atol=1e-7
    )
    np.testing.assert_array_equal(scrambled.data, before)


def frames(X: np.ndarray) -> list:
    columns = {f"x{j}": X[:, j] for j in range(X.shape[1])}
    return [pd.DataFrame(columns), pl.DataFrame(columns), pa.table(columns)]


@MODELS
def test_dataframes_give_the_same_answer(model):
    X, y, w = sample(model)
    plain = learnt(fit(model, X, y, w))
    for frame in frames(X):
        fitted = fit(model, frame, y, w)
        for name, value in plain.items():
            np.testing.assert_array_equal(getattr(fitted, name), value, err_msg=f"{type(frame)} {name}")
    for frame in frames(X)[:2]:
        assert list(fit(model, frame, y).feature_names_in_) == ["x0", "x1", "x2", "x3"]


@MODELS
@pytest.mark.parametrize("way", ["pickle", "deepcopy", "skops"])
def test_saved_models_are_the_same(model, way, tmp_path):
    X, y, w = sample(model)
    fitted = fit(model, X, y, w)
    if way == "skops":
        from surefit.io import load, save

        save(fitted, tmp_path / "model.skops")
        again = load(tmp_path / "model.skops")
    else:
        again = pickle.loads(pickle.dumps(fitted)) if way == "pickle" else copy.deepcopy(fitted)
    np.testing.assert_array_equal(answer(again, X), answer(fitted, X))
    assert learnt(again).keys() == learnt(fitted).keys()


@MODELS
def test_transform_gives_dataframes_when_asked(model):
    if not hasattr(model, "transform"):
        pytest.skip("not a transformer")
    X, y, _ = sample(model)
    fitted = fit(model, X, y)
    plain = fitted.transform(X)
    assert isinstance(fitted.set_output(transform="pandas").transform(X), pd.DataFrame)
    as_polars = fitted.set_output(transform="polars").transform(X)
    np.testing.assert_array_equal(as_polars.to_numpy(), plain)
