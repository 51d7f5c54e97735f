"""How much each feature matters to a forest: the mean over its trees, and how far they differ."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from surefit._core.errors import InvalidData
from surefit.plot.axes import axes_of, shorten, tidy

MOST = 20


class ImportancesDisplay:
    """Holds `importances` (repeats or trees, features) and the `names` of the features; the largest means are drawn."""

    def __init__(self, *, importances: ArrayLike, names: list[str] | None = None) -> None:
        self.importances = np.asarray(importances, dtype=float)
        if self.importances.ndim != 2 or self.importances.size == 0:
            raise InvalidData(f"importances must be (trees, features); got shape {self.importances.shape}")
        width = self.importances.shape[1]
        self.names = [f"x{j}" for j in range(width)] if names is None else [str(name) for name in names]
        if len(self.names) != width:
            raise InvalidData(f"{width} features have {len(self.names)} names")

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, names: list[str] | None = None, ax: Any = None, **kwargs: Any
    ) -> ImportancesDisplay:
        """From a fitted forest (of surefit or scikit-learn): the importances of each of its trees."""
        each = [tree.feature_importances_ for tree in estimator.estimators_]
        if names is None:
            names = getattr(estimator, "feature_names_in_", None)
        return cls(importances=each, names=names).plot(ax, **kwargs)

    def plot(self, ax: Any = None, *, name: str | None = None, bar_kwargs: dict[str, Any] | None = None) -> Any:
        self.ax_, self.figure_ = axes_of(ax)
        mean, spread = self.importances.mean(axis=0), self.importances.std(axis=0)
        self.order_ = np.argsort(-mean, kind="stable")[:MOST]
        places = np.arange(len(self.order_))[::-1]
        options = {"color": "C0", "alpha": 0.75, "height": 0.7, "ecolor": "0.35", "capsize": 2} | (bar_kwargs or {})
        self.bars_ = self.ax_.barh(places, mean[self.order_], xerr=spread[self.order_], **options)
        self.ax_.set_yticks(places, [shorten(self.names[j]) for j in self.order_])
        self.ax_.set(xlabel="importance (line: standard deviation over trees)")
        self.ax_.set_xlim(left=0)
        tidy(self.ax_, "x")
        if name:
            self.ax_.set_title(name)
        return self
