"""Columns of dataframes: one reading of pandas, polars and pyarrow, missing values included."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from surefit._core.data.frames import frame_column, frame_names, missing

TEXTS = ["b", None, "a"]
FRAME = pd.DataFrame({"n": [1.0, 2.0, np.nan], "t": TEXTS})


@pytest.mark.parametrize(
    "X",
    [
        FRAME,
        FRAME.assign(t=pd.Categorical(TEXTS)),
        FRAME.assign(t=pd.Series(TEXTS, dtype="string")),
        pl.DataFrame({"n": [1.0, 2.0, None], "t": TEXTS}),
        pl.DataFrame({"n": [1.0, 2.0, None], "t": TEXTS}).with_columns(pl.col("t").cast(pl.Categorical)),
        pa.table({"n": [1.0, 2.0, None], "t": TEXTS}),
        pa.table({"n": [1.0, 2.0, None], "t": pa.array(TEXTS).dictionary_encode()}),
    ],
)
def test_every_frame_is_read_alike(X):
    assert frame_names(X) == ["n", "t"]
    numbers, texts = frame_column(X, 0), frame_column(X, 1)
    np.testing.assert_array_equal(missing(numbers), [False, False, True])
    np.testing.assert_array_equal(missing(texts), [False, True, False])
    assert texts[~missing(texts)].tolist() == ["b", "a"]


def test_an_array_has_no_names():
    assert frame_names(np.ones((2, 2))) is None
    np.testing.assert_array_equal(frame_column(np.array([[1.0, 2.0], [3.0, 4.0]]), 1), [2.0, 4.0])


def test_missing_values_of_pandas():
    values = np.array([pd.NA, pd.NaT, np.nan, np.float32("nan"), None, 0, "", "nan"], dtype=object)
    np.testing.assert_array_equal(missing(values), [True] * 5 + [False] * 3)
