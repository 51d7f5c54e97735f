"""The door: every container a user may hold, and what is said about those that cannot be used."""

from __future__ import annotations

import datetime
import re
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from surefit._core.base import Estimator
from surefit._core.errors import CannotStream, InvalidData
from surefit.engine.open import kind_of, open_data

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")


class Reader(Estimator):
    """Learns nothing but the columns."""


VALUES = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]])
COLUMNS = {"a": VALUES[:, 0], "b": VALUES[:, 1]}
single = {name: column.astype(np.float32) for name, column in COLUMNS.items()}

NAMED = {
    "pandas": pd.DataFrame(COLUMNS),
    "pandas integers": pd.DataFrame(COLUMNS).astype("int16"),
    "pandas nullable": pd.DataFrame(COLUMNS).astype("Int64"),
    "pandas on arrow": pd.DataFrame(COLUMNS).astype("double[pyarrow]"),
    "pandas mixed": pd.DataFrame(COLUMNS).astype({"a": "Float32", "b": "Int8"}),
    "polars": pl.DataFrame(COLUMNS),
    "polars integers": pl.DataFrame(COLUMNS).cast(pl.Int32),
    "pyarrow": pa.table(COLUMNS),
    "pandas sparse": pd.DataFrame.sparse.from_spmatrix(sp.csr_matrix(VALUES), columns=["a", "b"]),
}
NAMED_SINGLE = {
    "pandas": pd.DataFrame(single),
    "pandas nullable": pd.DataFrame(COLUMNS).astype("Float32"),
    "pandas on arrow": pd.DataFrame(COLUMNS).astype("float[pyarrow]"),
    "polars": pl.DataFrame(single),
    "pyarrow": pa.table(single),
}
PLAIN = {
    "float64": VALUES,
    "fortran": np.asfortranarray(VALUES),
    "strided": np.repeat(VALUES, 2, axis=0)[::2],
    "read only": np.frombuffer(VALUES.tobytes()).reshape(3, 2),
    "integers": VALUES.astype(int),
    "other byte order": VALUES.astype(">f8"),
    "half": VALUES.astype(np.float16),
    "long": VALUES.astype(np.longdouble),
    "objects": VALUES.astype(object),
    "lists": VALUES.tolist(),
    "tuples": tuple(map(tuple, VALUES)),
    "memoryview": memoryview(VALUES),
    "no mask": np.ma.masked_array(VALUES),
}


@pytest.mark.parametrize("name", NAMED)
def test_dataframes_keep_names_and_become_doubles(name: str) -> None:
    reader = Reader()
    source = open_data(reader, NAMED[name])
    X = source.X.toarray() if source.is_sparse else source.X
    assert X.dtype == np.float64 and np.array_equal(X, VALUES)
    assert list(source.feature_names) == list(reader.feature_names_in_) == ["a", "b"]
    assert reader.n_features_in_ == 2


@pytest.mark.parametrize("name", NAMED_SINGLE)
def test_dataframes_of_single_precision_stay_single(name: str) -> None:
    source = open_data(Reader(), NAMED_SINGLE[name])
    assert source.dtype == np.float32 and np.array_equal(source.X, VALUES)


@pytest.mark.parametrize("name", PLAIN)
def test_arrays_and_lists(name: str) -> None:
    reader = Reader()
    reader.feature_names_in_ = np.array(["old"])
    source = open_data(reader, PLAIN[name])
    assert source.dtype == np.float64 and np.array_equal(source.X, VALUES)
    assert source.X.flags.c_contiguous and source.resident
    assert reader.n_features_in_ == 2 and not hasattr(reader, "feature_names_in_")


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "lil", "dok", "bsr", "dia"])
@pytest.mark.parametrize("kind", ["array", "matrix"])
def test_sparse_becomes_csr(form: str, kind: str) -> None:
    source = open_data(Reader(), getattr(sp, f"{form}_{kind}")(VALUES))
    assert source.is_sparse and source.X.format == "csr" and np.array_equal(source.X.toarray(), VALUES)


def test_sparse_rows_are_put_in_order_without_touching_the_users() -> None:
    given = sp.csr_array((np.array([1.0, 2.0, 4.0]), np.array([1, 0, 1]), np.array([0, 3, 3])), shape=(2, 2))
    indices = given.indices.copy()
    source = open_data(Reader(), given)
    assert source.X.has_canonical_format and np.array_equal(source.X.toarray(), [[2, 5], [0, 0]])
    assert np.array_equal(given.indices, indices) and given.nnz == 3


def test_plain_arrays_are_not_copied() -> None:
    assert open_data(Reader(), VALUES).X is VALUES


REFUSED = {
    "none": (None, "X is None"),
    "scalar": (3.0, "Expected 2D array, got scalar"),
    "one dimension": (VALUES[0], "Expected 2D array, got 1D array"),
    "series": (pd.Series([1.0]), "2-dimensional container"),
    "three dimensions": (np.ones((2, 2, 2)), "dim 3"),
    "no rows": (np.empty((0, 3)), r"0 sample\(s\)"),
    "no columns": (np.empty((3, 0)), r"0 feature\(s\)"),
    "ragged": ([[1.0, 2.0], [3.0]], "row 0 has 2 values, row 1 has one value"),
    "ragged deep": ([[1.0], [3.0], [1.0, 2.0, 3.0]], "row 0 has one value, row 2 has 3 values"),
    "NaN": (np.array([[1.0, 2.0], [3.0, np.nan]]), "contains NaN.*column 1, row 1"),
    "infinity": (np.array([[1.0, 2.0], [-np.inf, np.nan]]), "infinity.*2 bad values.*column 0, row 1"),
    "single infinity": (np.array([[np.inf]], np.float32), "infinity.*column 0, row 0"),
    "sparse NaN": (sp.csr_array([[0.0, 0.0], [0.0, np.nan]]), "contains NaN.*column 1, row 1"),
    "strings": ([["1", "2"], ["3", "x"]], "Column 1 is not numeric: row 1 holds 'x'"),
    "array of strings": (np.array([["q"]]), "Column 0 is not numeric: row 0 holds 'q'"),
    "objects": (np.array([[1, "a"]], object), "Column 1 is not numeric: row 0 holds 'a'"),
    "complex": (np.ones((2, 2), complex), "Complex data not supported. Column 0 is complex"),
    "dates": (np.array([["2020-01-01"]], "M8[D]"), "X holds dates"),
    "durations": (np.array([[1]], "m8[s]"), "X holds durations"),
    "masked": (np.ma.masked_array(VALUES, VALUES == 4), "masked entries; the first is in row 1"),
    "pandas text": (pd.DataFrame({"a": [1.0, 2.0], "b": ["1", "y"]}), "Column 'b' is not numeric: row 1 holds 'y'"),
    "pandas object": (pd.DataFrame({"b": ["y"]}, dtype=object), "Column 'b' is not numeric: row 0 holds 'y'"),
    "pandas category": (pd.DataFrame({"b": pd.Categorical(["y"])}), "Column 'b' is not numeric: row 0 holds 'y'"),
    "pandas missing": (pd.DataFrame({"a": [1], "b": pd.array([None], "Int64")}), "NaN.*column 'b', row 0"),
    "pandas arrow missing": (pd.DataFrame({"b": pd.array([1, None], "int8[pyarrow]")}), "NaN.*column 'b', row 1"),
    "pandas dates": (pd.DataFrame({"a": [1.0], "b": [datetime.datetime(2020, 1, 1)]}), "Column 'b' holds dates"),
    "pandas complex": (pd.DataFrame({"a": [1.0], "b": [1j]}), "Column 'b' is complex"),
    "polars text": (pl.DataFrame({"a": [1.0], "b": ["y"]}), "Column 'b' is not numeric: row 0 holds 'y'"),
    "polars missing": (pl.DataFrame({"a": [1.0, 2.0], "b": [1, None]}), "NaN.*column 'b', row 1"),
    "polars dates": (pl.DataFrame({"b": [datetime.date(2020, 1, 1)]}), "Column 'b' holds dates"),
    "polars lazy": (pl.LazyFrame({"a": [1.0]}), r"lazy LazyFrame: call \.collect\(\)"),
    "pyarrow text": (pa.table({"a": [1.0], "b": ["y"]}), "Column 'b' is not numeric: row 0 holds 'y'"),
    "pyarrow missing": (pa.table({"a": [1.0, None]}), "NaN.*column 'a', row 1"),
    "pyarrow dates": (pa.table({"b": [datetime.date(2020, 1, 1)]}), "Column 'b' holds dates"),
    "generator": ((row for row in VALUES), "one-shot iterator"),
    "map": (map(list, VALUES), "one-shot iterator"),
}


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.filterwarnings("error")
def test_what_cannot_be_used_is_refused_in_words(name: str) -> None:
    X, message = REFUSED[name]
    with pytest.raises(InvalidData) as caught:
        open_data(Reader(), X)
    assert re.search(message, str(caught.value), re.DOTALL), str(caught.value)


def test_too_few_rows() -> None:
    with pytest.raises(InvalidData, match="minimum of 4"):
        open_data(Reader(), VALUES, min_rows=4)


def test_numbers_near_the_end_of_the_range_are_finite() -> None:
    huge = np.full((1000, 2), np.finfo(float).max)
    assert np.array_equal(open_data(Reader(), huge).X, huge)


Y_REFUSED = {
    "none": (None, "requires y to be passed"),
    "name": ("target", "y is the name of a column"),
    "short": ([1.0, 2.0], "X has 3 rows, y has 2"),
    "scalar": (1.0, "one or two dimensions"),
    "three dimensions": (np.ones((3, 1, 1)), "one or two dimensions"),
    "no columns": (np.ones((3, 0)), r"0 feature\(s\)"),
    "NaN": ([1.0, 2.0, np.nan], "Input y contains NaN.*row 2"),
    "infinity": (pd.Series([1.0, np.inf, 2.0]), "Input y contains infinity.*row 1"),
    "missing": (pd.Series([1, None, 3], dtype="Int64"), "Input y contains NaN.*row 1"),
    "text": (["a", "b", "c"], "could not convert string"),
    "ragged": ([[1.0], [2.0, 3.0], [1.0]], "y: setting an array element"),
    "complex": (np.ones(3, complex), "Complex data not supported"),
    "dates": (np.array(["2020-01-01"] * 3, "M8[D]"), "y holds dates"),
}


@pytest.mark.parametrize("name", Y_REFUSED)
def test_targets_that_cannot_be_used(name: str) -> None:
    y, message = Y_REFUSED[name]
    with pytest.raises(InvalidData) as caught:
        open_data(Reader(), VALUES, y, target=True)
    assert re.search(message, str(caught.value), re.DOTALL), str(caught.value)


@pytest.mark.parametrize(
    "y",
    [[1, 2, 3], pd.Series([1, 2, 3], dtype="Int64"), pl.Series([1, 2, 3]), np.array([1, 2, 3], object), (1, 2, 3)],
)
def test_targets_of_one_dimension(y: Any) -> None:
    source = open_data(Reader(), VALUES, y, target=True)
    assert (source.n_targets, source.target_ndim) == (1, 1) and np.array_equal(source.y, [1, 2, 3])


@pytest.mark.parametrize("y", [VALUES, pd.DataFrame(COLUMNS), pl.DataFrame(COLUMNS), VALUES.tolist()])
def test_targets_of_two_dimensions(y: Any) -> None:
    source = open_data(Reader(), VALUES, y, target=True)
    assert (source.n_targets, source.target_ndim) == (2, 2) and np.array_equal(source.y, VALUES)


W_REFUSED = {
    "name": ("w", "sample_weight is the name of a column"),
    "short": ([1.0], r"expected \(3,\)"),
    "two dimensions": (np.ones((3, 1)), "1D array or scalar"),
    "negative": ([1.0, -2.0, 1.0], "Negative values in data passed to `sample_weight`: row 1 has -2"),
    "zero": ([0, 0, 0], "all weights are zero"),
    "NaN": ([1.0, np.nan, 1.0], "sample_weight contains NaN.*row 1"),
    "missing": (pd.array([1, None, 1], "Float64"), "sample_weight contains NaN.*row 1"),
    "complex": (np.ones(3, complex), "Complex data not supported"),
    "text": (["a", "b", "c"], "could not convert string"),
}


@pytest.mark.parametrize("name", W_REFUSED)
def test_weights_that_cannot_be_used(name: str) -> None:
    w, message = W_REFUSED[name]
    with pytest.raises(InvalidData) as caught:
        open_data(Reader(), VALUES, sample_weight=w)
    assert re.search(message, str(caught.value), re.DOTALL), str(caught.value)


@pytest.mark.parametrize("w", [2, 2.0, [2, 2, 2], np.float32([2, 2, 2]), pd.Series([2, 2, 2]), pl.Series([2, 2, 2])])
def test_weights(w: Any) -> None:
    source = open_data(Reader(), VALUES, sample_weight=w)
    assert source.w.dtype == np.float64 and np.array_equal(source.w, [2, 2, 2])


def test_kinds() -> None:
    da = pytest.importorskip("dask.array")
    assert kind_of(VALUES) == "memory"
    assert kind_of("rows.parquet") == "parquet"
    assert kind_of(da.ones(3)) == "dask"


def test_what_cannot_stream_says_so() -> None:
    with pytest.raises(CannotStream, match="Reader with these parameters needs its rows in memory; got a parquet"):
        open_data(Reader(), "rows.parquet", stream=False)
    with pytest.raises(TypeError):
        open_data(Reader(), "rows.parquet", stream=False)


def test_streams_need_their_target_named() -> None:
    dd = pytest.importorskip("dask.dataframe")
    with pytest.raises(InvalidData, match="needs a target"):
        open_data(Reader(), "rows.parquet", target=True)
    frame = dd.from_pandas(pd.DataFrame({"x": [1.0], "target": [2.0]}), npartitions=1)
    with pytest.raises(InvalidData, match="needs a target"):
        open_data(Reader(), frame, target=True)
