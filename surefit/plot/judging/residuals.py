"""Predictions against what was observed: the straight line they should lie on, and what is left over."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from surefit._core.errors import InvalidData
from surefit.plot.axes import axes_of, scatter_options, tidy

Kind = Literal["actual_vs_predicted", "residual_vs_predicted"]


class ResidualsDisplay:
    """Predicted against actual values, or residuals against predictions.

    Holds `y_true` and `y_pred`; `plot` draws and keeps `ax_`, `figure_`, `scatter_` and `line_`.
    """

    def __init__(self, *, y_true: ArrayLike, y_pred: ArrayLike) -> None:
        self.y_true, self.y_pred = np.asarray(y_true, dtype=float), np.asarray(y_pred, dtype=float)
        if self.y_true.ndim != 1 or self.y_true.shape != self.y_pred.shape:
            raise InvalidData(f"y_true and y_pred must be of one length; got {self.y_true.shape}, {self.y_pred.shape}")

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        kind: Kind = "residual_vs_predicted",
        ax: Any = None,
        name: str | None = None,
        scatter_kwargs: dict[str, Any] | None = None,
    ) -> ResidualsDisplay:
        """Predict the rows of X and draw."""
        return cls.from_predictions(
            y,
            estimator.predict(X),
            kind=kind,
            ax=ax,
            name=name or type(estimator).__name__,
            scatter_kwargs=scatter_kwargs,
        )

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        kind: Kind = "residual_vs_predicted",
        ax: Any = None,
        name: str | None = None,
        scatter_kwargs: dict[str, Any] | None = None,
    ) -> ResidualsDisplay:
        return cls(y_true=y_true, y_pred=y_pred).plot(ax, kind=kind, name=name, scatter_kwargs=scatter_kwargs)

    def plot(
        self,
        ax: Any = None,
        *,
        kind: Kind = "residual_vs_predicted",
        name: str | None = None,
        scatter_kwargs: dict[str, Any] | None = None,
    ) -> ResidualsDisplay:
        self.ax_, self.figure_ = axes_of(ax)
        options = scatter_options(self.y_true.size) | (scatter_kwargs or {})
        if kind == "actual_vs_predicted":
            low = min(self.y_true.min(), self.y_pred.min())
            high = max(self.y_true.max(), self.y_pred.max())
            self.scatter_ = self.ax_.scatter(self.y_pred, self.y_true, **options)
            (self.line_,) = self.ax_.plot([low, high], [low, high], color="C1", linewidth=1.2, label="perfect")
            self.ax_.set(xlabel="predicted", ylabel="actual")
        elif kind == "residual_vs_predicted":
            self.scatter_ = self.ax_.scatter(self.y_pred, self.y_true - self.y_pred, **options)
            self.line_ = self.ax_.axhline(0.0, color="C1", linewidth=1.2)
            self.ax_.set(xlabel="predicted", ylabel="actual − predicted")
        else:
            raise InvalidData(f'kind must be "actual_vs_predicted" or "residual_vs_predicted"; got {kind!r}')
        tidy(self.ax_)
        if name:
            self.ax_.set_title(name)
        return self
