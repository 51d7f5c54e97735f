"""A mixture of Gaussians: ellipses of its components, rows in the colors of those responsible for them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from surefit._core.errors import InvalidData
from surefit._core.optional import require
from surefit.plot.axes import axes_of, scatter_options, tidy
from surefit.plot.clustering.clusters import plane_of

DEVIATIONS = (1, 2)
LEAST_WEIGHT = 0.01
"""Components that carry less are not drawn: a Bayesian mixture empties those it does not need."""


class MixtureDisplay:
    """Holds `points` (two columns), `responsibilities` (rows × components), and `weights`, `means` and `covariances`
    of the components on the same two columns."""

    def __init__(
        self,
        *,
        points: ArrayLike,
        responsibilities: ArrayLike,
        weights: ArrayLike,
        means: ArrayLike,
        covariances: ArrayLike,
    ) -> None:
        self.points, self.responsibilities = np.asarray(points, float), np.asarray(responsibilities, float)
        self.weights, self.means = np.asarray(weights, float), np.asarray(means, float)
        self.covariances = np.asarray(covariances, float)
        n, k = self.responsibilities.shape if self.responsibilities.ndim == 2 else (-1, -1)
        if self.points.shape != (n, 2) or self.means.shape != (k, 2) or self.covariances.shape != (k, 2, 2):
            raise InvalidData(
                "points and means must have two columns, covariances be 2 × 2, and responsibilities (rows, components);"
                f" got {self.points.shape}, {self.means.shape}, {self.covariances.shape}, {self.responsibilities.shape}"
            )

    @classmethod
    def from_estimator(cls, estimator: Any, X: ArrayLike, *, ax: Any = None, **kwargs: Any) -> MixtureDisplay:
        """Of a fitted mixture (of surefit or scikit-learn) and rows; more than two columns are projected on the first
        two principal components, where a component A x of a Gaussian x has the covariance A Σ Aᵀ."""
        responsibilities = estimator.predict_proba(X)
        X = np.asarray(X, dtype=float)
        mean, plane = plane_of(X)
        covariances = full_covariances(estimator)
        return cls(
            points=(X - mean) @ plane,
            responsibilities=responsibilities,
            weights=estimator.weights_,
            means=(np.asarray(estimator.means_, dtype=float) - mean) @ plane,
            covariances=plane.T @ covariances @ plane,
        ).plot(ax, **kwargs)

    def plot(
        self, ax: Any = None, *, name: str | None = None, scatter_kwargs: dict[str, Any] | None = None
    ) -> MixtureDisplay:
        """Draw ellipses of one and two standard deviations, and every row in the mean color of its components."""
        self.ax_, self.figure_ = axes_of(ax)
        colors = require("matplotlib.colors", extra="plot", purpose="Drawing")
        ellipse = require("matplotlib.patches", extra="plot", purpose="Drawing").Ellipse
        palette = np.array([colors.to_rgb(f"C{k % 10}") for k in range(self.weights.size)])
        options = scatter_options(len(self.points)) | (scatter_kwargs or {})
        mixed = np.clip(self.responsibilities @ palette, 0.0, 1.0)
        self.scatter_ = self.ax_.scatter(*self.points.T, c=mixed, **options)
        self.ellipses_ = []
        for k in np.flatnonzero(self.weights >= LEAST_WEIGHT):
            variances, directions = np.linalg.eigh(self.covariances[k])
            angle = float(np.degrees(np.arctan2(directions[1, 1], directions[0, 1])))
            for deviations in DEVIATIONS:
                width, height = 2 * deviations * np.sqrt(np.maximum(variances[::-1], 0.0))
                style = {"fill": False, "edgecolor": palette[k], "linewidth": 1.6, "alpha": 1.0 / deviations}
                self.ellipses_.append(self.ax_.add_patch(ellipse(self.means[k], width, height, angle=angle, **style)))
        self.ax_.autoscale_view()
        tidy(self.ax_)
        if name:
            self.ax_.set_title(name)
        return self


def full_covariances(estimator: Any) -> np.ndarray:
    """A matrix for each component, whatever the `covariance_type`."""
    found, means = np.asarray(estimator.covariances_, dtype=float), np.asarray(estimator.means_)
    k, d = means.shape
    kind = estimator.covariance_type
    if kind == "full":
        return found
    if kind == "tied":
        return np.broadcast_to(found, (k, d, d))
    variances = found if kind == "diag" else np.broadcast_to(found[:, None], (k, d))
    return variances[:, :, None] * np.eye(d)
