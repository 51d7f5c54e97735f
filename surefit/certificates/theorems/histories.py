"""The trace of an iteration that climbs."""

from __future__ import annotations

import numpy as np

from surefit.certificates.attributes import Attributes, real
from surefit.certificates.claim import Claim, Grade, at_most, failed
from surefit.certificates.rounding import gamma


def history_claim(attrs: Attributes, bound: float, slack: float, tol: float, *, ours: bool) -> Claim:
    """lower_bounds_ has an entry for each iteration (ours one more, for the start), ends in lower_bound_ and rises, and
    its last rise is below the fit's tol where converged_ says so.

    scikit-learn's may fall, since what it adds to variances (reg_covar) is not in its log-likelihood.
    """
    history, asked = attrs.raw("lower_bounds_"), real(attrs.parameter("tol", 1e-3))
    converged, n_iter = attrs.raw("converged_"), attrs.number("n_iter_")
    if history is None or history.ndim != 1 or converged is None or converged.shape or converged.dtype.kind != "b":
        return failed("history", "lower_bounds_ is not a list of numbers, or converged_ neither True nor False.")
    rises = np.diff(history.astype(float))
    off = abs(float(history[-1]) - bound) if history.size else 0.0
    falls = float(np.max(-rises, initial=0.0)) if ours else 0.0
    off = np.inf if np.isnan([off, falls]).any() else max(off, falls)
    last = (float(rises[-1]) if ours else abs(float(rises[-1]))) if rises.size else np.inf
    if n_iter is None or n_iter != len(history) - ours:
        off = np.inf
    room = gamma(64) * (1 + abs(bound)) if ours else slack  # ours are reckoned in double precision
    if (rises.size or ours) and bool(converged) != (last < asked) and not abs(last - asked) <= room:
        off = np.inf
    return at_most(
        "history", "The bound never fell, ends in lower_bound_, and converged_ says whether its last rise was "
        f"below tol={asked:g}; largest fall or difference.", Grade.EXACT, off, tol, excuse=slack,
        failure="lower_bounds_ falls, ends elsewhere than lower_bound_, or does not fit n_iter_ or converged_.",
    )  # fmt: skip
