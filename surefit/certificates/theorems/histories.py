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
    history, converged, n_iter = attrs.raw("lower_bounds_"), attrs.raw("converged_"), attrs.number("n_iter_")
    if history is None or history.ndim != 1 or not history.size or converged is None or n_iter is None:
        return failed("history", "lower_bounds_, converged_ or n_iter_ are not a list of numbers, a flag and a number.")
    rises, asked = np.diff(history.astype(float)), real(attrs.parameter("tol", 1e-3))
    last = np.append(np.inf, rises if ours else np.abs(rises))[-1]
    room = gamma(64) * (1 + abs(bound)) if ours else slack  # ours are reckoned in double precision
    stopped = bool(converged) == (last < asked) or abs(last - asked) <= room or (not ours and not rises.size)
    fits = converged.dtype.kind == "b" and stopped and n_iter == len(history) - ours
    off = np.max(np.append(-rises if ours else 0.0, abs(float(history[-1]) - bound)))
    return at_most(
        "history", "The bound never fell, ends in lower_bound_, and converged_ says whether its last rise was "
        f"below tol={asked:g}; largest fall or difference.", Grade.EXACT, off if fits else np.inf, tol, excuse=slack,
        failure="lower_bounds_ falls, ends elsewhere than lower_bound_, or does not fit n_iter_ or converged_.",
    )  # fmt: skip
