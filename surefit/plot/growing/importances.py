"""How much each feature matters: to a forest, the mean over its trees; to any model, what shuffling a column costs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.inspection import permutation_importance

from surefit._core.errors import InvalidData
from surefit.plot.axes import axes_of, distinct, tidy

MOST = 20


class ImportancesDisplay:
    """Holds `importances` (repeats or trees, features) and the `names` of the features; the largest means are drawn.

    `measure` says what an importance is, `over` what the spread of its line goes over.
    """

    def __init__(
        self,
        *,
        importances: ArrayLike,
        names: list[str] | None = None,
        measure: str = "importance",
        over: str = "trees",
    ) -> None:
        self.importances = np.asarray(importances, dtype=float)
        if self.importances.ndim != 2 or self.importances.size == 0:
            raise InvalidData(f"importances must be (trees, features); got shape {self.importances.shape}")
        width = self.importances.shape[1]
        self.names = [f"x{j}" for j in range(width)] if names is None else [str(name) for name in names]
        if len(self.names) != width:
            raise InvalidData(f"{width} features have {len(self.names)} names")
        self.measure, self.over = measure, over

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, names: list[str] | None = None, ax: Any = None, **kwargs: Any
    ) -> ImportancesDisplay:
        """From a fitted model of surefit or scikit-learn: of each tree of a forest, else the model's own."""
        each = _importances_of(estimator)
        if names is None:
            names = getattr(estimator, "feature_names_in_", None)
        return cls(importances=each, names=names).plot(ax, **kwargs)

    @classmethod
    def from_permutation(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        scoring: Any = None,
        n_repeats: int = 5,
        random_state: int = 0,
        names: list[str] | None = None,
        measure: str = "score lost by shuffling the column",
        ax: Any = None,
        **kwargs: Any,
    ) -> ImportancesDisplay:
        """What a fitted model, of any kind, loses on the rows X (best: unseen ones) when one column is shuffled."""
        found = permutation_importance(
            estimator, X, y, scoring=scoring, n_repeats=n_repeats, random_state=random_state
        ).importances.T
        if names is None:
            names = [str(one) for one in X.columns] if hasattr(X, "columns") else None
        return cls(importances=found, names=names, measure=measure, over="shuffles").plot(ax, **kwargs)

    def plot(self, ax: Any = None, *, name: str | None = None, bar_kwargs: dict[str, Any] | None = None) -> Any:
        self.ax_, self.figure_ = axes_of(ax)
        mean, spread = self.importances.mean(axis=0), self.importances.std(axis=0)
        self.order_ = np.argsort(-mean, kind="stable")[:MOST]
        places = np.arange(len(self.order_))[::-1]
        options = {"color": "C0", "alpha": 0.75, "height": 0.7, "ecolor": "0.5", "capsize": 2} | (bar_kwargs or {})
        several = len(self.importances) > 1
        self.bars_ = self.ax_.barh(places, mean[self.order_], xerr=spread[self.order_] if several else None, **options)
        self.ax_.set_yticks(places, distinct([self.names[j] for j in self.order_]))
        self.ax_.set(xlabel=f"{self.measure} (line: spread over {self.over})" if several else self.measure)
        low = float((mean - spread)[self.order_].min())
        self.ax_.set_xlim(left=min(low, 0.0) * 1.1)
        if low < 0:
            self.ax_.axvline(0.0, color="0.55", linewidth=0.8)
        tidy(self.ax_, "x")
        if name:
            self.ax_.set_title(name)
        return self


def _importances_of(estimator: Any) -> list[np.ndarray]:
    """Of each member where their mean is the importance to the whole (forests, bagging), else of the whole."""
    whole = getattr(estimator, "feature_importances_", None)
    members = getattr(estimator, "estimators_", None)
    if isinstance(members, list) and all(hasattr(one, "feature_importances_") for one in members):
        each = [np.asarray(one.feature_importances_) for one in members]
        alike = len({len(one) for one in each}) == 1
        if alike and (whole is None or np.allclose(np.mean(each, axis=0), whole)):
            return each
    if whole is None:
        raise InvalidData(
            f"this {type(estimator).__name__} has no feature_importances_ (or is not fitted): use from_permutation"
        )
    return [np.asarray(whole)]
