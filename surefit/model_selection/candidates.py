"""The models that `surefit compare` tries: for each, the task it suits and a short grid.

The list grows with the catalogue: an entry is a name, a task, a function that builds the estimator, and the values of
at most one parameter. Each value becomes a row of the table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from sklearn.dummy import DummyRegressor
from sklearn.pipeline import make_pipeline

from surefit._core.errors import InvalidParameter

Task = Literal["regression", "classification", "clustering"]
MANY_ROWS = 10_000
"""Beyond so many rows k-means starts once: its cost grows with the rows, the spread between starts shrinks."""
PENALTIES = tuple(10.0 ** (k / 2) for k in range(-6, 9))


@dataclass(frozen=True)
class Candidate:
    """One entry: `build(value, n_rows)` makes the estimator; `suits(value, n_rows, n_columns)` says if to."""

    name: str
    task: Task
    sentence: str
    build: Callable[[Any, int], Any]
    grid: tuple[Any, ...] = (None,)
    suits: Callable[[Any, int, int], bool] = lambda value, n_rows, n_columns: True

    def rows(self, n_rows: int, n_columns: int) -> dict[str, Any]:
        values = [value for value in self.grid if self.suits(value, n_rows, n_columns)]
        return {self.name.format(value=_short(value)): self.build(value, n_rows) for value in values}


def _short(value: Any) -> str:
    return f"{value:g}" if isinstance(value, (int, float)) else str(value)


def _mean(_: None, n_rows: int) -> Any:
    return DummyRegressor()


def _linear_regression(_: None, n_rows: int) -> Any:
    from surefit.linear_model import LinearRegression

    return LinearRegression()


def _ridge(alpha: float, n_rows: int) -> Any:
    from surefit.linear_model import Ridge

    return Ridge(alpha=alpha)


def _ridge_cv(_: None, n_rows: int) -> Any:
    from surefit.linear_model import RidgeCV

    return RidgeCV(alphas=np.array(PENALTIES))


def _pca_ridge_cv(share: float, n_rows: int) -> Any:
    from surefit.decomposition import PCA

    return make_pipeline(PCA(n_components=share), _ridge_cv(None, n_rows))


def _kmeans(k: int, n_rows: int) -> Any:
    from surefit.cluster import KMeans

    return KMeans(n_clusters=k, n_init=10 if n_rows <= MANY_ROWS else 1, random_state=0)


def _pca(n_components: int, n_rows: int) -> Any:
    from surefit.decomposition import PCA

    return PCA(n_components=n_components)


CANDIDATES: tuple[Candidate, ...] = (
    Candidate("mean (baseline)", "regression", "predicts the mean of the training targets", _mean),
    Candidate("LinearRegression", "regression", "least squares", _linear_regression),
    Candidate("Ridge α={value}", "regression", "least squares with a fixed penalty", _ridge, (1.0, 10.0, 100.0)),
    Candidate("RidgeCV", "regression", "penalty chosen by leave-one-out inside the training rows", _ridge_cv),
    Candidate(
        "PCA + RidgeCV",
        "regression",
        "ridge on the principal components that carry 95 % of the variance",
        _pca_ridge_cv,
        (0.95,),
        lambda share, n_rows, n_columns: min(n_rows, n_columns) >= 2,
    ),
    Candidate(
        "PCA {value}",
        "clustering",
        "the best linear picture with this many dimensions",
        _pca,
        (1, 2),
        lambda q, n_rows, n_columns: q < n_columns and q < n_rows,
    ),
    Candidate(
        "KMeans k={value}",
        "clustering",
        "k centres, each row drawn to the nearest",
        _kmeans,
        tuple(range(2, 9)),
        lambda k, n_rows, n_columns: 2 * k <= n_rows,
    ),
)


def candidates_for(task: Task, n_rows: int, n_columns: int) -> dict[str, Any]:
    """The unfitted estimators that suit a task and a shape, by the name of their row.

    `n_rows` are the rows of the smallest training part, `n_columns` those the estimators will see.
    """
    rows: dict[str, Any] = {}
    for candidate in CANDIDATES:
        if candidate.task == task:
            rows |= candidate.rows(n_rows, n_columns)
    if not rows:
        known = ", ".join(sorted({candidate.task for candidate in CANDIDATES}))
        raise InvalidParameter(f"no estimator for {task} yet; there are estimators for {known}")
    return rows
