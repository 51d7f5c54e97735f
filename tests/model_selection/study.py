"""How often the comparison errs, by simulation: `python -m tests.model_selection.study`.

Each pair of models is least squares on one of two halves of the columns. The target is the sum of a signal in the
first half and an equal one in the second, plus noise:

    y = x₁·w₁ + x₂·w₂ + ε ,        ‖w₁‖² = 1 + gap ,   ‖w₂‖² = 1 ,   all else standard normal.

With gap = 0 the halves are exchangeable, so neither model is better, and every difference that is declared is a false
alarm. With gap > 0 the first model is better, and the share of pairs in which that is declared is the power.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
from scipy import stats
from sklearn.model_selection import RepeatedKFold

from surefit.model_selection.significance.against_best import against_best
from surefit.model_selection.significance.intervals import corrected_difference, corrected_interval

HALF = 4
NOISE = 1.0
FOLDS, REPEATS = 5, 5
RATIO = 1 / (FOLDS - 1)


@dataclass(frozen=True)
class Rates:
    """Shares of the pairs for which a difference is declared at the 5 % level."""

    corrected: float
    uncorrected: float
    pairs: int


def simulated(rng: np.random.Generator, n_rows: int, gap: float, n_models: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """Rows with a block of columns for each model, and the target: the first block has the stronger signal."""
    X = rng.normal(size=(n_rows, n_models * HALF))
    W = rng.normal(size=(n_models, HALF))
    W /= np.linalg.norm(W, axis=1, keepdims=True)
    W[0] *= np.sqrt(1 + gap)
    return X, X @ W.ravel() + NOISE * rng.normal(size=n_rows)


def fold_scores(X: np.ndarray, y: np.ndarray, seed: int) -> np.ndarray:
    """R² of least squares on each block of columns, models × folds, on the same folds."""
    n_models = X.shape[1] // HALF
    splits = list(RepeatedKFold(n_splits=FOLDS, n_repeats=REPEATS, random_state=seed).split(X))
    scores = np.empty((n_models, len(splits)))
    for j, (train, test) in enumerate(splits):
        total = ((y[test] - y[test].mean()) ** 2).sum()
        for m in range(n_models):
            A = np.column_stack([np.ones(X.shape[0]), X[:, m * HALF : (m + 1) * HALF]])
            w = np.linalg.lstsq(A[train], y[train], rcond=None)[0]
            scores[m, j] = 1 - ((y[test] - A[test] @ w) ** 2).sum() / total
    return scores


def two_models(n_pairs: int, n_rows: int, gap: float, seed: int) -> Rates:
    """The corrected resampled t-test beside the t-test that takes the folds for independent."""
    rng, corrected, uncorrected = np.random.default_rng(seed), 0, 0
    for pair in range(n_pairs):
        first, second = fold_scores(*simulated(rng, n_rows, gap), seed=pair)
        corrected += corrected_difference(first, second, RATIO).p < 0.05
        uncorrected += stats.ttest_rel(first, second).pvalue < 0.05
    return Rates(corrected / n_pairs, uncorrected / n_pairs, n_pairs)


def any_difference(n_fields: int, n_rows: int, n_models: int, seed: int) -> float:
    """Among equal models: the share of fields in which some model is declared worse than the best."""
    rng, alarms = np.random.default_rng(seed), 0
    for number in range(n_fields):
        scores = fold_scores(*simulated(rng, n_rows, 0.0, n_models), seed=number)
        field = [_outcome(one) for one in scores]
        against_best(field, RATIO, 0.95, rope=None)
        alarms += any(one.p_adjusted is not None and one.p_adjusted < 0.05 for one in field)
    return alarms / n_fields


def _outcome(scores: np.ndarray) -> SimpleNamespace:
    interval = corrected_interval(scores, RATIO)
    return SimpleNamespace(
        scores=scores, interval=interval, merit=interval.mean, versus_best=None, p_adjusted=None, equivalent=None
    )


def main(n_pairs: int = 200, n_rows: int = 200) -> None:
    print(f"{n_pairs} pairs of models, {n_rows} rows, {FOLDS} folds × {REPEATS}, declared different at the 5 % level\n")
    print("gap    corrected t-test   t-test as if folds were independent")
    for gap in (0.0, 0.25, 0.5, 1.0, 2.0):
        found = two_models(n_pairs, n_rows, gap, seed=1)
        kind = "false alarms" if gap == 0 else "power"
        print(f"{gap:<5g}  {found.corrected:>7.1%} {kind:<12}  {found.uncorrected:>7.1%}")
    print("\nequal models   some model declared worse than the best")
    for n_models in (3, 6):
        print(f"{n_models:<13}  {any_difference(n_pairs, n_rows, n_models, seed=2):>7.1%}")


if __name__ == "__main__":
    main()
