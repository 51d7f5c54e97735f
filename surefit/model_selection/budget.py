"""Seconds: how many a comparison has, how many of them one model may take, and how a fit that takes more is stopped."""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from surefit._core.errors import InvalidParameter

FOLDS_SHARE = 0.75
"""Of a model's seconds: the rest is for the fit on all rows and its certificate."""


class TooSlow(Exception):
    """A model does not fit into its share of the time; the text says why."""


class Stopped(Exception):
    """Raised inside a fit or a check whose time is up."""


class Budget:
    """The seconds of a comparison; without a limit they are infinite."""

    def __init__(self, seconds: float | None) -> None:
        if seconds is not None and not (isinstance(seconds, (int, float)) and 0 < seconds < math.inf):
            raise InvalidParameter(
                f"time_budget must be a number of seconds > 0, or None for no limit; got {seconds!r}"
            )
        self.seconds = math.inf if seconds is None else float(seconds)
        self._start = time.perf_counter()

    @property
    def spent(self) -> float:
        return time.perf_counter() - self._start

    @property
    def left(self) -> float:
        return max(self.seconds - self.spent, 0.0)

    def share(self, models_left: int) -> Share:
        """What the next of so many models may take: what cheap ones leave is for those after them."""
        return Share(self.left / models_left)


class Share:
    """The seconds of one model."""

    def __init__(self, seconds: float = math.inf) -> None:
        self.seconds = seconds
        self._start = time.perf_counter()

    @property
    def left(self) -> float:
        return self.seconds - (time.perf_counter() - self._start)

    @property
    def left_for_folds(self) -> float:
        return self.left - (1 - FOLDS_SHARE) * self.seconds if math.isfinite(self.seconds) else math.inf

    def __str__(self) -> str:
        return in_seconds(self.seconds)


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise `Stopped` inside the block after so many seconds.

    Compiled loops poll for signals, so an alarm stops them as Ctrl-C does. Alarms exist in the main thread of a process
    on POSIX; elsewhere, and where somebody else has set one, the block runs to its end.
    """
    if seconds <= 0:
        raise Stopped
    if not _can_alarm(seconds):
        yield
        return

    def stop(number: int, frame: Any) -> None:
        raise Stopped

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _can_alarm(seconds: float) -> bool:
    if not math.isfinite(seconds) or not hasattr(signal, "setitimer"):
        return False
    return threading.current_thread() is threading.main_thread() and signal.getitimer(signal.ITIMER_REAL)[0] == 0.0


def in_seconds(seconds: float) -> str:
    """
    >>> in_seconds(0.24), in_seconds(9.6), in_seconds(61.2)
    ('0.24 s', '9.6 s', '61 s')
    """
    return f"{seconds:.2f} s" if seconds < 1 else f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
