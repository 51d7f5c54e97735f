"""The first step of a model that is kept: from rows of a file, as they come, to the columns of the other steps."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from surefit._core.errors import InvalidData
from surefit.model_selection.prepare.absent import absent_columns
from surefit.model_selection.prepare.dates import PARTS, as_dates, date_numbers
from surefit.model_selection.prepare.kinds import as_numbers, as_text, first_text
from surefit.model_selection.prepare.table import Table, prepare_table


class TableReader(TransformerMixin, BaseEstimator):
    """Dataframes read as the one it was fitted on: which columns are numbers, which text, which dates.

    Columns that models do not learn from (identifiers, empty and constant ones) are neither asked for nor passed on.

    >>> import pandas as pd
    >>> reader = TableReader().fit(pd.DataFrame({"age": [31, 44], "work": ["own", "state"], "none": [None, None]}))
    >>> reader.transform(pd.DataFrame({"work": ["other"], "age": ["52"]})).to_dict("records")
    [{'age': 52.0, 'work': 'other'}]
    """

    def fit(self, X: Any, y: Any = None) -> TableReader:
        return self._learn(prepare_table(X))

    @classmethod
    def of(cls, table: Table) -> TableReader:
        """A reader of files like the one that the table was prepared from."""
        return cls()._learn(table)

    def _learn(self, table: Table) -> TableReader:
        self.columns_ = [str(name) for name in table.X.columns]
        self.categories_, self.dates_ = list(table.categories), list(table.dates)
        made = {f"{name} {part}" for name in table.dates for part in PARTS}
        sources = [*(name for name in self.columns_ if name not in made), *self.dates_]
        self.feature_names_in_ = np.array(sources, dtype=object)
        self.n_features_in_ = len(sources)
        return self

    def transform(self, X: Any) -> Any:
        check_is_fitted(self, "columns_")
        absent = absent_columns(list(self.feature_names_in_), list(X.columns), "the table")
        if absent:
            raise InvalidData(f"{absent}; the model was fitted with it")
        columns: dict[str, Any] = {}
        for name in self.dates_:
            columns |= _dates_again(name, X[name])
        for name in self.columns_:
            if name not in columns:
                columns[name] = as_text(X[name]) if name in self.categories_ else _numbers_again(name, X[name])
        return type(X)({name: columns[name] for name in self.columns_}, index=X.index)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        check_is_fitted(self, "columns_")
        return np.array(self.columns_, dtype=object)


def with_reader(table: Table, model: Any) -> Pipeline:
    """A fitted model of the columns of `table` as a model of the file they came from."""
    model = getattr(model, "best_estimator_", model)
    steps = model.steps if isinstance(model, Pipeline) else [(type(model).__name__.lower(), model)]
    return Pipeline([("read", TableReader.of(table)), *steps])


def _dates_again(name: str, values: Any) -> dict[str, np.ndarray]:
    if values.isna().all():
        return {f"{name} {part}": np.full(len(values), np.nan) for part in PARTS}
    dates = as_dates(values)
    if dates is None:
        raise InvalidData(f"column {name!r} holds no dates; the model was fitted with dates")
    return date_numbers(name, dates)


def _numbers_again(name: str, values: Any) -> Any:
    if values.dtype.kind == "m":
        return values.dt.total_seconds().astype("float64")
    numbers = values if values.dtype.kind in "biuf" else as_numbers(values)
    if numbers is None or values.dtype.kind == "M":
        what = "dates" if values.dtype.kind == "M" else f"text ({first_text(values)})"
        raise InvalidData(f"column {name!r} holds {what}; the model was fitted with numbers")
    numbers = numbers.astype("float64")
    bad = np.flatnonzero(np.isinf(numbers.to_numpy()))
    if bad.size:
        raise InvalidData(f"column {name!r} holds an infinite number in row {int(bad[0])}")
    return numbers
