"""All models of a comparison, one after the other: within the time, with progress, and interruptible."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from surefit._core.errors import InvalidData
from surefit.model_selection.budget import Budget, TooSlow
from surefit.model_selection.clusterings.trial import ClusterTrial
from surefit.model_selection.outcome import Outcome
from surefit.model_selection.trial import Trial

Progress = Callable[[int, int, str, float | None], None]
"""(fits done, fits in all, name of the model, seconds left or None)."""


@dataclass
class Contest:
    """The outcomes in the order of the models, (name, why) of those left out, and whether it was interrupted."""

    outcomes: list[Outcome] = field(default_factory=list)
    left_out: list[tuple[str, str]] = field(default_factory=list)
    interrupted: bool = False


def run_contest(
    trial: Trial | ClusterTrial, models: dict[str, Any], budget: Budget, leave_out: bool, on_progress: Progress | None
) -> Contest:
    """An outcome for each model that can be fitted in its share of the time.

    leave_out   a model that cannot be fitted is left out; else its error is raised
    An interrupt ends the contest with the outcomes there are, if there are any.
    """
    found = Contest()
    clock = Clock(len(models), len(trial.splits) + 1, budget, on_progress)
    for place, (name, estimator) in enumerate(models.items()):
        try:
            tick = clock.model(place, name)
            found.outcomes.append(trial.outcome(name, estimator, tick, budget.share(len(models) - place)))
        except TooSlow as slow:
            found.left_out.append((name, str(slow)))
        except KeyboardInterrupt:
            if not found.outcomes:
                raise
            found.interrupted = True
            found.left_out += [(other, "interrupted before it was finished") for other in list(models)[place:]]
            break
        except Exception as error:
            if not leave_out:
                raise
            found.left_out.append((name, " ".join(str(error).split()).rstrip(".") or type(error).__name__))
    if not found.outcomes:
        reasons = "; ".join(f"{name} is left out: {why}" for name, why in found.left_out)
        raise InvalidData(f"no model could be compared: {reasons}")
    return found


class Clock:
    """Tells the progress, and how long the rest will take: fits to come at the pace of those that are done."""

    def __init__(self, n_models: int, steps: int, budget: Budget, on_progress: Progress | None) -> None:
        self._n_models, self._steps, self._budget, self._tell = n_models, steps, budget, on_progress
        self._start = time.perf_counter()

    def model(self, place: int, name: str) -> Callable[[int], None]:
        """What is to be called with the number of fits of this model that are done."""

        def tick(done: int) -> None:
            if self._tell is not None:
                so_far, total = place * self._steps + done, self._n_models * self._steps
                self._tell(so_far, total, name, self._seconds_left(so_far, total))

        return tick

    def _seconds_left(self, done: int, total: int) -> float | None:
        if done == 0:
            return None
        left = (time.perf_counter() - self._start) / done * (total - done)
        return min(left, self._budget.left) if math.isfinite(self._budget.seconds) else left
