"""Columns that hold categories: which they are, and what their values are called inside.

A column of numbers 0 … 255 is taken as it is. A dataframe's column of texts or of its own categories is coded by its
place among the sorted values seen in the fit; a value not seen then is missing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit._core.data.faults import column_kinds
from surefit._core.data.frames import CATEGORY_WORDS, frame_column, frame_names, missing
from surefit._core.errors import InvalidData, InvalidParameter
from surefit.solvers.growing.tree import MOST_CATEGORIES


class CategoricalColumns:
    """The part of an estimator with the parameter `categorical_features`."""

    categorical_features: Any
    is_categorical_: np.ndarray
    categories_: dict[Any, np.ndarray]

    def _learn_categories(self, X: Any) -> Any:
        """X with its categories coded; learns which columns they are, and the categories of a dataframe."""
        for name in ("is_categorical_", "categories_"):
            self.__dict__.pop(name, None)
        if self.categorical_features is None:
            return X
        mask = _mask(self.categorical_features, X)
        self.is_categorical_, self.categories_ = mask, {}
        names = frame_names(X) or []
        for j in np.flatnonzero(mask):
            column = _column(X, int(j))
            if column is not None:
                name = names[j]
                known = column[~missing(column)]
                self.categories_[name] = np.unique(known.astype(str) if known.dtype == object else known)
                if len(self.categories_[name]) > MOST_CATEGORIES:
                    raise InvalidData(
                        f"column {name!r} has {len(self.categories_[name])} categories; at most {MOST_CATEGORIES} are "
                        "split by subsets. Merge rare ones, or leave the column out of categorical_features."
                    )
        return self._coded(X)

    def _coded(self, X: Any) -> Any:
        """X with the categories of a dataframe as codes, missing ones as NaN."""
        categories = self.__dict__.get("categories_")
        names = frame_names(X)
        if not categories or names is None:
            return X
        codes = {}
        for name, known in categories.items():
            if name not in names:
                continue  # the intake of rows says which columns are missing
            values = frame_column(X, names.index(name)).astype(object)
            unknown = missing(values)
            filled = np.where(unknown, known[0] if len(known) else "", values).astype(known.dtype)
            places = np.minimum(np.searchsorted(known, filled), max(0, len(known) - 1))
            unknown |= known[places] != filled
            codes[name] = np.where(unknown, np.nan, places)
        return _replaced(X, codes)


def _mask(wanted: Any, X: Any) -> np.ndarray:
    """True for the columns asked for."""
    names = frame_names(X)
    d = len(names) if names is not None else np.shape(X)[1]
    mask = np.zeros(d, dtype=bool)
    if isinstance(wanted, str):
        if wanted != "from_dtype":
            raise InvalidParameter(f'categorical_features must be "from_dtype" or an array; got {wanted!r}')
        mask[[j for j, (_, kind) in enumerate(column_kinds(X)) if kind.startswith(CATEGORY_WORDS)]] = True
        return mask
    wanted = np.asarray(wanted)
    if wanted.dtype == bool:
        if wanted.shape != (d,):
            raise InvalidData(f"categorical_features has shape {wanted.shape}; X has {d} columns")
        return wanted.copy()
    if wanted.dtype.kind in "iu" or wanted.size == 0:
        if wanted.size and (wanted.min() < 0 or wanted.max() >= d):
            raise InvalidData(f"categorical_features names columns {wanted.tolist()}; X has columns 0 … {d - 1}")
        mask[wanted.astype(np.intp)] = True
        return mask
    if names is None:
        raise InvalidData("categorical_features holds names of columns, and X has none: pass a dataframe or numbers")
    for name in wanted.tolist():
        if name not in names:
            raise InvalidData(f"categorical_features names {name!r}, which is no column of X")
        mask[names.index(name)] = True
    return mask


def _column(X: Any, j: int) -> np.ndarray | None:
    """The values of a dataframe's column of texts or categories; None if it holds numbers."""
    if frame_names(X) is None:
        return None
    values = frame_column(X, j)
    declared = column_kinds(X)[j][1].startswith(CATEGORY_WORDS)
    return values.astype(object) if values.dtype.kind in "OUS" or declared else None


def _replaced(X: Any, codes: dict[Any, np.ndarray]) -> Any:
    if hasattr(X, "with_columns"):  # polars
        import importlib

        frame = importlib.import_module("polars")
        return X.with_columns(**{name: frame.Series(name, values) for name, values in codes.items()})
    if hasattr(X, "set_column"):  # pyarrow
        for name, values in codes.items():
            X = X.set_column(X.column_names.index(name), name, [values])
        return X
    return X.assign(**codes)
