"""The steps between a table and an estimator: impute, encode and scale, all of it learnt from training rows only."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.utils import get_tags

from surefit.model_selection.prepare.levels import CODED_LEVELS, LevelEncoder
from surefit.model_selection.prepare.scaling import UnitVariance
from surefit.model_selection.prepare.table import Table

SCALED = "numbers are scaled to unit variance inside each training part"


def pipeline_for(table: Table, estimator: Any) -> Pipeline:
    """impute and scale numbers, encode categories, then the estimator: all of it fitted on training rows only.

    An estimator with parameters `bernoulli` and `categorical` takes flags and codes of categories as they are. One that
    takes missing values (trees) gets the numbers as they are.
    """
    if {"bernoulli", "categorical"} <= set(estimator.get_params(deep=False)):
        return _kinds_separate(table, estimator)
    if get_tags(estimator).input_tags.allow_nan:
        return _as_they_are(table, estimator)
    numbers: Any = UnitVariance()
    if table.has_missing:
        numbers = make_pipeline(_imputer("median"), numbers)
    if not table.categories:
        return _behind(numbers, estimator)
    return _behind(_side_by_side(table, ("numbers", numbers, table.numbers), ("categories", LevelEncoder())), estimator)


def _kinds_separate(table: Table, estimator: Any) -> Pipeline:
    """Numbers scaled, flags as 0 and 1, categories as 0, 1, … in the order of the levels of the training rows."""
    flags = table.flags
    plain = [name for name in table.numbers if name not in flags]
    ends = np.cumsum([0, len(plain), len(flags), len(table.categories)])
    own = clone(estimator).set_params(
        bernoulli=np.arange(ends[1], ends[2]),
        categorical=np.arange(ends[2], ends[3]),
    )
    before = _side_by_side(
        table,
        ("numbers", make_pipeline(_imputer("median"), UnitVariance()), plain),
        ("flags", _imputer("most_frequent"), flags),
        ("categories", LevelEncoder(coding="code")),
    )
    return _behind(before, own)


def _as_they_are(table: Table, estimator: Any) -> Pipeline:
    """Numbers untouched; categories as codes where the estimator has `categorical_features`, else a column for each."""
    own = clone(estimator)
    encode = LevelEncoder(coding="indicator")
    if "categorical_features" in own.get_params(deep=False):
        encode = LevelEncoder(CODED_LEVELS, "code")
        first = len(table.numbers)
        own.set_params(categorical_features=list(range(first, first + len(table.categories))) or None)
    return _behind(_side_by_side(table, ("numbers", "passthrough", table.numbers), ("categories", encode)), own)


def scaled(estimator: Any, *, sparse: bool = False) -> Pipeline:
    """The estimator behind a scaling of the columns (of sparse ones without moving their zeros)."""
    return _behind(UnitVariance(with_mean=not sparse), estimator)


def _imputer(strategy: str) -> SimpleImputer:
    """A column without any value in the training rows becomes 0 and keeps its place."""
    return SimpleImputer(strategy=strategy, keep_empty_features=True)


def _side_by_side(table: Table, *parts: tuple) -> ColumnTransformer:
    whole = [part if len(part) == 3 else (*part, table.categories) for part in parts]
    return ColumnTransformer([part for part in whole if part[2]], verbose_feature_names_out=False)


def _behind(before: Any, estimator: Any) -> Pipeline:
    last = estimator.steps if isinstance(estimator, Pipeline) else [(type(estimator).__name__.lower(), estimator)]
    return Pipeline([("prepare", before), *[(name, clone(step)) for name, step in last]])
