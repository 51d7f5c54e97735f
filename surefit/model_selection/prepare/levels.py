"""Columns of text as numbers, with the levels of the training rows: one column for each level, or one code."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from surefit._core.errors import InvalidData

MAX_LEVELS = 20
CODED_LEVELS = 200
"""Trees with native categories split on sets of levels and can have more of them."""
Coding = Literal["contrast", "indicator", "code"]
MISSING, OTHER = "(missing)", "(other)"


class LevelEncoder(TransformerMixin, BaseEstimator):
    """Text to numbers; what the training rows do not show is never asked for.

    Of a column with more than `max_levels` levels the most frequent `max_levels` − 1 are kept and the others become
    one, "(other)". A level that the training rows lack counts as "(other)" where there is one, else as the most
    frequent level. A missing value is the level "(missing)".

    coding="contrast"    a column of 0 and 1 for each level but the first (in the order of the text)
    coding="indicator"   a column of 0 and 1 for each level
    coding="code"        one column, 0, 1, … in the order of the text

    >>> encoder = LevelEncoder(max_levels=3).fit(np.array([["a"], ["b"], ["b"], ["a"], ["c"], ["d"]], dtype=object))
    >>> encoder.levels_[0].tolist()
    ['a', 'b', '(other)']
    >>> encoder.transform(np.array([["b"], ["never seen"]], dtype=object))
    array([[1., 0.],
           [0., 1.]])
    """

    def __init__(self, max_levels: int = MAX_LEVELS, coding: Coding = "contrast") -> None:
        self.max_levels = max_levels
        self.coding = coding

    def fit(self, X: Any, y: Any = None) -> LevelEncoder:
        names, columns = _text_columns(X)
        if names is not None:
            self.feature_names_in_ = np.array(names, dtype=object)
        self.n_features_in_ = len(columns)
        self.levels_: list[np.ndarray] = []
        self.unseen_: list[int] = []
        """By column the code of a level that the training rows lack."""
        for levels, codes in columns:
            counts = np.bincount(codes, minlength=levels.size)
            kept, unseen = kept_levels(levels, counts, self.max_levels)
            self.levels_.append(kept)
            self.unseen_.append(unseen)
        return self

    def transform(self, X: Any) -> np.ndarray:
        check_is_fitted(self, "levels_")
        _, columns = _text_columns(X)
        if len(columns) != self.n_features_in_:
            raise InvalidData(f"X has {len(columns)} columns of text; {self.n_features_in_} were fitted")
        parts = []
        for (levels, codes), kept, unseen in zip(columns, self.levels_, self.unseen_, strict=True):
            place = {level: code for code, level in enumerate(kept.tolist())}
            own = np.array([place.get(level, unseen) for level in levels.tolist()], dtype=np.intp)[codes]
            shown = own[:, None] if self.coding == "code" else own[:, None] == np.arange(self._first, kept.size)
            parts.append(shown.astype(np.float64))
        return np.hstack(parts)

    @property
    def _first(self) -> int:
        """The first level that has a column of its own."""
        return 1 if self.coding == "contrast" else 0

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        check_is_fitted(self, "levels_")
        given = getattr(self, "feature_names_in_", None) if input_features is None else input_features
        names = [f"x{j}" for j in range(self.n_features_in_)] if given is None else list(given)
        if self.coding == "code":
            return np.array(names, dtype=object)
        each = [levels[self._first :] for levels in self.levels_]
        shown = [f"{name}_{level}" for name, levels in zip(names, each, strict=True) for level in levels]
        return np.array(shown, dtype=object)


def kept_levels(levels: np.ndarray, counts: np.ndarray, most: int) -> tuple[np.ndarray, int]:
    """The levels of one column in the order of the text, "(other)" last, and the place of what is not among them."""
    levels, counts = levels[counts > 0], counts[counts > 0]
    order = np.lexsort((levels, -counts))
    if levels.size <= most:
        kept = np.sort(levels)
        return kept, int(np.flatnonzero(kept == levels[order[0]])[0])
    kept = np.sort(levels[order[: most - 1]])
    kept = kept[kept != OTHER]
    return np.append(kept, OTHER), kept.size


def _text_columns(X: Any) -> tuple[list[str] | None, list[tuple[np.ndarray, np.ndarray]]]:
    """The names of the columns and for each one its levels as text, and the place of every row among them."""
    if hasattr(X, "iloc"):
        names = [str(name) for name in X.columns]
        return names, [_levels_of_series(X.iloc[:, j]) for j in range(X.shape[1])]
    X = np.asarray(X, dtype=object)
    return None, [_levels_of_values(X[:, j]) for j in range(X.shape[1])]


def _levels_of_series(series: Any) -> tuple[np.ndarray, np.ndarray]:
    """Of a pandas column; a categorical one already knows its levels."""
    if not hasattr(series, "cat"):
        series = series.astype("category")
    codes = series.cat.codes.to_numpy().astype(np.intp)
    levels = [*(str(level) for level in series.cat.categories), MISSING]
    return _distinct(levels, np.where(codes < 0, len(levels) - 1, codes))


def _levels_of_values(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    seen: dict[str, int] = {}
    text = (MISSING if value is None or value != value else str(value) for value in values.tolist())
    codes = np.array([seen.setdefault(value, len(seen)) for value in text], dtype=np.intp)
    return np.array(list(seen), dtype=str), codes


def _distinct(levels: list[str], codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Levels that are the same text become one."""
    text, place = np.unique(np.array(levels, dtype=str), return_inverse=True)
    return text, place[codes]
