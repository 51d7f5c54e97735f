"""Codes of categories: from files and Dask what is no code is refused; from dataframes texts and missing ones count."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone

from surefit._core.errors import InvalidData
from surefit.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from surefit.tree import DecisionTreeClassifier

RNG = np.random.default_rng(0)
CODES = RNG.integers(0, 5, 300).astype(float)


@pytest.mark.parametrize(
    ("model", "code"),
    [
        (HistGradientBoostingRegressor(max_iter=2), 255.0),
        (HistGradientBoostingRegressor(max_iter=2), 1.5),
        (HistGradientBoostingRegressor(max_iter=2, max_bins=16), 16.0),
        (RandomForestRegressor(2), 255.0),
        (RandomForestRegressor(2), 99999.0),
    ],
)
def test_what_is_no_code_is_refused(model, code, tmp_path):
    pd, dd = pytest.importorskip("pandas"), pytest.importorskip("dask.dataframe")
    model.set_params(categorical_features=["c"])
    frame = pd.DataFrame({"a": RNG.normal(size=300), "c": CODES, "y": RNG.normal(size=300)})
    model.fit(dd.from_pandas(frame, npartitions=3), "y")
    frame.loc[200, "c"] = code
    frame.to_parquet(tmp_path / "rows.parquet")
    for rows in (str(tmp_path / "rows.parquet"), dd.from_pandas(frame, npartitions=3)):
        with pytest.raises(InvalidData, match=rf"'c' holds {code:g}\..*whole numbers 0 … \d+ "):
            model.fit(rows, "y")
    model.fit(frame[["a", "c"]], frame["y"])  # in memory values are coded by their order
    assert code in model.categories_[1]


TEXTS = np.array(["clerk", "farmer", None], dtype=object)[RNG.integers(0, 3, 300)]
NUMBERS = RNG.normal(size=300)
MODELS = pytest.mark.parametrize(
    "model",
    [HistGradientBoostingClassifier(max_iter=3), RandomForestClassifier(3, random_state=0), DecisionTreeClassifier()],
    ids=lambda model: type(model).__name__,
)


@MODELS
def test_missing_categories_of_every_frame_are_the_same(model):
    """Texts with None, pandas' NA and NaN, polars' and pyarrow's null: one answer."""
    pd, pl, pa = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    y = np.where(TEXTS == "farmer", NUMBERS > 0, NUMBERS < 0.5)
    frame = pd.DataFrame({"a": NUMBERS, "job": TEXTS})
    declared = frame.assign(job=pd.Categorical(TEXTS))
    frames = [
        frame,
        declared,
        frame.assign(job=frame["job"].astype("string")),
        pl.from_pandas(frame),
        pa.Table.from_pandas(frame),
        pa.Table.from_pandas(declared),
    ]
    expected = clone(model).set_params(categorical_features=["job"]).fit(frame, y).predict_proba(frame)
    for rows in frames:
        fitted = clone(model).set_params(categorical_features=["job"]).fit(rows, y)
        np.testing.assert_array_equal(fitted.predict_proba(rows), expected)
        assert fitted.certify(rows, y).holds
    for rows in (declared, pa.Table.from_pandas(declared)):
        fitted = clone(model).set_params(categorical_features="from_dtype").fit(rows, y)
        np.testing.assert_array_equal(fitted.predict_proba(rows), expected)


@MODELS
def test_texts_that_are_not_named_are_refused_by_name(model):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"a": NUMBERS, "job": TEXTS, "town": TEXTS})
    for named in (None, ["job"]):
        with pytest.raises(InvalidData, match=r"Column '(job|town)' is not numeric.*name it in categorical_features"):
            clone(model).set_params(categorical_features=named).fit(frame, NUMBERS > 0)
    fitted = clone(model).set_params(categorical_features=["job", "town"]).fit(frame, NUMBERS > 0)
    with pytest.raises(ValueError, match=r"now missing:\n- job"):
        fitted.predict(frame.rename(columns={"job": "work"}))
