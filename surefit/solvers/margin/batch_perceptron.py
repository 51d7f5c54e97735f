"""The batch perceptron: update on a row of the wrong side until there is none.

    θ ← θ + ãᵢ   on a row with  ãᵢ·θ ≤ 0 ,  from θ = 0                 (ã: solvers/signed_rows.py)

Rows are visited round and round. Novikoff: let aᵢ·θ* ≥ 1 on all rows, B = ‖θ*‖, R = max ‖aᵢ‖. After k updates
θ·θ* ≥ k and ‖θ‖² ≤ k R², so k ≤ (R B)², whichever violated rows are chosen. A margin within rounding of zero is taken
for a violation: where the visit ends, every margin is positive in exact arithmetic.
"""

from __future__ import annotations

import numpy as np

from surefit import _native
from surefit.solvers.margin.signed_rows import SignedRows, rounding_of

SEPARATED, MOST_UPDATES, MOST_WORK = range(3)
FIRST_WORK = 500_000
"""Numbers read, at least, before it is asked whether the rows can be separated at all."""
FIRST_PASSES = 2
"""Passes over the rows, for each column, that cost little beside the linear program."""
STEP_WORK = 30_000_000
"""Numbers read between two looks at signals and callbacks."""


class BatchPerceptronVisit:
    """The state of the algorithm; `run` goes on for a while, and says how it ended."""

    def __init__(self, rows: SignedRows) -> None:
        self.rows = rows
        self.norms = rows.norms()
        self._visit = _native.PerceptronVisit(
            rows.d, rows.sign, self.norms, rows.scale, rounding_of(rows.d), rows.fit_intercept
        )

    @property
    def first_work(self) -> int:
        return max(FIRST_WORK, (10 + FIRST_PASSES * self.rows.width) * self.rows.size)

    def run(self, most_updates: int, work: int) -> int:
        X = self.rows.X
        if self.rows.is_sparse:
            return self._visit.run_csr(X.data, X.indices, X.indptr, X.shape[1], most_updates, work)
        return self._visit.run(X, most_updates, work)

    @property
    def theta(self) -> np.ndarray:
        return self._visit.theta[: self.rows.width]

    @property
    def updates(self) -> int:
        return self._visit.updates

    @property
    def passes(self) -> np.ndarray:
        """The number of updates of each pass over the rows."""
        return self._visit.passes
