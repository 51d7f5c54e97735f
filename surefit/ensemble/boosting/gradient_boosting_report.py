"""The lines that `verbose` prints: scikit-learn's table of stages."""

from __future__ import annotations

from time import perf_counter
from types import SimpleNamespace

from surefit.solvers.boosting.rounds import Scores


class Reporter:
    """verbose = 1: every stage up to the tenth, every tenth up to the hundredth, …; 2: every stage; 0: nothing."""

    def __init__(self, verbose: int, outside: bool, first: int, p: SimpleNamespace) -> None:
        self._verbose, self._outside, self._first, self._last = int(verbose), outside, first, p.n_estimators
        self._every, self._began = 1, perf_counter()
        if self._verbose:
            names = ["Iter", "Train Loss", *(["OOB Improve"] if outside else []), "Remaining Time"]
            print(("%10s " + "%16s " * (len(names) - 1)) % tuple(names))

    def stage(self, i: int, scores: Scores) -> None:
        done = i - self._first + 1
        if not self._verbose or done % self._every:
            return
        left = (self._last - i - 1) * (perf_counter() - self._began) / done
        cells = [f"{i + 1:>10d}", f"{scores.train[-1]:>16.4f}"]
        cells += [f"{scores.improvement[-1]:>16.4f}"] if self._outside else []
        print(" ".join([*cells, f"{f'{left / 60:.2f}m' if left > 60 else f'{left:.2f}s':>16s}"]))
        if self._verbose == 1 and done >= 10 * self._every:
            self._every *= 10
