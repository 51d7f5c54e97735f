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


MORE_TIME = 1.5
"""A model that was too slow is tried again where the time that is left gives it so many times its share."""


def run_contest(
    trial: Trial | ClusterTrial, models: dict[str, Any], budget: Budget, leave_out: bool, on_progress: Progress | None
) -> Contest:
    """An outcome for each model that can be fitted in its share of the time; what the others leave is shared by those
    that could not, the first of them first.

    leave_out   a model that cannot be fitted is left out; else its error is raised
    An interrupt ends the contest with the outcomes there are, if there are any.
    """
    found, clock = Contest(), Clock(len(models), len(trial.splits) + 1, budget, on_progress)
    waiting, slow = list(models), dict[str, float]()
    try:
        while waiting:
            name, share = waiting[0], budget.share(len(waiting))
            try:
                found.outcomes.append(trial.outcome(name, models[name], clock.model(name), share))
            except TooSlow as reason:
                found.left_out.append((name, str(reason)))
                slow[name] = share.seconds
            except Exception as error:
                if not leave_out:
                    raise
                found.left_out.append((name, " ".join(str(error).split()).rstrip(".") or type(error).__name__))
            waiting.pop(0)
            if not waiting and slow and budget.left >= MORE_TIME * min(slow.values()) * len(slow):
                waiting, slow = list(slow), {}
                found.left_out = [(name, why) for name, why in found.left_out if name not in waiting]
    except KeyboardInterrupt:
        if not found.outcomes:
            raise
        found.interrupted = True
        found.left_out += [(name, "interrupted before it was finished") for name in waiting]
    if not found.outcomes:
        reasons = "; ".join(f"{name} is left out: {why}" for name, why in found.left_out)
        raise InvalidData(f"no model could be compared: {reasons}")
    order = list(models)
    found.outcomes.sort(key=lambda one: order.index(one.name))
    return found


class Clock:
    """Tells the progress, and how long the rest will take: fits to come at the pace of those that are done."""

    def __init__(self, n_models: int, steps: int, budget: Budget, on_progress: Progress | None) -> None:
        self._n_models, self._steps, self._budget, self._tell = n_models, steps, budget, on_progress
        self._start, self._begun = time.perf_counter(), 0

    def model(self, name: str) -> Callable[[int], None]:
        """The next model begins; what is to be called with the number of its fits that are done."""
        place, total = min(self._begun, self._n_models - 1), self._n_models * self._steps
        self._begun += 1

        def tick(done: int) -> None:
            if self._tell is not None:
                so_far = place * self._steps + done
                self._tell(so_far, total, name, self._seconds_left(so_far, total))

        return tick

    def _seconds_left(self, done: int, total: int) -> float | None:
        if done == 0:
            return None
        left = (time.perf_counter() - self._start) / done * (total - done)
        return min(left, self._budget.left) if math.isfinite(self._budget.seconds) else left
