"""The reliability curve: of the rows that were given the probability p, does the share p belong to the class?"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from surefit._core.errors import InvalidData
from surefit.plot.axes import axes_of, tidy

BINS = 10


class CalibrationDisplay:
    """Holds for each bin `prob_pred` (mean probability), `prob_true` (share of the class) and `counts` of its rows.

    `low` and `high` are Wilson's interval for the share: a bin of few rows is not held against the model.
    """

    def __init__(
        self,
        prob_true: ArrayLike,
        prob_pred: ArrayLike,
        counts: ArrayLike,
        *,
        level: float = 0.95,
        estimator_name: str | None = None,
    ) -> None:
        self.prob_true, self.prob_pred = np.asarray(prob_true, dtype=float), np.asarray(prob_pred, dtype=float)
        self.counts = np.asarray(counts)
        if not self.prob_true.shape == self.prob_pred.shape == self.counts.shape or self.counts.ndim != 1:
            raise InvalidData("prob_true, prob_pred and counts must be of one length")
        self.low, self.high = wilson(self.prob_true, self.counts, level)
        self.level, self.estimator_name = level, estimator_name

    @property
    def calibration_error(self) -> float:
        """Σ (rows of the bin / rows) · |share − mean probability| ."""
        return float(np.abs(self.prob_true - self.prob_pred) @ self.counts / self.counts.sum())

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_prob: ArrayLike,
        *,
        n_bins: int = BINS,
        level: float = 0.95,
        name: str | None = None,
        ax: Any = None,
        **kwargs: Any,
    ) -> CalibrationDisplay:
        """`y_true` says (0 or 1) if the row is of the class, `y_prob` the probability it was given."""
        shares, means, counts = reliability(y_true, y_prob, n_bins)
        return cls(shares, means, counts, level=level, estimator_name=name).plot(ax, **kwargs)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: ArrayLike, *, ax: Any = None, **kwargs: Any
    ) -> CalibrationDisplay:
        """For two classes the probability of the second; for more that of the class predicted, against its being so."""
        hit, p = believed(np.asarray(estimator.predict_proba(X)), np.asarray(y), np.asarray(estimator.classes_))
        return cls.from_predictions(hit, p, ax=ax, **({"name": type(estimator).__name__} | kwargs))

    def plot(
        self, ax: Any = None, *, ref_line: bool = True, line_kwargs: dict[str, Any] | None = None
    ) -> CalibrationDisplay:
        self.ax_, self.figure_ = axes_of(ax, (5.2, 4.8))
        if ref_line:
            self.ax_.plot([0, 1], [0, 1], linestyle="--", linewidth=1.0, color="0.55", label="perfect")
        options = {"marker": "o", "markersize": 5, "color": "C0", "label": self.estimator_name} | (line_kwargs or {})
        self.bars_ = self.ax_.vlines(
            self.prob_pred, self.low, self.high, color=options["color"], alpha=0.35, linewidth=3.0
        )
        (self.line_,) = self.ax_.plot(self.prob_pred, self.prob_true, **options)
        self.ax_.set(xlabel="probability given", ylabel=f"share that came true (bar: {100 * self.level:g} %)")
        self.ax_.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
        if self.estimator_name or ref_line:
            self.ax_.legend(frameon=False, loc="upper left")
        tidy(self.ax_)
        return self


def believed(P: np.ndarray, y: np.ndarray, classes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(did it come true, the probability it was given): for two classes the second, for more the one predicted."""
    if classes.size == 2:
        return y == classes[1], P[:, 1]
    top = P.argmax(axis=1)
    return classes[top] == y, P[np.arange(P.shape[0]), top]


def reliability(y_true: ArrayLike, y_prob: ArrayLike, n_bins: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(share of ones, mean probability, rows) in each of `n_bins` equal parts of [0, 1] that holds rows."""
    hit, p = np.asarray(y_true).astype(float), np.asarray(y_prob, dtype=float)
    if hit.shape != p.shape or hit.ndim != 1 or hit.size == 0 or not np.isin(hit, (0.0, 1.0)).all():
        raise InvalidData("y_true must hold a 0 or 1 for each probability in y_prob")
    if not ((p >= 0) & (p <= 1)).all():
        raise InvalidData("y_prob must hold probabilities, from 0 to 1")
    place = np.minimum((p * n_bins).astype(int), n_bins - 1)
    counts = np.bincount(place, minlength=n_bins)
    kept = counts > 0
    sums = [np.bincount(place, weights=one, minlength=n_bins)[kept] / counts[kept] for one in (hit, p)]
    return sums[0], sums[1], counts[kept]


def wilson(share: np.ndarray, n: np.ndarray, level: float) -> tuple[np.ndarray, np.ndarray]:
    """Wilson's score interval for a share seen in n trials."""
    z = float(ndtri(0.5 + level / 2))
    middle = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    return np.maximum(middle - half, 0.0), np.minimum(middle + half, 1.0)
