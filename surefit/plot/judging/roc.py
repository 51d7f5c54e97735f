"""The ROC curve: how many of the positives are found at the price of how many false alarms, and how sure that is."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from surefit._core.errors import InvalidData
from surefit.metrics import RocAucInterval, RocBand, roc_auc_interval, roc_band, roc_curve
from surefit.plot.axes import axes_of, tidy


class RocCurveDisplay:
    """Holds `fpr`, `tpr` (from (0, 0) to (1, 1)), the area `roc_auc` and the name of the model.

    Where they are known, `band` is the band around the curve and `interval` DeLong's interval of the area.
    """

    def __init__(
        self,
        *,
        fpr: ArrayLike,
        tpr: ArrayLike,
        roc_auc: float | None = None,
        name: str | None = None,
        band: RocBand | None = None,
        interval: RocAucInterval | None = None,
    ) -> None:
        self.fpr, self.tpr = np.asarray(fpr, dtype=float), np.asarray(tpr, dtype=float)
        if self.fpr.shape != self.tpr.shape or self.fpr.ndim != 1:
            raise InvalidData(f"fpr and tpr must be of one length; got {self.fpr.shape} and {self.tpr.shape}")
        self.roc_auc = float(np.trapezoid(self.tpr, self.fpr)) if roc_auc is None else float(roc_auc)
        self.name, self.band, self.interval = name, band, interval

    @classmethod
    def of_predictions(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        pos_label: Any = None,
        name: str | None = None,
        level: float | None = 0.95,
    ) -> RocCurveDisplay:
        """What `from_predictions` draws, not drawn yet; `level=None` asks for no band and no interval."""
        y_true, y_score = np.asarray(y_true), np.asarray(y_score, dtype=float)
        classes = np.unique(y_true)
        if classes.size != 2 or y_score.shape != y_true.shape:
            raise InvalidData(f"a ROC curve needs two classes and one score for each row; got {classes.size} classes")
        wanted = classes[1] if pos_label is None else pos_label
        if wanted not in classes:
            raise InvalidData(f"pos_label must be one of {classes.tolist()}; got {pos_label!r}")
        positive = y_true == wanted
        fpr, tpr, _ = roc_curve(positive, y_score)
        if level is None:
            return cls(fpr=fpr, tpr=tpr, name=name)
        band = roc_band(positive, y_score, kind="pointwise", level=level)
        interval = roc_auc_interval(positive, y_score, level=level)
        return cls(fpr=fpr, tpr=tpr, roc_auc=interval.auc, name=name, band=band, interval=interval)

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        pos_label: Any = None,
        name: str | None = None,
        level: float | None = 0.95,
        ax: Any = None,
        **kwargs: Any,
    ) -> RocCurveDisplay:
        """`y_score` grows with the belief in `pos_label` (default: the larger of the two classes)."""
        return cls.of_predictions(y_true, y_score, pos_label=pos_label, name=name, level=level).plot(ax, **kwargs)

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: ArrayLike, *, ax: Any = None, **kwargs: Any) -> RocCurveDisplay:
        if hasattr(estimator, "decision_function"):
            scores = np.asarray(estimator.decision_function(X))
        else:
            scores = np.asarray(estimator.predict_proba(X))[:, 1]
        options = {"pos_label": estimator.classes_[1], "name": type(estimator).__name__} | kwargs
        return cls.from_predictions(y, scores, ax=ax, **options)

    def plot(
        self, ax: Any = None, *, chance: bool = True, line_kwargs: dict[str, Any] | None = None
    ) -> RocCurveDisplay:
        self.ax_, self.figure_ = axes_of(ax, (5.2, 4.8))
        self.chance_ = self.band_ = None
        if chance:
            (self.chance_,) = self.ax_.plot([0, 1], [0, 1], linestyle="--", linewidth=1.0, color="0.55")
        (self.line_,) = self.ax_.plot(self.fpr, self.tpr, **({"label": self.label} | (line_kwargs or {})))
        if self.band is not None:
            self.band_ = self.ax_.fill_between(
                self.band.fpr, self.band.low, self.band.high, color=self.line_.get_color(), alpha=0.18, linewidth=0
            )
        self.ax_.set(xlabel="false alarms (share of the others)", ylabel="found (share of the class)")
        self.ax_.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
        self.ax_.legend(frameon=False, loc="lower right", fontsize=9)
        tidy(self.ax_)
        return self

    @property
    def label(self) -> str:
        """The words of the legend: the name, the area and its interval."""
        area = f"area {self.roc_auc:.3f}"
        if self.interval is None:
            return f"{self.name}, {area}" if self.name else area
        area = f"{area} [{self.interval.low:.3f}, {self.interval.high:.3f}]"
        return f"{self.name}\n{area}" if self.name else area
