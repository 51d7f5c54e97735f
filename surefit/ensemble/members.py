"""What ensembles share: members with seeds of their own, rows for any kind of member, and their distinct examples."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Annotated, Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import MetaEstimatorMixin, clone
from sklearn.utils import column_or_1d
from sklearn.utils.validation import check_is_fitted, validate_data

from surefit._core.base import Estimator
from surefit._core.data.faults import squarable
from surefit._core.data.intake import NotFinite, take_rows, take_targets
from surefit._core.errors import InvalidData
from surefit._core.params import Rule
from surefit._core.random import RandomStateLike
from surefit.engine.open import need_memory
from surefit.summaries.resample import LARGEST_SEED, Examples, distinct_examples


def _is_member(value: Any) -> bool:
    return value is None or (hasattr(value, "fit") and hasattr(value, "predict"))


Member = Annotated[Any, Rule(_is_member, "an estimator with fit and predict, or None")]
RandomState = Annotated[
    RandomStateLike, "Seed of the seeds of the members: an int, None, RandomState, Generator or SeedSequence."
]


class Ensemble(MetaEstimatorMixin, Estimator):
    """A list of members, `estimators_`; the ensemble is read like that list."""

    estimator_: Any
    estimators_: list[Any]
    estimator: Any

    def __len__(self) -> int:
        return len(self.estimators_)

    def __getitem__(self, index: int) -> Any:
        return self.estimators_[index]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.estimators_)

    def _rows(self, X: Any, *, reset: bool, not_finite: NotFinite = "refuse", any_shape: bool = False) -> Any:
        """Rows in memory: floats for the default member; for others as they are, in any type the member may take."""
        if not reset:
            check_is_fitted(self, "estimators_")
        need_memory(self, X)
        if self.estimator is None:
            return take_rows(self, X, reset=reset, not_finite=not_finite)
        return validate_data(
            self,
            X,
            reset=reset,
            accept_sparse=["csr", "csc"],
            dtype=None,
            allow_nd=any_shape,
            ensure_all_finite=not_finite == "refuse" or ("allow-nan" if not_finite == "NaN" else False),
        )


def takes_weights(member: Any) -> bool:
    """Whether the fit of a member has a parameter `sample_weight`."""
    return "sample_weight" in inspect.signature(member.fit).parameters


def new_member(base: Any, seed: int) -> Any:
    """A copy of `base` whose `random_state` is the seed; those of its parts (a pipeline's, say) are drawn from it."""
    member = clone(base)
    names = sorted(name for name in member.get_params(deep=True) if name.endswith("__random_state"))
    drawn = np.random.default_rng(seed).integers(0, LARGEST_SEED, len(names))
    states = {name: int(state) for name, state in zip(names, drawn, strict=True)}
    if "random_state" in member.get_params(deep=False):
        states["random_state"] = int(seed)
    return member.set_params(**states) if states else member


def columns_of(X: Any, features: np.ndarray) -> Any:
    """These columns of X; X itself if they are all of them in their order."""
    whole = len(features) == X.shape[1] and (features == np.arange(X.shape[1])).all()
    return X if whole else X[:, features]


def examples_of(X: Any, y: np.ndarray, w: np.ndarray | None) -> Examples:
    """The distinct examples of rows of any type: other values than numbers count by their place among all values."""
    if sp.issparse(X):
        X = sp.csr_array(X)
        X.sum_duplicates()
    else:
        X = X.reshape(len(X), -1)
    if X.dtype.kind not in "fiub":
        X = np.column_stack([_places(column) for column in X.T])
    elif X.dtype not in (np.float32, np.float64):
        X = X.astype(np.float64)
    return distinct_examples(X, y, w)


def _places(column: np.ndarray) -> np.ndarray:
    try:
        return column.astype(np.float64)
    except (TypeError, ValueError):
        return np.unique(column.astype(str), return_inverse=True)[1].astype(np.float64)


def positive_rows(X: Any, w: np.ndarray | None, *others: np.ndarray) -> tuple[Any, ...]:
    """(X, w, …) of the rows of positive weight; weights of one if there were none."""
    if w is None:
        return (X, np.ones(X.shape[0]), *others)
    if (w > 0).all():
        return (X, w, *others)
    kept = np.flatnonzero(w > 0)
    return (X[kept], w[kept], *(other[kept] for other in others))


def one_target(estimator: Any, y: Any, n_rows: int) -> np.ndarray:
    """Numbers, one for each row, in double precision."""
    y = take_targets(estimator, y, n_rows)
    if y.ndim == 2 and y.shape[1] > 1:
        raise InvalidData(f"y should be a 1d array, got an array of shape {y.shape} instead.")
    return squarable(column_or_1d(y, warn=True).astype(np.float64))
