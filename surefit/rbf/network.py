"""What both networks share: centers, a width, and output weights that are learnt row by row.

    hidden layer  φⱼ(x) = φ(‖x − cⱼ‖), j = 1 … K          output  φ(x)·w + b
    min over w, b of  Σ ωᵢ (yᵢ − φ(xᵢ)·w − b)² + α ‖w‖²

The centers are those of k-means; the output is fitted by recursive least squares, one pass over rows from memory,
Parquet or Dask, equal to the batch answer, and `partial_fit` goes on from there.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Annotated, Any, Literal

import numpy as np

from surefit._core.base import Estimator
from surefit._core.errors import InvalidData
from surefit._core.memory import refuse_beyond_memory
from surefit._core.params import Range
from surefit._core.precision import narrowed
from surefit._core.random import RandomStateLike, random_stream
from surefit.engine.sources.source import Source
from surefit.rbf.radial import Radial, WithWidth, kind_of_kernel, spread_width
from surefit.solvers.clustering.lloyd import lloyd, measure_extent
from surefit.solvers.clustering.seeding import canonical_sample, choose, rows_at
from surefit.solvers.least_squares.recursive import Recursion, absorbed, begin, solution

MAX_ITER, TOL = 300, 1e-4
"""Of k-means, as KMeans has them."""


class RBFNetwork(Estimator):
    """Parameters and the walk over rows; regressor and classifier say what the targets are."""

    centers_: np.ndarray
    width_: float | None
    coef_: np.ndarray
    intercept_: Any
    n_samples_seen_: int

    def __init__(
        self,
        n_centers: Annotated[
            int, Range(1), "Centers, found by k-means; all rows where fewer are distinct. Many fewer than rows."
        ] = 50,
        *,
        kernel: Annotated[WithWidth, "Of the hidden layer: exp(−r²/2σ²), √(r² + σ²) or 1/√(r² + σ²)."] = "gaussian",
        width: Annotated[
            float | None,
            Range(0, open="both"),
            "σ; None is the mean distance between two centers, and for one center the standard distance of rows to it.",
        ] = None,
        alpha: Annotated[float, Range(0, open="high"), "Strength of the penalty on the output weights."] = 1e-3,
        forgetting: Annotated[
            float, Range(0, 1, open="low"), "What each row leaves of the weight of those before it; 1 forgets nothing."
        ] = 1.0,
        fit_intercept: Annotated[bool, "Whether to learn b, which is never penalized."] = True,
        random_state: Annotated[RandomStateLike, "Seed or stream of k-means."] = None,
    ) -> None:
        self.n_centers = n_centers
        self.kernel = kernel
        self.width = width
        self.alpha = alpha
        self.forgetting = forgetting
        self.fit_intercept = fit_intercept
        self.random_state = random_state

    def _begin(self, p: SimpleNamespace, data: Source, n_targets: int) -> Recursion:
        """Centers and width from the data; nothing learnt yet."""
        refuse_beyond_memory(32.0 * p.n_centers**2, f"The triangle of {p.n_centers} centers", "Use fewer centers.")
        centers = _centers(data, p.n_centers, random_stream(p.random_state))
        self.centers_ = narrowed(centers, data.dtype)
        self.width_ = float(p.width) if p.width else spread_width(centers, _standard_distance(data))
        self.n_samples_seen_ = 0
        return begin(len(centers), n_targets, p.alpha, p.fit_intercept)

    def _take(self, state: Recursion, data: Source, forgetting: float) -> tuple[np.ndarray, np.ndarray]:
        """Coefficients (targets, centers) and intercepts after the rows of `data`."""
        hidden = self._hidden()
        for block in data.blocks():
            for leaf in block.leaves():
                state = absorbed(state, hidden(leaf.X), self._targets(leaf.targets), leaf.w, forgetting)
        self._state = state._asdict()
        self.n_samples_seen_ += data.n_rows
        coef, intercept = solution(state)
        if not (np.isfinite(coef).all() and np.isfinite(intercept).all()):
            raise InvalidData("the output weights left the range of floating-point numbers: rescale the columns and y")
        return coef, intercept

    def _hidden(self) -> Radial:
        return Radial(self.kernel, self.centers_, self.width_ if kind_of_kernel(self.kernel).has_width else None)

    def _targets(self, columns: np.ndarray) -> np.ndarray:
        """What the output is fitted to."""
        return columns

    def _outputs(self, rows: Any, hidden: Radial, coef: np.ndarray) -> np.ndarray:
        """φ(x)·w + b, one column for each row of `coef`."""
        values = hidden(rows) @ coef.T + self.intercept_
        return values.astype(np.float32 if rows.dtype == np.float32 else np.float64, copy=False)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _centers(data: Source, n_centers: int, rng: np.random.Generator) -> np.ndarray:
    """The means of k-means, started by k-means++; all distinct rows where they are few."""
    sample = canonical_sample(data, n_centers)
    if sample.n_rows <= n_centers:
        return rows_at(sample, np.arange(sample.n_rows))
    extent = measure_extent(data)
    seeding: Literal["k-means++"] = "k-means++"
    chosen, _ = choose(sample, n_centers, seeding, rng, extent.frame.scale)
    return lloyd(data, rows_at(sample, chosen), extent, MAX_ITER, TOL).centers


def _standard_distance(data: Source) -> float:
    """√(mean squared distance of the rows to their mean)."""
    extent = measure_extent(data)
    return float(np.sqrt(extent.variance * data.n_features) / extent.frame.scale)
