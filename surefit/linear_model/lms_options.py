"""What LMSRegressor's parameters mean to its solvers, and who is told of its passes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from surefit._core.callbacks import Progress
from surefit._core.random import RandomStateLike, random_stream
from surefit.engine.sources.source import Source
from surefit.solvers.descent.lms import Rate
from surefit.solvers.descent.squared_pass import frame_of, mean_length
from surefit.solvers.numerics.coordinates import Coordinates
from surefit.summaries.column_spread import ColumnSpread


class Watch:
    """Told of every pass: prints it, and hands it to the callbacks."""

    def __init__(self, p: SimpleNamespace, data: Source, progress: Progress) -> None:
        self._verbose, self._single, self._dtype, self._progress = (
            p.verbose,
            data.target_ndim == 1,
            data.dtype,
            progress,
        )
        self.ended = False

    def __call__(self, coefficients: Any, error: float, number: int) -> bool:
        if self._verbose:
            print(f"pass {number}: mean squared error {error:.9g}")

        def attributes() -> dict[str, Any]:
            coef, intercept = coefficients()
            coef, intercept = coef.astype(self._dtype), intercept.astype(self._dtype)
            return {
                "coef_": coef[0] if self._single else coef,
                "intercept_": intercept[0] if self._single else intercept,
                "n_iter_": number,
            }

        self.ended = self._progress.step(attributes)
        return self.ended


def frame_for(p: SimpleNamespace, spread: ColumnSpread, data: Source) -> Coordinates:
    return frame_of(
        spread, data.n_features, scaled=p.scale_columns, fit_intercept=p.fit_intercept, sparse=data.is_sparse
    )


def rate_for(p: SimpleNamespace, frame: Coordinates, spread: ColumnSpread, pass_weight: float) -> Rate:
    """The schedule; a first rate that was not given is one over the mean of ‖x̃‖² + 1."""
    power, period = {
        "auto": (0.0, 1.0),
        "constant": (0.0, 1.0),
        "invscaling": (float(p.power_t), 1.0),
        "harmonic": (1.0, pass_weight),
    }[p.learning_rate]
    if p.eta0 is not None:
        return Rate(float(p.eta0), power, period, False)
    length = mean_length(frame, spread)
    return Rate(1.0 / length if length > 0 else 1.0, power, period, True)


def seed_from(random_state: RandomStateLike) -> int:
    return int(random_stream(random_state).integers(2**63))
