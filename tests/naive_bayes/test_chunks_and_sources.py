"""Chunk by chunk, from Parquet and from Dask: the bits of one fit in memory."""

from __future__ import annotations

import pickle
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

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
