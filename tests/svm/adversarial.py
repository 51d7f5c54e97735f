"""Data that make support vector machines run forever, and what each fit says of itself:

    python -m tests.svm.adversarial

One feature, huge scales, kernels that are constant or indefinite, duplicates, labels at random, C up to 1e6 and the
hard margin. A fit must end within its time budget and state its gap; one that stopped early must say so.
"""

from __future__ import annotations

import itertools
import time
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from surefit.svm import SVC, SVR

BUDGET = 3.0
KERNELS: tuple[dict[str, Any], ...] = (
    {"kernel": "linear"},
    {"kernel": "rbf"},
    {"kernel": "rbf", "gamma": 1e-12},
    {"kernel": "poly", "degree": 5, "coef0": 1.0},
    {"kernel": "sigmoid", "coef0": 1.0},
)
COSTS = (1e-2, 1.0, 1e3, 1e6, np.inf)


def data_sets(n: int) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """(what, X, y in {0, 1}): eight kinds of n rows."""
    rng = np.random.default_rng(0)
    y = (np.arange(n) % 2).astype(int)
    line = rng.normal(size=(n, 1))
    yield "one feature, labels at random", line, rng.permutation(y)
    yield "one feature, overlapping", line + y[:, None], y
    yield "columns of 1e6 and 1e-6", rng.normal(size=(n, 4)) * [1e6, 1.0, 1e-3, 1e-6], y
    yield "columns 1e8 from zero", rng.normal(size=(n, 3)) + 1e8, y
    yield "all rows equal", np.ones((n, 2)), y
    yield "every row with both labels", np.repeat(rng.normal(size=(n // 2, 3)), 2, axis=0), y
    yield "integers on a grid", rng.integers(0, 3, size=(n, 2)).astype(float), rng.permutation(y)
    yield "labels at random, wide", rng.normal(size=(n, 2 * n)), rng.permutation(y)


def fits(n: int) -> Iterator[tuple[str, Any, np.ndarray, np.ndarray]]:
    """200 of them: eight data sets, five kernels, five costs."""
    for (what, X, y), kernel, C in itertools.product(list(data_sets(n)), KERNELS, COSTS):
        hard = SVC(C=C, time_budget=BUDGET, **kernel)
        soft = SVR(C=min(C, 1e9), time_budget=BUDGET, **kernel)
        yield f"{what}, {kernel}, C={C:g}", soft if C == 1e3 else hard, X, y


def fault(model: Any, X: np.ndarray, y: np.ndarray) -> str | None:
    """What is wrong with a fit that did not end as it promises."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, y)
    told = any(issubclass(w.category, ConvergenceWarning) for w in caught)
    proved_impossible = getattr(model, "farkas_", None) is not None
    if not np.isfinite(model.dual_coef_).all() or not np.isfinite(model.intercept_).all():
        return "coefficients that are no numbers"
    if np.isnan(model.rel_gap_) and not proved_impossible:
        return "no gap is stated"
    if model.fit_status_ and not (told or proved_impossible):
        return "stopped early without a word"
    return None


if __name__ == "__main__":
    counts = {"fits": 0, "converged": 0, "stopped": 0, "of these proved impossible": 0, "late": 0, "faults": 0}
    longest = 0.0
    for label, estimator, rows, labels in fits(200):
        begun = time.perf_counter()
        wrong = fault(estimator, rows, labels)
        seconds = time.perf_counter() - begun
        longest = max(longest, seconds)
        counts["fits"] += 1
        counts["converged" if estimator.fit_status_ == 0 else "stopped"] += 1
        counts["of these proved impossible"] += getattr(estimator, "farkas_", None) is not None
        if seconds > 1.1 * BUDGET + 0.2:
            counts["late"] += 1
            print(f"{seconds:.1f} s: {label}")
        if wrong:
            counts["faults"] += 1
            print(f"{wrong}: {label}, gap {estimator.rel_gap_:.1e}")
    print(counts, f"longest {longest:.2f} s")
