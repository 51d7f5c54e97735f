"""Coefficients of a linear classifier with several classes: one row for each column of the data, one for each class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from surefit._core.errors import InvalidData
from surefit.plot.axes import axes_of, distinct

MOST = 20
WRITTEN = 8


class ClassCoefficientsDisplay:
    """Holds `coef` (classes × columns), `classes` and `names`; the columns with the largest coefficients are on top."""

    def __init__(
        self, *, coef: ArrayLike, classes: Sequence[Any] | None = None, names: Sequence[str] | None = None
    ) -> None:
        self.coef = np.asarray(coef, dtype=float)
        if self.coef.ndim != 2 or self.coef.size == 0:
            raise InvalidData(f"coef must have one row for each class; got shape {self.coef.shape}")
        count, width = self.coef.shape
        self.classes = [str(one) for one in (range(count) if classes is None else classes)]
        self.names = [f"column {j}" for j in range(width)] if names is None else [str(one) for one in names]
        if len(self.classes) != count or len(self.names) != width:
            raise InvalidData(
                f"{count} classes and {width} names are needed; got {len(self.classes)}, {len(self.names)}"
            )

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, names: Sequence[str] | None = None, ax: Any = None, **kwargs: Any
    ) -> ClassCoefficientsDisplay:
        if names is None:
            names = getattr(estimator, "feature_names_in_", None)
        return cls(coef=estimator.coef_, classes=list(estimator.classes_), names=names).plot(ax, **kwargs)

    def plot(
        self, ax: Any = None, *, name: str | None = None, most: int = MOST, im_kwargs: dict[str, Any] | None = None
    ) -> ClassCoefficientsDisplay:
        """Draw the `most` columns with the largest coefficients: red against the class, blue for it."""
        shown = np.argsort(-np.abs(self.coef).max(axis=0), kind="stable")[:most]
        self.ax_, self.figure_ = axes_of(ax, (2.6 + 0.6 * len(self.classes), 1.2 + 0.3 * shown.size))
        table = self.coef[:, shown].T
        reach = float(np.abs(table).max()) or 1.0
        self.im_ = self.ax_.imshow(
            table, **({"cmap": "RdBu", "vmin": -reach, "vmax": reach, "aspect": "auto"} | (im_kwargs or {}))
        )
        if len(self.classes) <= WRITTEN:
            for (i, k), value in np.ndenumerate(table):
                tone = "white" if abs(value) > 0.6 * reach else "#1d2733"
                words = f"{value:.2g}".replace("-", "−")
                self.ax_.text(k, i, words, ha="center", va="center", color=tone, fontsize=8.5)
        else:
            self.figure_.colorbar(self.im_, ax=self.ax_, shrink=0.8).outline.set_visible(False)
        labels = distinct(self.classes, 16)
        self.ax_.set_xticks(range(len(labels)), labels, rotation=90 if max(map(len, labels)) * len(labels) > 48 else 0)
        self.ax_.set_yticks(range(shown.size), distinct([self.names[j] for j in shown]))
        self.ax_.tick_params(length=0)
        self.ax_.spines[:].set_visible(False)
        if name:
            self.ax_.set_title(name)
        return self
