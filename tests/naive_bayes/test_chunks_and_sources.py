"""Chunk by chunk, from Parquet and from Dask: the bits of one fit in memory."""

from __future__ import annotations

import pickle
from itertools import pairwise
from typing import Any

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import surefit
import surefit.naive_bayes
from surefit.io import load, save
from surefit.naive_bayes import GaussianNB, MixedNB, MultinomialNB

MODELS = {name: getattr(surefit.naive_bayes, name)() for name in surefit.naive_bayes.__all__}
MODELS["MixedNB"] = MixedNB(bernoulli=[0], categorical=[1, 3])
every_model = pytest.mark.parametrize("name", MODELS)
N, D = 20_011, 5


def data(seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, N)
    X = rng.poisson(1 + y[:, None], (N, D)) + np.where(np.arange(D) % 2, 0, rng.random((N, D)))
    return X, np.array(["a", "b", "c"])[y], rng.uniform(0.1, 2.0, N)


def bits(model: Any) -> dict[str, list[bytes]]:
    found = {}
    for name, value in vars(model).items():
        if name.endswith("_") and name not in ("feature_names_in_", "parts_", "classes_"):
            found[name] = [np.asarray(part).tobytes() for part in (value if isinstance(value, list) else [value])]
    return found


def new(name: str) -> Any:
    from sklearn.base import clone

    return clone(MODELS[name])


@every_model
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("cuts", [[1, 7], [4096, 8192], [3, 4099, 15_000, 15_001], [10_000]])
def test_chunks_are_one_fit(name, cuts, weighted):
    X, y, w = data()
    w = w if weighted else None
    whole, chunks = new(name).fit(X, y, w), new(name)
    for lo, hi in pairwise([0, *cuts, N]):
        chunks.partial_fit(X[lo:hi], y[lo:hi], classes=["a", "b", "c"], sample_weight=None if w is None else w[lo:hi])
    assert bits(chunks) == bits(whole)


@every_model
def test_many_small_chunks_with_a_pickle_between(name, tmp_path):
    X, y, _ = data()
    chunks = new(name).partial_fit(X[:10], y[:10], classes=np.array(["a", "b", "c"]))
    for lo in range(10, N, 700):
        chunks.partial_fit(X[lo : lo + 700], y[lo : lo + 700])
        if lo == 4210:
            chunks = pickle.loads(pickle.dumps(chunks))
        if lo == 7010:
            save(chunks, tmp_path / "model.skops")
            chunks = load(tmp_path / "model.skops")
    assert bits(chunks) == bits(new(name).fit(X, y))


def test_sparse_chunks():
    X, y, _ = data()
    chunks = MultinomialNB()
    for lo in range(0, N, 3000):
        chunks.partial_fit(sp.csr_array(X[lo : lo + 3000]), y[lo : lo + 3000], classes=["a", "b", "c"])
    assert bits(chunks) == bits(MultinomialNB().fit(sp.csr_array(X), y))


def test_going_on_after_fit():
    X, y, w = data()
    model = GaussianNB().fit(X[:9000], y[:9000], w[:9000]).partial_fit(X[9000:], y[9000:], sample_weight=w[9000:])
    whole = GaussianNB().fit(X, y, w)
    np.testing.assert_allclose(model.theta_, whole.theta_, rtol=1e-13)
    np.testing.assert_allclose(model.var_, whole.var_, rtol=1e-12)
    assert model._kept["rows"] is not None and GaussianNB().fit(X, y)._kept["rows"] is None


def test_a_refused_chunk_changes_nothing():
    X, y, _ = data()
    model = GaussianNB().partial_fit(X[:100], y[:100], classes=["a", "b", "c"])
    before = dict(vars(model))
    for bad_X, bad_y, words in [
        (X[:5, :3], y[:5], "features"),
        (np.full((5, D), np.nan), y[:5], "NaN"),
        (X[:5], np.array(["a", "b", "z", "a", "b"]), "do not exist in the initial classes"),
    ]:
        with pytest.raises(ValueError, match=words):
            model.partial_fit(bad_X, bad_y)
        assert vars(model) == before
    with pytest.raises(ValueError, match="classes must be passed"):
        GaussianNB().partial_fit(X[:5], y[:5])


@every_model
def test_parquet_and_dask(name, tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    da = pytest.importorskip("dask.array")
    X, y, w = data()
    memory = new(name).fit(X, y, w)
    table = pa.table({f"x{j}": X[:, j] for j in range(D)} | {"label": y, "w": w})
    pq.write_table(table, tmp_path / "rows.parquet", row_group_size=3001)
    scan = surefit.scan(tmp_path / "rows.parquet", target="label", weight="w")
    files = new(name).fit(scan)
    assert bits(files) == bits(memory)
    np.testing.assert_array_equal(files.predict(scan), memory.predict(X))
    lazy = da.from_array(X, chunks=(3007, 2))
    dask = new(name).fit(lazy, da.from_array(y, chunks=4001), da.from_array(w, chunks=5003))
    assert bits(dask) == bits(memory)
    np.testing.assert_array_equal(dask.predict_proba(lazy).compute(), memory.predict_proba(X))


def test_the_types_of_a_parquet_file_decide(tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    columns = {"x": [0.5, 1.5, 2.5, 1.0], "there": [True, False, True, True], "kind": [0, 1, 2, 1], "y": [0, 1, 1, 0]}
    pq.write_table(pa.table(columns), tmp_path / "rows.parquet")
    model = MixedNB().fit(str(tmp_path / "rows.parquet"), "y")
    assert [(kind, where.tolist()) for kind, where in model.parts_] == [
        ("gaussian", [0]),
        ("bernoulli", [1]),
        ("categorical", [2]),
    ]


def with_gaps(n=9000):
    """A table with gaps of every kind: NaN, nulls among whole numbers and among truth values; and its plain rows."""
    rng = np.random.default_rng(7)
    label = np.array(["no", "yes"])[rng.integers(0, 2, n)]
    X = np.column_stack([rng.normal(size=n), rng.integers(0, 9, n), rng.integers(0, 2, n)]) + (label == "yes")[:, None]
    X[:, 2] = np.minimum(X[:, 2], 1)
    X[rng.random(X.shape) < 0.2] = np.nan
    frame = pd.DataFrame({"real": X[:, 0]})
    frame["whole"] = pd.array([None if np.isnan(v) else int(v) for v in X[:, 1]], dtype="Int64")
    frame["truth"] = pd.array([None if np.isnan(v) else bool(v) for v in X[:, 2]], dtype="boolean")
    return X, label, frame.assign(label=label)


def test_gaps_in_files_and_dask_have_the_bits_of_memory(tmp_path):
    X, label, frame = with_gaps()
    frame.to_parquet(tmp_path / "gaps.parquet", row_group_size=1000)
    memory = GaussianNB(missing="ignore").fit(X, label)
    np.testing.assert_allclose(memory.theta_[1], np.nanmean(X[label == "yes"], axis=0), rtol=1e-13)
    lazy = dd.from_pandas(frame.astype({"truth": "Float64", "whole": "Float64"}), npartitions=4)
    for source in (surefit.scan(tmp_path / "gaps.parquet", target="label"), lazy):
        y = "label" if source is lazy else None
        model = GaussianNB(missing="ignore").fit(source, y)
        for name in ("theta_", "var_", "class_count_", "class_prior_"):
            np.testing.assert_array_equal(getattr(model, name), getattr(memory, name), strict=True)
        np.testing.assert_array_equal(np.asarray(model.predict(source)), memory.predict(X))
        np.testing.assert_array_equal(np.asarray(model.predict_proba(source)), memory.predict_proba(X))
        assert surefit.certify(model, source, y).holds


def test_gaps_that_nobody_asked_for_and_infinities_are_refused(tmp_path):
    _, _, frame = with_gaps(100)
    frame.to_parquet(tmp_path / "gaps.parquet")
    with pytest.raises(ValueError, match="column 'real' is null in row"):
        GaussianNB().fit(tmp_path / "gaps.parquet", "label")
    frame.loc[17, "real"] = np.inf
    frame.to_parquet(tmp_path / "infinite.parquet")
    with pytest.raises(ValueError, match=r"infinity.*\n.*column 'real', row 17 of .*infinite.parquet"):
        GaussianNB(missing="ignore").fit(tmp_path / "infinite.parquet", "label")
    with pytest.raises(ValueError, match="infinity"):
        GaussianNB(missing="ignore").fit(dd.from_pandas(frame[["real", "label"]], npartitions=2), "label")


def test_a_scan_that_names_its_labels_is_predicted(tmp_path):
    """The column of labels is text and no feature; a weight is none either."""
    X, label, _ = with_gaps(500)
    frame = pd.DataFrame(np.nan_to_num(X), columns=list("abc")).assign(label=label, weight=1.0)
    frame.to_parquet(tmp_path / "rows.parquet")
    scan = surefit.scan(tmp_path / "rows.parquet", target="label", weight="weight")
    from_names, from_rows = GaussianNB().fit(scan), GaussianNB().fit(np.nan_to_num(X), label)
    np.testing.assert_array_equal(from_names.predict(scan), from_rows.predict(np.nan_to_num(X)))
    np.testing.assert_array_equal(from_rows.predict(scan), from_rows.predict(np.nan_to_num(X)))


@pytest.mark.parametrize("offset", [1e6, 1e8, 1e10])
def test_variances_far_from_zero_are_proved(offset):
    """Differences from the first row are exact; their variances are the reference."""
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, 30_000)
    X = rng.normal(size=(30_000, 2)) + y[:, None] + offset
    model = GaussianNB().fit(X, y)
    for k in (0, 1):
        variance = (X[y == k] - X[0]).astype(np.longdouble).var(axis=0).astype(np.float64)
        np.testing.assert_allclose(model.var_[k], variance + model.epsilon_, rtol=1e-13)
    assert surefit.certify(model, X, y).holds
