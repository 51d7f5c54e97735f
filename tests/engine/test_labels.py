"""Class labels from memory, Parquet and Dask: the same classes and codes, NumPy's own `unique` as the reference."""

from __future__ import annotations

import warnings

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

from surefit._core.base import Estimator
from surefit.engine import open_data
from surefit.engine.sources.scan import scan


class Reader(Estimator):
    pass


RNG = np.random.default_rng(0)
X = RNG.normal(size=(10_000, 3))
LABELS = {
    "text": np.array(["red", "blue", "green"])[RNG.integers(0, 3, 10_000)],
    "int": RNG.integers(-2, 3, 10_000),
    "bool": RNG.integers(0, 2, 10_000).astype(bool),
}


def codes(source) -> np.ndarray:
    return np.concatenate([block.y for block in source.blocks()])


@pytest.mark.parametrize("kind", LABELS)
def test_every_source_gives_the_same_codes(kind, tmp_path):
    y = LABELS[kind]
    classes, expected = np.unique(y, return_inverse=True)
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(label=y)
    frame.to_parquet(tmp_path / "data.parquet", row_group_size=999)
    lazy = dd.from_pandas(frame, npartitions=3)
    sources = [
        open_data(Reader(), X, y, target="classes"),
        open_data(Reader(), X, list(y), target="classes"),
        open_data(Reader(), tmp_path / "data.parquet", "label", target="classes"),
        open_data(Reader(), scan(tmp_path / "data.parquet", target="label"), target="classes"),
        open_data(Reader(), scan(tmp_path / "data.parquet", columns=["a", "b", "c"]), y, target="classes"),
        open_data(Reader(), lazy, "label", target="classes"),
        open_data(Reader(), da.from_array(X, chunks=(3000, 3)), da.from_array(y, chunks=3000), target="classes"),
        open_data(Reader(), da.from_array(X, chunks=(3000, 3)), y, target="classes"),
    ]
    for source in sources:
        assert source.n_features == 3
        np.testing.assert_array_equal(np.asarray(source.classes).astype(classes.dtype), classes)
        np.testing.assert_array_equal(codes(source), expected)


def test_labels_a_model_does_not_know_are_minus_one():
    y = LABELS["text"]
    source = open_data(Reader(), X, y, target="classes", classes=np.array(["blue", "red"]))
    np.testing.assert_array_equal(codes(source), np.select([y == "blue", y == "red"], [0, 1], -1))
    numbers = open_data(Reader(), X, y, target="classes", classes=np.array([0, 1]))
    assert (codes(numbers) == -1).all()


@pytest.mark.parametrize(
    ("y", "words"),
    [
        (None, "requires y"),
        (X[:, 0], "[Cc]ontinuous"),
        (LABELS["int"][:-1], "inconsistent"),
        (X[:, :2], "1d array"),
        (np.where(np.arange(10_000) == 4, np.nan, 1.0), r"y contains NaN[\s\S]*row 4"),
    ],
)
def test_bad_labels(y, words):
    with pytest.raises(ValueError, match=words):
        open_data(Reader(), X, y, target="classes")


def test_text_labels_in_dask_come_without_a_warning():
    frame = pd.DataFrame(X[:100], columns=["a", "b", "c"]).assign(label=LABELS["text"][:100])
    lazy = dd.from_pandas(frame, npartitions=3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        source = open_data(Reader(), lazy[["a", "b", "c"]], lazy["label"], target="classes")
        np.testing.assert_array_equal(codes(source), np.unique(LABELS["text"][:100], return_inverse=True)[1])
