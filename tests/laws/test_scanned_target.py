"""Rows in files: a scan that names its target is all that `fit` needs, and Dask's answers stay lazy."""

from __future__ import annotations

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
import sklearn.base

import surefit
from surefit._core.errors import CannotStream
from tests.laws.registry import fit, instances, sample, suited, target

MODELS = pytest.mark.parametrize("model", instances(), ids=lambda model: type(model).__name__)
X, Y, _ = sample()
NAMES = ["a", "b", "c", "d"]


@MODELS
def test_a_scan_names_the_target(model, tmp_path):
    if not (sklearn.base.is_classifier(model) or sklearn.base.is_regressor(model)):
        pytest.skip("needs no target")
    frame = pd.DataFrame(suited(model, X), columns=NAMES).assign(y=target(model, Y))
    frame.to_parquet(tmp_path / "rows.parquet")
    rows = surefit.scan(tmp_path / "rows.parquet", target="y")
    try:
        by_name = sklearn.base.clone(model).fit(tmp_path / "rows.parquet", "y")
    except CannotStream:
        return
    by_scan = sklearn.base.clone(model).fit(rows)
    np.testing.assert_array_equal(by_scan.predict(frame[NAMES]), by_name.predict(frame[NAMES]))


@MODELS
def test_answers_for_dask_are_lazy(model):
    if not hasattr(model, "predict") or not sklearn.base.is_classifier(model):
        pytest.skip("has no classes to tell")
    rows = pd.DataFrame(suited(model, X), columns=NAMES)
    fitted = fit(model, rows, target(model, Y))
    try:
        answers = fitted.predict(dd.from_pandas(rows, npartitions=3))
    except CannotStream:
        return
    assert hasattr(answers, "__dask_graph__")
    np.testing.assert_array_equal(answers.compute(), fitted.predict(rows))
