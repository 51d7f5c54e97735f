"""The same bits from rows in memory, in Parquet files and in Dask collections; labels may be text."""

from __future__ import annotations

import numpy as np
import pytest

from surefit._core.errors import CannotStream
from surefit.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from tests.discriminant_analysis.test_linear import groups

MODELS = [
    LinearDiscriminantAnalysis(),
    LinearDiscriminantAnalysis(solver="eigen", shrinkage="auto"),
    LinearDiscriminantAnalysis(solver="lsqr", priors=[0.2, 0.3, 0.5]),
    QuadraticDiscriminantAnalysis(),
    QuadraticDiscriminantAnalysis(solver="eigen", shrinkage="auto"),
]
NAMES = np.array(["ash", "beech", "cedar"])


def data():
    X, y = groups(n=13_007, d=6)
    return X, NAMES[y], np.random.default_rng(1).integers(0, 3, len(X)).astype(float)


def stored(tmp_path, X, y, w):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    path = tmp_path / "rows.parquet"
    columns = {f"x{j}": X[:, j] for j in range(X.shape[1])} | {"kind": y, "w": w}
    pq.write_table(pa.table(columns), path, row_group_size=3000)
    return path


def assert_same_bits(left, right):
    for name, value in vars(left).items():
        if name.endswith("_") and name not in ("feature_names_in_", "classes_"):
            assert np.asarray(getattr(right, name)).tobytes() == np.asarray(value).tobytes(), name
    np.testing.assert_array_equal(left.classes_.astype(str), right.classes_.astype(str))


@pytest.mark.parametrize("model", MODELS, ids=str)
@pytest.mark.parametrize("source", ["parquet", "dask"])
def test_same_bits_from_memory_files_and_dask(tmp_path, model, source):
    from sklearn.base import clone

    from surefit import scan

    X, y, w = data()
    memory, streamed = clone(model).fit(X, y, w), clone(model)
    if source == "parquet":
        path = stored(tmp_path, X, y, w)
        streamed.fit(path, "kind", "w")
        assert list(streamed.feature_names_in_) == [f"x{j}" for j in range(6)]
        predicted = streamed.predict(scan(path, columns=[f"x{j}" for j in range(6)]))
    else:
        da = pytest.importorskip("dask.array")
        rows = da.from_array(X, chunks=(1777, 6))
        streamed.fit(rows, da.from_array(y, chunks=5000), da.from_array(w, chunks=5000))
        predicted = streamed.predict(rows).compute()
    assert_same_bits(memory, streamed)
    np.testing.assert_array_equal(np.asarray(predicted).astype(str), memory.predict(X).astype(str))


def test_a_covariance_estimator_needs_rows_in_memory(tmp_path):
    from sklearn.covariance import OAS

    X, y, w = data()
    with pytest.raises(CannotStream, match="needs its rows in memory"):
        LinearDiscriminantAnalysis(solver="lsqr", covariance_estimator=OAS()).fit(stored(tmp_path, X, y, w), "kind")
