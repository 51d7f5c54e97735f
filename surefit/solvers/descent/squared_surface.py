"""The error surface of least squares, for descent on all rows at once.

In the coordinates of `Coordinates` the mean squared error of each target is a quadratic,

    f(v) = c − 2 B·v + vᵀ H v          H = Σ ω x̃x̃ᵀ / Σω,  B = Σ ω ỹx̃ / Σω,  c = Σ ω ỹ² / Σω

whose slope −½∇f(v) = B − Hv is the mean of r x̃ over the rows. Up to SQUARE columns H, B and c are found in one pass
over the data, and a step of descent costs d² instead of a pass: the iterates are those of passes over the rows, to
rounding. Wider data, and CSR data whose products cancel, is passed over at each step.

With a centered frame β = 0 is the best intercept for every v, so v = u; else v = (u, β) where there is an intercept.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
import scipy.linalg

from surefit.engine.sources.source import Source
from surefit.solvers.descent.squared_pass import (
    Plane,
    SquaredPass,
    SquaredStep,
    frame_of,
    mean_length,
)
from surefit.solvers.numerics.coordinates import Coordinates
from surefit.summaries.column_spread import ColumnSpread, column_spread
from surefit.summaries.moments import Moments, MomentsStep

SQUARE = 1024
EPS = float(np.finfo(np.float64).eps)


class Surface(ABC):
    """f and its slope for k targets at once; v is (k, p)."""

    frame: Coordinates
    free_intercept: bool
    """Whether β is a coordinate."""
    at_zero: np.ndarray
    """c: (k,)"""
    length: float
    """Mean of ‖x̃‖², the trace of H; no curvature is larger."""
    lowest: float | None = None
    """The smallest curvature that is not zero; None where it is not known."""
    highest: float | None = None
    rounding_growth: float = 1.0
    """By how much cancellation has multiplied the rounding of the products."""

    @abstractmethod
    def slope(self, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """f(v) and B − Hv, computed afresh."""

    @abstractmethod
    def curve(self, v: np.ndarray) -> np.ndarray:
        """Hv."""

    @property
    def width(self) -> int:
        return len(self.frame.scale) + self.free_intercept

    def inner(self, coef: np.ndarray, intercept: np.ndarray) -> np.ndarray:
        u, beta = self.frame.inner(coef, intercept)
        return np.column_stack([u, beta]) if self.free_intercept else u

    def outer(self, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Coefficients and intercepts in the user's coordinates."""
        d = len(self.frame.scale)
        return self.frame.outer(v[:, :d], v[:, d] if self.free_intercept else np.zeros(len(v)))

    def rounding(self, v: np.ndarray) -> np.ndarray:
        """What is left of a slope of zero, for each target."""
        size = np.sqrt(self.at_zero * self.length) + self.length * np.sqrt((v**2).sum(axis=1))
        return 4 * EPS * self.rounding_growth * size


class MomentsSurface(Surface):
    """From H, B and c."""

    def __init__(self, frame: Coordinates, free_intercept: bool, moments: Moments, rounding_growth: float) -> None:
        self.frame, self.free_intercept, self.rounding_growth = frame, free_intercept, rounding_growth
        d, W = len(frame.scale), moments.weight
        shift = moments.mean - np.append(frame.center, frame.target)
        unit = np.append(frame.scale, np.ones(len(frame.target)))
        products = (moments.products / W + np.multiply.outer(shift, shift)) * unit[:, None] * unit
        self.H, self.B = products[:d, :d], products[d:, :d]
        if frame.scaled:  # columns that vary have a curvature of one: what is left of the others is rounding
            still = np.diagonal(self.H) < 0.5
            self.H[still], self.H[:, still], self.B[:, still] = 0.0, 0.0, 0.0
        if self.free_intercept:
            means = shift * unit
            self.H = np.block([[self.H, means[:d, None]], [means[None, :d], np.ones((1, 1))]])
            self.B = np.column_stack([self.B, means[d:]])
        self.at_zero = np.diagonal(products)[d:].copy()
        self.length = max(float(np.trace(self.H)), 0.0)
        curvatures = scipy.linalg.eigvalsh(self.H, check_finite=False)
        self.highest = max(float(curvatures[-1]), 0.0)
        noise = 4 * EPS * rounding_growth * (self.highest + np.sqrt(len(curvatures)))
        above = curvatures[curvatures > noise]
        self.lowest = float(above[0]) if len(above) else 1.0

    def slope(self, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        G = self.B - v @ self.H
        return np.maximum(self.at_zero - ((self.B + G) * v).sum(axis=1), 0.0), G

    def curve(self, v: np.ndarray) -> np.ndarray:
        return v @ self.H


class RowsSurface(Surface):
    """From a pass over the rows at each point."""

    def __init__(self, frame: Coordinates, free_intercept: bool, data: Source) -> None:
        self.frame, self.free_intercept, self.data = frame, free_intercept, data
        spread = column_spread(data, targets=True)
        self.weight = spread.weight
        self.length = mean_length(frame, spread)
        d = data.n_features
        self.at_zero = spread.squares[d:] / spread.weight + (spread.mean[d:] - frame.target) ** 2

    def slope(self, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        passed: SquaredPass = self.data.fold(SquaredStep(with_gradient=True), Plane(*self.outer(v)))
        return passed.loss / self.weight, self._inner_slope(passed)

    def curve(self, v: np.ndarray) -> np.ndarray:
        d = len(self.frame.scale)
        coef = v[:, :d] * self.frame.scale
        intercept = v[:, d] if self.free_intercept else -(coef @ self.frame.center)
        step = SquaredStep(with_gradient=True, with_target=False)
        return -self._inner_slope(self.data.fold(step, Plane(coef, intercept)))

    def _inner_slope(self, passed: SquaredPass) -> np.ndarray:
        assert passed.gradient is not None
        G = (passed.gradient - np.multiply.outer(passed.total, self.frame.center)) * self.frame.scale
        return (np.column_stack([G, passed.total]) if self.free_intercept else G) / self.weight


def open_surface(data: Source, *, scaled: bool, fit_intercept: bool) -> Surface:
    d, free = data.n_features, fit_intercept and not scaled
    options = {"scaled": scaled, "fit_intercept": fit_intercept, "sparse": data.is_sparse}
    if d + data.n_targets > SQUARE:
        return RowsSurface(frame_of(column_spread(data, targets=True), d, **options), free, data)
    moments = data.fold(MomentsStep(True))
    frame = frame_of(ColumnSpread.of_moments(moments), d, **options)
    # CSR: deviations are raw squares less those of the means. Dense: means are rounded before they are subtracted.
    size = np.sqrt(np.diagonal(moments.products)[:d].clip(0.0) / moments.weight)
    varies = (size > 0) & (frame.scale != 1.0)
    offset = np.max(np.abs(frame.center[varies]) / size[varies], initial=0.0)
    if data.is_sparse and offset > 1e3:
        return RowsSurface(frame, free, data)
    return MomentsSurface(frame, free, moments, max(1.0, 1.0 + offset**2 if data.is_sparse else offset / 32))
