"""Columns of categories as codes 0, 1, …: which columns they are, and the place of each value among the sorted ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_array, validate_data

from surefit._core.data.faults import column_kinds
from surefit._core.data.frames import CATEGORY_WORDS, frame_column, frame_names, missing
from surefit._core.errors import InvalidData, InvalidParameter
from surefit.engine.open import kind_of
from surefit.engine.sources.source import Source
from surefit.summaries.code_range import CodeRangeStep


class CategoryCodes:
    """The part of an ensemble with the parameter `categorical_features`.

    `is_categorical_`: which columns hold categories (None: no column). `categories_`: for each column the values that
    the codes stand for, None for numbers; None as a whole where rows came from files, whose categories are codes.
    """

    categorical_features: Any
    is_categorical_: np.ndarray | None
    categories_: list[np.ndarray | None] | None

    def _open_coded(self, X: Any, most: int, open_rows: Any) -> Source:
        """`open_rows(X)`, with codes 0 … most − 1 in the columns of categories."""
        if kind_of(X) != "memory":
            data = open_rows(X)
            self.is_categorical_, self.categories_ = _stream_columns(data, self.categorical_features), None
            if self.is_categorical_ is not None:
                _refuse_codes(data, np.flatnonzero(self.is_categorical_), most)
            return data
        before = self.__dict__.get("categories_") if getattr(self, "warm_start", False) else None
        self.is_categorical_ = categorical_columns(X, self.categorical_features)
        self.categories_ = None
        if self.is_categorical_ is not None:
            X = X.toarray() if sp.issparse(X) else X
            self.categories_ = learn_categories(X, self.is_categorical_, most)
            if before is not None:
                _refuse_new_categories(before, self.categories_)
            X = encoded(self, X, self.is_categorical_, self.categories_, reset=True)
        names = self.__dict__.get("feature_names_in_") if self.is_categorical_ is not None else None
        data = open_rows(X)
        if names is not None:
            self.feature_names_in_ = names
        return data

    def _coded_rows(self, X: Any) -> np.ndarray | None:
        """Rows in memory with codes in the columns of categories; None where there are no categories to be coded."""
        if self.is_categorical_ is None or self.categories_ is None or kind_of(X) != "memory":
            return None
        X = X.toarray() if sp.issparse(X) else X
        return encoded(self, X, self.is_categorical_, self.categories_, reset=False)


def categorical_columns(X: Any, asked: Any) -> np.ndarray | None:
    """Which columns hold categories; None where none does.

    `asked`: a mask, numbers or names of columns, or "from_dtype": those that a dataframe declares to be categorical.
    """
    given = frame_names(X)
    names = None if given is None else [str(name) for name in given]
    if asked is None or (isinstance(asked, str) and asked == "from_dtype"):
        if asked is None or names is None:
            return None
        kinds = [kind.lower() for _, kind in column_kinds(X)]
        found = np.array([kind.startswith(CATEGORY_WORDS) for kind in kinds], dtype=bool)
        return found if found.any() else None
    wanted = np.asarray(asked)
    if wanted.size == 0:
        return None
    kinds_found = sorted({type(one).__name__ for one in wanted.tolist()}) if wanted.dtype.kind == "O" else []
    if wanted.dtype.kind not in "ibUO" or (wanted.dtype.kind == "O" and kinds_found != ["str"]):
        got = ", ".join(kinds_found) if kinds_found else wanted.dtype.name
        raise InvalidParameter(f"categorical_features must be an array-like of bool, int or str, got: {got}.")
    n_features = np.shape(X)[1] if not hasattr(X, "shape") else X.shape[1]
    mask = np.zeros(n_features, dtype=bool)
    if wanted.dtype.kind in "UO":
        _mark_names(mask, wanted, names)
    elif wanted.dtype.kind == "i":
        if wanted.max() >= n_features or wanted.min() < 0:
            raise InvalidParameter("categorical_features set as integer indices must be in [0, n_features - 1]")
        mask[wanted] = True
    else:
        if wanted.shape != (n_features,):
            raise InvalidParameter(
                "categorical_features set as a boolean mask must have shape (n_features,), got: " + str(wanted.shape)
            )
        mask |= wanted
    return mask if mask.any() else None


def _stream_columns(data: Source, asked: Any) -> np.ndarray | None:
    """Columns of codes in rows that are not in memory."""
    if asked is None or (isinstance(asked, str) and asked == "from_dtype"):
        return None

    class Names:
        shape = (data.n_rows, data.n_features)
        columns = data.feature_names

    table: Any = Names()
    return categorical_columns(table if data.feature_names is not None else np.empty((0, data.n_features)), asked)


def _refuse_codes(data: Source, columns: np.ndarray, most: int) -> None:
    """Categories in files and Dask collections are their own codes: whole numbers 0 … most − 1."""
    largest, broken = data.fold(CodeRangeStep(), columns)
    for j, high, part in zip(columns, largest, broken, strict=True):
        if high >= most or part == part:
            names = data.feature_names
            which = f"at index {j}" if names is None else repr(str(names[j]))
            found = part if part == part else high
            raise InvalidData(
                f"Categorical feature {which} holds {found:g}. From Parquet and Dask categories "
                f"must be whole numbers 0 … {most - 1} (negative ones are missing). Code them before, or load the rows "
                "into memory, where other values are coded."
            )


def _refuse_new_categories(before: list[np.ndarray | None], now: list[np.ndarray | None]) -> None:
    for j, (old, new) in enumerate(zip(before, now, strict=False)):
        same = old is new if old is None or new is None else np.array_equal(old, new)
        if not same:
            raise InvalidData(
                f"warm_start=True: column {j} has other categories than in the fit that is to be continued. Fit on "
                "rows with the same categories, or start anew with warm_start=False."
            )


def _mark_names(mask: np.ndarray, wanted: np.ndarray, names: list[str] | None) -> None:
    if names is None:
        raise InvalidParameter(
            "categorical_features should be passed as an array of integers or as a boolean mask when the model is "
            "fitted on data without feature names."
        )
    for name in wanted.tolist():
        if name not in names:
            raise InvalidParameter(
                f"categorical_features has an item value '{name}' which is not a valid feature name of the training "
                f"data. Observed feature names: {names}"
            )
        mask[names.index(name)] = True


def learn_categories(X: Any, mask: np.ndarray, most: int) -> list[np.ndarray | None]:
    """The values of each column of categories, None for the others; the code of a value is its place among them.

    Whole numbers 0 … most − 1 are their own codes; else the distinct values are sorted. Missing ones are no category.
    """
    out: list[np.ndarray | None] = []
    for j, is_category in enumerate(mask):
        if not is_category:
            out.append(None)
            continue
        values, gone = _column(X, j)
        found = np.unique(values[~gone])
        names = frame_names(X)
        which = f"at index {j}" if names is None else repr(str(names[j]))
        if len(found) and found.dtype.kind == "f" and found[-1] == np.inf:
            raise InvalidData(f"Categorical feature {which} holds infinity, which is no category. Drop or recode it.")
        if len(found) > most:
            raise InvalidData(
                f"Categorical feature {which} is expected to have a cardinality <= {most} but actually has a "
                f"cardinality of {len(found)}."
            )
        codes = found.dtype.kind == "f" and len(found) > 0 and (found == np.floor(found)).all() and found[-1] < most
        out.append(np.arange(found[-1] + 1) if codes else found)
    return out


def encoded(
    estimator: Any, X: Any, mask: np.ndarray, categories: list[np.ndarray | None], *, reset: bool
) -> np.ndarray:
    """X as float64 with codes in the columns of categories; values that are missing or unknown are NaN."""
    if not hasattr(X, "shape"):
        X = np.asarray(X, dtype=object)
    validate_data(estimator, X, reset=reset, skip_check_array=True)
    rows = np.empty(X.shape)
    for j, known in enumerate(categories):
        if known is None:
            rows[:, j] = _numbers(X, j)
        else:
            rows[:, j] = _codes(*_column(X, j), known)
    return rows


def _numbers(X: Any, j: int) -> np.ndarray:
    values = X.iloc[:, j] if hasattr(X, "iloc") else frame_column(X, j)
    try:
        return check_array(values, dtype=np.float64, ensure_2d=False, ensure_all_finite=False, ensure_min_samples=0)
    except (TypeError, ValueError) as error:
        names = frame_names(X)
        which = f"Column {j}" if names is None else f"Column {str(names[j])!r}"
        raise InvalidData(
            f"{which} is not numeric: {error}. Encode it, leave it out, or name it in categorical_features."
        ) from error


def _codes(values: np.ndarray, gone: np.ndarray, known: np.ndarray) -> np.ndarray:
    codes = np.full(len(values), np.nan)
    if len(known) == 0:
        return codes
    present = np.flatnonzero(~gone)
    asked = values[present]
    if asked.dtype.kind != known.dtype.kind:
        asked, known = asked.astype(str), known.astype(str)
    places = np.minimum(np.searchsorted(known, asked), len(known) - 1)
    right = known[places] == asked
    codes[present[right]] = places[right]
    return codes


def _column(X: Any, j: int) -> tuple[np.ndarray, np.ndarray]:
    """(values, missing) of a column; negative numbers are missing too, as scikit-learn has it."""
    values = frame_column(X, j)
    if values.dtype.kind == "O":
        gone = missing(values)
        plain = [one for one, no in zip(values, gone, strict=True) if not no]
        if all(isinstance(one, (int, float, np.number)) for one in plain):
            numbers = np.full(len(values), np.nan)
            numbers[~gone] = plain
            values = numbers
        else:
            texts = np.full(len(values), "", dtype=object)
            texts[~gone] = [str(one) for one in plain]
            return texts.astype(str), gone
    values = np.asarray(values, dtype=np.float64)
    return values, ~(values >= 0)
